// Kiln, a finalizer for Intel GPUs, as a C library: vISA in, Gen machine code out.
// Made by cbindgen from capi/src; docs/embedding.md is the guide.
//
// Handles are opaque, and freed by the function named after them; freeing NULL does nothing. Every function that can
// fail says so in its result, and then sets what it would have given to NULL or 0. A pointer that must not be NULL
// and is, is an error like others. Strings are UTF-8 and end in a zero byte; those that are given back are valid
// until the handle that they came from is freed or, where that is said, changed.
//
// There is no global state. One handle may be used from several threads at the same time where the functions take it
// as const; a function that takes it as other than const needs it for itself.

#ifndef KILN_H
#define KILN_H

#include <stddef.h>
#include <stdint.h>

// The version of this interface: of its functions, and of the layout of its structures.
// It grows whenever a program has to be compiled again, and is what kiln_session_new is given.
#define KILN_ABI_VERSION 3

// How a call ended.
typedef enum kiln_result {
  KILN_RESULT_OK = 0,
  // A pointer is NULL that must not be.
  KILN_RESULT_NULL = 1,
  // A number means nothing, or is too large, or a pointer is not aligned.
  KILN_RESULT_ARGUMENT = 2,
  // A string is not UTF-8.
  KILN_RESULT_UTF8 = 3,
  // The program was compiled with another version of kiln.h.
  KILN_RESULT_ABI = 4,
  // There is nothing of that name or number.
  KILN_RESULT_NOT_FOUND = 5,
  // The buffer is too short; the size needed is said.
  KILN_RESULT_SHORT_BUFFER = 6,
  // The input is wrong, or has something that is not supported: the diagnostics say what.
  KILN_RESULT_VISA = 7,
  // Code cannot be loaded there, or a symbol has no address.
  KILN_RESULT_LOAD = 8,
  // No object file can be made or read.
  KILN_RESULT_OBJECT = 9,
  // The kernel cannot be launched so, or its execution failed.
  KILN_RESULT_RUN = 10,
  // The system gave no memory or threads, or no folder for a cache: the log says why.
  KILN_RESULT_SYSTEM = 11,
  // Kiln itself is wrong. What the call would have changed is as it was.
  KILN_RESULT_INTERNAL = 12,
} kiln_result;

// How severe a message is.
typedef enum kiln_severity {
  KILN_SEVERITY_ERROR = 0,
  // Legal, but likely not what was meant.
  KILN_SEVERITY_WARNING = 1,
  // Only in the log.
  KILN_SEVERITY_INFO = 2,
} kiln_severity;

// What a part of a program is.
typedef enum kiln_part_kind {
  // Threads are dispatched to it.
  KILN_PART_KIND_KERNEL = 0,
  // It is called by its address.
  KILN_PART_KIND_FUNCTION = 1,
} kiln_part_kind;

// What belongs into the field of a relocation.
typedef enum kiln_relocation_kind {
  // The address, 64 bits.
  KILN_RELOCATION_KIND_ADDRESS = 0,
  // Its low 32 bits.
  KILN_RELOCATION_KIND_ADDRESS_LOW = 1,
  // Its high 32 bits.
  KILN_RELOCATION_KIND_ADDRESS_HIGH = 2,
  // The distance from the start of the instruction, which is 12 bytes before the field, 32 bits.
  KILN_RELOCATION_KIND_DISTANCE = 3,
} kiln_relocation_kind;

// What is wanted first.
typedef enum kiln_tier {
  // Fast code.
  KILN_TIER_BEST = 0,
  // Code soon.
  KILN_TIER_QUICK = 1,
} kiln_tier;

// The allocator of general registers.
typedef enum kiln_allocator {
  // A walk over the code that spills by distance to the next use.
  KILN_ALLOCATOR_SCAN = 0,
  // regalloc2's, which splits live ranges and revises what it assigned.
  KILN_ALLOCATOR_ION = 1,
} kiln_allocator;

// Where the layout of kernels' arguments comes from, which an object file needs.
typedef enum kiln_layout {
  // An object file of the same program, or a `.ze_info` document.
  KILN_LAYOUT_INFO = 0,
  // An interface: a document that says what each input is, written by hand or by a compiler.
  KILN_LAYOUT_INTERFACE = 1,
  // The inputs of the vISA alone, each of which is taken for an argument.
  KILN_LAYOUT_INPUTS = 2,
} kiln_layout;

// What an argument of a kernel is.
typedef enum kiln_arg_kind {
  // Memory that the kernel reads and writes: `size` bytes at `data`, which have its results afterwards.
  KILN_ARG_KIND_BUFFER = 0,
  // A value: the `size` bytes at `data`, as many as the argument's type has.
  KILN_ARG_KIND_VALUE = 1,
  // `size` bytes of shared local memory; `data` is not looked at.
  KILN_ARG_KIND_LOCAL = 2,
} kiln_arg_kind;

// What was found wrong by one call.
typedef struct kiln_diagnostics kiln_diagnostics;

// A module that was read and checked, to be compiled once or several times.
typedef struct kiln_module kiln_module;

// An object file.
typedef struct kiln_object kiln_object;

// Machine code of a module: kernels, and behind them functions that are called by address.
typedef struct kiln_program kiln_program;

// Options, threads and a log. It can be used from several threads at the same time.
typedef struct kiln_session kiln_session;

// Something that is wrong. Its strings are valid until the diagnostics are freed.
typedef struct kiln_diagnostic {
  enum kiln_severity severity;
  // What is wrong, such as "V0014": for ever the same, whatever the message says.
  const char *code;
  // The name of the input, or NULL.
  const char *file;
  // The kernel or function, or NULL.
  const char *kernel;
  // The instruction as text where the input is none, or NULL.
  const char *text;
  const char *message;
  // The number of the instruction, or -1.
  int64_t instruction;
  // In a text, from 1, else 0. Columns are bytes.
  uint32_t line;
  uint32_t column;
  // In a binary object, in bytes, or -1.
  int64_t offset;
} kiln_diagnostic;

// A file of vISA in memory, text or binary.
typedef struct kiln_input {
  // For messages; may be NULL.
  const char *name;
  const void *data;
  size_t size;
} kiln_input;

// An argument of a kernel.
typedef struct kiln_arg {
  // A kiln_arg_kind.
  uint32_t kind;
  void *data;
  size_t size;
} kiln_arg;

// A launch of a kernel.
typedef struct kiln_launch {
  // The kernel's name.
  const char *kernel;
  // 1 to 3; sizes of other dimensions are not looked at.
  uint32_t dimensions;
  // Work-items in each dimension: a multiple of those of a group.
  uint32_t global[3];
  // Work-items of a group.
  uint32_t local[3];
  const struct kiln_arg *args;
  size_t arg_count;
  // Instructions executed at most; 0 for 2^33.
  uint64_t budget;
} kiln_launch;

// What a launch did.
typedef struct kiln_figures {
  uint64_t instructions;
  uint64_t groups;
  uint64_t threads;
  uint64_t bytes_read;
  uint64_t bytes_written;
} kiln_figures;

// A kernel or function of a program, with all that it calls by name, and figures of it.
typedef struct kiln_part {
  // Valid until the program is recompiled or freed.
  const char *name;
  enum kiln_part_kind kind;
  // Bytes of machine code.
  size_t code_size;
  // Where kiln_program_load puts it, in bytes from the start of the image.
  size_t image_offset;
  size_t relocations;
  size_t symbols;
  // Channels of a thread.
  uint32_t simd;
  // 1 if it waits at a barrier.
  uint32_t barrier;
  // 1 if its threads must not be interrupted in the middle.
  uint32_t uninterruptible;
  // Bytes of scratch space a thread: what the vISA itself uses, then spills, then the stack.
  uint32_t scratch_bytes;
  uint32_t spill_bytes;
  uint32_t stack_bytes;
  // Registers that hold something at one time or another.
  uint32_t grf_used;
  // Messages that spill and that fill.
  uint32_t spills;
  uint32_t fills;
  // Instructions of vISA, and of machine code.
  uint64_t visa_instructions;
  uint64_t instructions;
  // Seconds that it took to compile.
  double seconds;
} kiln_part;

// A place in the code that is filled in when it is loaded.
typedef struct kiln_relocation {
  // Of the field, in bytes from the start of the part's code.
  uint32_t offset;
  enum kiln_relocation_kind kind;
  // Valid until the program is recompiled or freed.
  const char *symbol;
} kiln_relocation;

// A kernel or function within the code of a part.
typedef struct kiln_symbol {
  // Valid until the program is recompiled or freed.
  const char *name;
  // In bytes.
  uint32_t offset;
  uint32_t size;
} kiln_symbol;

// Finds the address of a symbol; 0 if it is not known. It is called by the thread that called the library, and must
// return.
typedef int32_t (*kiln_resolve)(void *user, const char *symbol, uint64_t *address);

// Where a program's code is to lie, and where it is put for that.
typedef struct kiln_load {
  // A multiple of 64, as instruction pointers count.
  uint64_t address;
  // Is asked once for each symbol that the program does not define, with `user` as its first argument; NULL if there is
  // none.
  kiln_resolve resolve;
  void *user;
  void *buffer;
  size_t capacity;
} kiln_load;

// Takes the messages of a session: one line each, with the pointer of its options.
// It is called by the thread that called the library, and must return.
typedef void (*kiln_log)(void *user, enum kiln_severity severity, const char *message);

// How a session compiles. All zero but the platform is what most want.
typedef struct kiln_options {
  // The name of a platform.
  const char *platform;
  // A kiln_tier.
  uint32_t tier;
  // General registers that may be used; 0 for all.
  uint32_t grf_limit;
  // Threads that compile and execute for the session; 0 for as many as the host has processors, 256 at most.
  uint32_t threads;
  // 1 if threads of kernels may be interrupted in the middle (mid-thread preemption), else 0.
  uint32_t preemption;
  // Takes messages, with `log_user` as its first argument; NULL for none. From as many threads as use the session.
  kiln_log log;
  void *log_user;
  // The folder of a code cache, which is made if need be; NULL for no cache. kiln_compile_inputs and
  // kiln_object_relink use it.
  const char *cache;
  // Bytes that the cache may take; 0 for 1 GiB, UINT64_MAX for no limit.
  uint64_t cache_limit;
  // 1 if object files say which lines of the source their code comes from (.debug_line), where the vISA says it,
  // else 0.
  uint32_t lines;
  // A kiln_allocator.
  uint32_t allocator;
} kiln_options;

// What a session has found in its cache and written to it since it was made, in entries.
typedef struct kiln_cache {
  uint64_t hits;
  uint64_t misses;
  // That were found damaged, and are among the misses.
  uint64_t damaged;
  uint64_t written;
  // That could not be written; the log is told once.
  uint64_t unwritten;
} kiln_cache;

// A platform.
typedef struct kiln_platform {
  // Such as "skl".
  char name[16];
  // 1 if code is made for it; the code of all can be listed and run.
  int32_t compiles;
  // General registers of a thread, and bytes of one.
  uint32_t grf_count;
  uint32_t grf_bytes;
} kiln_platform;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0".
const char *kiln_version(void);

// The KILN_ABI_VERSION that the library was made with.
uint32_t kiln_abi_version(void);

// What a result means, in words.
const char *kiln_result_text(uint32_t result);

// How many there are; of NULL none.
size_t kiln_diagnostics_count(const struct kiln_diagnostics *diagnostics);

// The one of that number, from 0: the first error, then the others in the order of the input.
enum kiln_result kiln_diagnostics_get(const struct kiln_diagnostics *diagnostics,
                                      size_t index,
                                      struct kiln_diagnostic *out);

void kiln_diagnostics_free(struct kiln_diagnostics *diagnostics);

// Makes an object file of a program that was compiled with the session. `layout` is a kiln_layout; it says what the
// bytes at `data` are that describe the kernels' arguments, or that there are none.
enum kiln_result kiln_object_make(const struct kiln_session *session,
                                  const struct kiln_program *program,
                                  uint32_t layout,
                                  const void *data,
                                  size_t size,
                                  struct kiln_object **out,
                                  struct kiln_diagnostics **diagnostics);

// Replaces the code of all kernels of an object file by code that is compiled of vISA, which is what the reference
// compiler dumps when it makes the object file: of the files, those are taken whose kernels have the names and the
// numbers of channels of the object's. Kernels without vISA are an error if `keep` is 0, and stay as they are if it is
// 1. The object that is given stays as it is.
enum kiln_result kiln_object_relink(const struct kiln_session *session,
                                    const struct kiln_object *object,
                                    const struct kiln_input *inputs,
                                    size_t count,
                                    uint32_t keep,
                                    struct kiln_object **out,
                                    struct kiln_diagnostics **diagnostics);

// Reads an object file for the session's platform, anybody's.
enum kiln_result kiln_object_read(const struct kiln_session *session,
                                  const void *data,
                                  size_t size,
                                  struct kiln_object **out,
                                  struct kiln_diagnostics **diagnostics);

void kiln_object_free(struct kiln_object *object);

// Copies the file into a buffer. Where that is too short, it gets nothing, and `size` is what is needed.
enum kiln_result kiln_object_bytes(const struct kiln_object *object,
                                   void *buffer,
                                   size_t capacity,
                                   size_t *size);

// Executes a kernel of an object file on the host, instruction by instruction, and waits for its end. Buffers among
// the arguments have the results afterwards, also when it fails; those that overlap are buffers of their own.
// `figures`, which may be NULL, are what it did. Kernels with images and samplers cannot be launched from here.
enum kiln_result kiln_object_run(const struct kiln_session *session,
                                 const struct kiln_object *object,
                                 const struct kiln_launch *launch,
                                 struct kiln_figures *figures,
                                 struct kiln_diagnostics **diagnostics);

// Reads and checks a module that is in one or several files in memory. The bytes are not needed afterwards.
// Diagnostics, which may be NULL, are what is wrong, or warnings; NULL if there is nothing.
enum kiln_result kiln_module_load(const struct kiln_session *session,
                                  const struct kiln_input *inputs,
                                  size_t count,
                                  struct kiln_module **out,
                                  struct kiln_diagnostics **diagnostics);

void kiln_module_free(struct kiln_module *module);

// Compiles a module, which stays as it is.
enum kiln_result kiln_compile(const struct kiln_session *session,
                              const struct kiln_module *module,
                              struct kiln_program **out,
                              struct kiln_diagnostics **diagnostics);

// Does the same as kiln_module_load and kiln_compile, but for warnings, which it does not say. If the session has a
// cache, what was compiled before is taken from it, and what was not is kept there.
enum kiln_result kiln_compile_inputs(const struct kiln_session *session,
                                     const struct kiln_input *inputs,
                                     size_t count,
                                     struct kiln_program **out,
                                     struct kiln_diagnostics **diagnostics);

// Compiles one kernel of a program once more, for a tier, and puts its code in the place of the one before. It takes
// the same arguments and has relocations of the same symbols. Other parts stay as they are; their places in an image
// may be others.
enum kiln_result kiln_recompile(const struct kiln_session *session,
                                const struct kiln_module *module,
                                struct kiln_program *program,
                                const char *kernel,
                                uint32_t new_tier,
                                struct kiln_diagnostics **diagnostics);

void kiln_program_free(struct kiln_program *program);

// How many kernels and functions a program has; of NULL none.
size_t kiln_program_parts(const struct kiln_program *program);

// The number of the part of that name.
enum kiln_result kiln_program_find(const struct kiln_program *program,
                                   const char *name,
                                   size_t *index);

// What is known of a part.
enum kiln_result kiln_program_part(const struct kiln_program *program,
                                   size_t index,
                                   struct kiln_part *out);

// Copies a part's machine code into a buffer. Where that is too short, it gets nothing, and `size` is what is needed.
enum kiln_result kiln_program_code(const struct kiln_program *program,
                                   size_t index,
                                   void *buffer,
                                   size_t capacity,
                                   size_t *size);

// The relocation of that number of a part.
enum kiln_result kiln_program_relocation(const struct kiln_program *program,
                                         size_t part,
                                         size_t index,
                                         struct kiln_relocation *out);

// The symbol of that number of a part: the first is its own, others are functions that it calls by name.
enum kiln_result kiln_program_symbol(const struct kiln_program *program,
                                     size_t part,
                                     size_t index,
                                     struct kiln_symbol *out);

// Puts a program's code for an address into a buffer: all parts, with their relocations filled in. Where the buffer is
// too short, it gets nothing, and `size` is what is needed.
enum kiln_result kiln_program_load(const struct kiln_session *session,
                                   const struct kiln_program *program,
                                   const struct kiln_load *load,
                                   size_t *size,
                                   struct kiln_diagnostics **diagnostics);

// Makes a session. `abi` is KILN_ABI_VERSION. Where it cannot, the log of the options is told why.
enum kiln_result kiln_session_new(uint32_t abi,
                                  const struct kiln_options *options,
                                  struct kiln_session **out);

// What a session has found in its cache and written to it; KILN_RESULT_NOT_FOUND if it has none.
enum kiln_result kiln_session_cache(const struct kiln_session *session, struct kiln_cache *out);

// Frees a session, and waits for its threads to end. What was made with it stays.
void kiln_session_free(struct kiln_session *session);

// The platform of that number, from 0; behind the last, KILN_RESULT_NOT_FOUND.
enum kiln_result kiln_platform_get(size_t index, struct kiln_platform *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KILN_H */
