// Kiln, a finalizer for Intel GPUs, as a C library: vISA in, Gen machine code out.
// Made by cbindgen from capi/src; docs/embedding.md is the guide.
//
// Handles are opaque, and each type has a function that frees it; freeing NULL does nothing. A function that can fail
// returns a kiln_result; after a failure its other results are NULL or 0. NULL where it is not allowed is an error.
// Strings are UTF-8 and end in a zero byte; returned strings are valid until their handle is freed or, where a comment
// says so, changed.
//
// There is no global state but where memory comes from (kiln_memory_set). Several threads may use a handle at the same time in functions that take it as const;
// other functions need exclusive use.

#ifndef KILN_H
#define KILN_H

#include <stddef.h>
#include <stdint.h>

// Version of this interface: of its functions, and of the layout of its structures. It grows whenever programs must
// be recompiled. Pass it to kiln_session_new.
#define KILN_ABI_VERSION 5

// Result of a call.
typedef enum kiln_result {
  KILN_RESULT_OK = 0,
  // A pointer is NULL that must not be.
  KILN_RESULT_NULL = 1,
  // A number is unknown or too large, or a pointer is not aligned.
  KILN_RESULT_ARGUMENT = 2,
  // A string is not UTF-8.
  KILN_RESULT_UTF8 = 3,
  // The program was compiled with another version of kiln.h.
  KILN_RESULT_ABI = 4,
  // There is no object of that name or index.
  KILN_RESULT_NOT_FOUND = 5,
  // The buffer is too short; the required size is returned.
  KILN_RESULT_SHORT_BUFFER = 6,
  // The input has errors, or instructions that are not supported: see the diagnostics.
  KILN_RESULT_VISA = 7,
  // Code cannot be loaded there, or a symbol has no address.
  KILN_RESULT_LOAD = 8,
  // No object file can be made or read.
  KILN_RESULT_OBJECT = 9,
  // The kernel cannot be launched so, or its execution failed.
  KILN_RESULT_RUN = 10,
  // The system has no memory or threads, or the cache's folder cannot be used: see the log.
  KILN_RESULT_SYSTEM = 11,
  // An internal error. The objects of the call are unchanged.
  KILN_RESULT_INTERNAL = 12,
  // The compilation was cancelled, or took longer than the session's limit.
  KILN_RESULT_STOPPED = 13,
} kiln_result;

// Severity of a message.
typedef enum kiln_severity {
  KILN_SEVERITY_ERROR = 0,
  // Legal, but probably a mistake.
  KILN_SEVERITY_WARNING = 1,
  // Occurs only in the log.
  KILN_SEVERITY_INFO = 2,
} kiln_severity;

// Kind of a part of a program.
typedef enum kiln_part_kind {
  // Threads are dispatched to it.
  KILN_PART_KIND_KERNEL = 0,
  // Code that is called by its address.
  KILN_PART_KIND_FUNCTION = 1,
} kiln_part_kind;

// Value of a relocated field.
typedef enum kiln_relocation_kind {
  // The address, 64 bits.
  KILN_RELOCATION_KIND_ADDRESS = 0,
  // Low 32 bits of the address.
  KILN_RELOCATION_KIND_ADDRESS_LOW = 1,
  // High 32 bits of the address.
  KILN_RELOCATION_KIND_ADDRESS_HIGH = 2,
  // The distance from the start of the instruction, which is 12 bytes before the field, 32 bits.
  KILN_RELOCATION_KIND_DISTANCE = 3,
} kiln_relocation_kind;

// Priority of a compilation.
typedef enum kiln_tier {
  // Fast code.
  KILN_TIER_BEST = 0,
  // Short compile time.
  KILN_TIER_QUICK = 1,
} kiln_tier;

// The allocator of general registers.
typedef enum kiln_allocator {
  // A walk over the code that spills by distance to the next use.
  KILN_ALLOCATOR_SCAN = 0,
  // regalloc2's, which splits live ranges and revises what it assigned.
  KILN_ALLOCATOR_ION = 1,
} kiln_allocator;

// Format of the argument layout that an object file needs.
typedef enum kiln_layout {
  // An object file of the same program, or a `.ze_info` document.
  KILN_LAYOUT_INFO = 0,
  // An interface: a document with the meaning of each input, written by hand or by a compiler.
  KILN_LAYOUT_INTERFACE = 1,
  // The inputs of the vISA alone, each of which is taken for an argument.
  KILN_LAYOUT_INPUTS = 2,
} kiln_layout;

// Kind of a kernel's argument.
typedef enum kiln_arg_kind {
  // Memory that the kernel reads and writes: `size` bytes at `data`, which contain its results afterwards.
  KILN_ARG_KIND_BUFFER = 0,
  // A value: `size` bytes at `data`, as many as the argument's type has.
  KILN_ARG_KIND_VALUE = 1,
  // `size` bytes of shared local memory; `data` is ignored.
  KILN_ARG_KIND_LOCAL = 2,
} kiln_arg_kind;

// Findings of one call.
typedef struct kiln_diagnostics kiln_diagnostics;

// A module that was read and checked, and can be compiled any number of times.
typedef struct kiln_module kiln_module;

// An object file.
typedef struct kiln_object kiln_object;

// Machine code of a module: kernels, then functions that are called by address.
typedef struct kiln_program kiln_program;

// Options, threads and a log. Several threads may use it at the same time.
typedef struct kiln_session kiln_session;

// An error or warning. Its strings are valid until the diagnostics are freed.
typedef struct kiln_diagnostic {
  enum kiln_severity severity;
  // Identifies the kind of error, such as "V0014". Codes are stable and never reused.
  const char *code;
  // Name of the input, or NULL.
  const char *file;
  // The kernel or function, or NULL.
  const char *kernel;
  // Text of the instruction if the input is no text, or NULL.
  const char *text;
  const char *message;
  // Index of the instruction, or -1.
  int64_t instruction;
  // Line and column in a text, from 1, else 0. Columns count bytes.
  uint32_t line;
  uint32_t column;
  // Offset in a binary object in bytes, or -1.
  int64_t offset;
} kiln_diagnostic;

// Estimated cycles of a thread, by cause.
typedef struct kiln_cost {
  // All cycles, the sum of the parts below.
  double cycles;
  // Issue of instructions.
  double issue;
  // Bank conflicts between sources.
  double banks;
  // Waits for the result of a computation.
  double results;
  // Waits for a message's response, or for the read of its payload.
  double messages;
  // Waits for a busy unit.
  double units;
} kiln_cost;

// Numbers of registers that live while an instruction executes.
typedef struct kiln_live {
  // Offset of the instruction in the part's code, in bytes.
  uint32_t offset;
  // General registers of which a byte lives, and bytes that live.
  uint32_t grfs;
  uint32_t bytes;
  // General registers of which nothing certainly lives, but that an access through an address may read.
  uint32_t maybe;
  // Halves of flags (16 channels).
  uint32_t flags;
  uint32_t accumulators;
  // Words of the address register.
  uint32_t addresses;
} kiln_live;

// Gives memory of that size and alignment (a power of two), or NULL, which ends the process. Every thread may call it;
// it must return, and must not call the library.
typedef void *(*kiln_allocate)(void *user, size_t size, size_t alignment);

// Frees memory, given with its size and alignment. Every thread may call it; it must return, and must not call the
// library.
typedef void (*kiln_free)(void *user, void *memory, size_t size, size_t alignment);

// Functions for the library's memory, and the first argument of both.
typedef struct kiln_memory {
  kiln_allocate allocate;
  kiln_free free;
  void *user;
} kiln_memory;

// A file of vISA in memory, text or binary.
typedef struct kiln_input {
  // Name for messages; may be NULL.
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
  // Name of the kernel.
  const char *kernel;
  // 1 to 3; sizes of other dimensions are ignored.
  uint32_t dimensions;
  // Work-items in each dimension: a multiple of those of a group.
  uint32_t global[3];
  // Work-items of a group.
  uint32_t local[3];
  const struct kiln_arg *args;
  size_t arg_count;
  // Maximum number of executed instructions; 0 for 2^33.
  uint64_t budget;
} kiln_launch;

// Figures of a launch.
typedef struct kiln_figures {
  uint64_t instructions;
  uint64_t groups;
  uint64_t threads;
  uint64_t bytes_read;
  uint64_t bytes_written;
} kiln_figures;

// A kernel or function of a program, with the functions that it calls by name, and its figures.
typedef struct kiln_part {
  // Valid until the program is recompiled or freed.
  const char *name;
  enum kiln_part_kind kind;
  // Bytes of machine code.
  size_t code_size;
  // Offset in the image of kiln_program_load, in bytes.
  size_t image_offset;
  size_t relocations;
  size_t symbols;
  // Number of channels of a thread.
  uint32_t simd;
  // 1 if it waits at a barrier.
  uint32_t barrier;
  // 1 if its threads must not be interrupted in the middle of the code.
  uint32_t uninterruptible;
  // 1 if its threads must not run in pairs of execution units.
  uint32_t unpaired;
  // Bytes of scratch space of a thread: data of the vISA, spill slots, and the stack.
  uint32_t scratch_bytes;
  uint32_t spill_bytes;
  uint32_t stack_bytes;
  // Registers that are used anywhere.
  uint32_t grf_used;
  // Messages that spill, and that fill.
  uint32_t spills;
  uint32_t fills;
  // Instructions of vISA, and of machine code.
  uint64_t visa_instructions;
  uint64_t instructions;
  // Seconds of compilation.
  double seconds;
} kiln_part;

// A field in the code that loading fills in.
typedef struct kiln_relocation {
  // Offset of the field in bytes from the start of the part's code.
  uint32_t offset;
  enum kiln_relocation_kind kind;
  // Valid until the program is recompiled or freed.
  const char *symbol;
} kiln_relocation;

// A kernel or function within the code of a part.
typedef struct kiln_symbol {
  // Valid until the program is recompiled or freed.
  const char *name;
  // Offset and size in bytes.
  uint32_t offset;
  uint32_t size;
} kiln_symbol;

// Resolves a symbol; returns 0 if it is unknown. It is called by the thread that called the library, and must return.
typedef int32_t (*kiln_resolve)(void *user, const char *symbol, uint64_t *address);

// Address of a program's code, and buffer for it.
typedef struct kiln_load {
  // Address as an instruction pointer, a multiple of 64.
  uint64_t address;
  // Called once for each symbol that the program does not define, with `user` as its first argument; NULL if there
  // is none.
  kiln_resolve resolve;
  void *user;
  void *buffer;
  size_t capacity;
} kiln_load;

// Receives the messages of a session, one line each, with the pointer of its options. It is called by the thread that
// called the library, and must return.
typedef void (*kiln_log)(void *user, enum kiln_severity severity, const char *message);

// Looks an entry of a code cache up: copies it to `value` if it has no more than `capacity` bytes, and returns its
// size, or 0 if there is none. The key has `key_size` bytes, the first argument is the pointer of the options. Every
// thread of the session may call it; it must return.
typedef size_t (*kiln_cache_get)(void *user,
                                 const void *key,
                                 size_t key_size,
                                 void *value,
                                 size_t capacity);

// Keeps an entry of a code cache; returns 0 if it cannot be kept, which stops no compilation. Every thread of the
// session may call it; it must return.
typedef int32_t (*kiln_cache_put)(void *user,
                                  const void *key,
                                  size_t key_size,
                                  const void *value,
                                  size_t size);

// Options of a session. Zero is the default of all but the platform.
typedef struct kiln_options {
  // Name of a platform.
  const char *platform;
  // A kiln_tier.
  uint32_t tier;
  // Maximum number of general registers; 0 for all.
  uint32_t grf_limit;
  // Number of threads that compile and execute for the session; 0 for the number of processors, 256 at most.
  uint32_t threads;
  // 1 if threads of kernels may be interrupted in the middle (mid-thread preemption), else 0.
  uint32_t preemption;
  // Receives messages, with `log_user` as its first argument; NULL for none. Every thread that uses the session may
  // call it.
  kiln_log log;
  void *log_user;
  // Folder of a code cache, created if necessary; NULL for no cache. kiln_compile_inputs and kiln_object_relink use
  // it.
  const char *cache;
  // Maximum size of the cache in bytes; 0 for 1 GiB, UINT64_MAX for no limit.
  uint64_t cache_limit;
  // 1 if object files get the source lines of their code (.debug_line), where the vISA has any, else 0.
  uint32_t lines;
  // A kiln_allocator.
  uint32_t allocator;
  // Functions that keep a code cache instead of a folder, with `cache_user` as their first argument: both or none.
  kiln_cache_get cache_get;
  kiln_cache_put cache_put;
  void *cache_user;
  // Milliseconds after which a call that compiles ends with KILN_RESULT_STOPPED, at the end of the pass that runs; 0 for
  // no limit.
  uint64_t time_limit;
} kiln_options;

// Lookups and writes of a session's cache since the session was made, in entries.
typedef struct kiln_cache {
  uint64_t hits;
  uint64_t misses;
  // Damaged entries, which count as misses too.
  uint64_t damaged;
  uint64_t written;
  // Entries that could not be written; the log has one message.
  uint64_t unwritten;
} kiln_cache;

// A platform.
typedef struct kiln_platform {
  // Name, such as "skl".
  char name[16];
  // 1 if Kiln compiles for it; machine code of every platform can be listed and executed.
  int32_t compiles;
  // Number of general registers of a thread, and bytes of one.
  uint32_t grf_count;
  uint32_t grf_bytes;
} kiln_platform;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Version of the library, such as "0.1.0".
const char *kiln_version(void);

// The KILN_ABI_VERSION that the library was built with.
uint32_t kiln_abi_version(void);

// Description of a result.
const char *kiln_result_text(uint32_t result);

// Number of diagnostics; 0 for NULL.
size_t kiln_diagnostics_count(const struct kiln_diagnostics *diagnostics);

// The diagnostic of an index, from 0: the first error, then the others in the order of the input.
enum kiln_result kiln_diagnostics_get(const struct kiln_diagnostics *diagnostics,
                                      size_t index,
                                      struct kiln_diagnostic *out);

void kiln_diagnostics_free(struct kiln_diagnostics *diagnostics);

// Writes the listing of a part into a buffer: one instruction a line, and a zero byte at the end, which `size` counts.
// If the buffer is too short, nothing is written, and `size` is the required size.
enum kiln_result kiln_program_listing(const struct kiln_program *program,
                                      size_t part,
                                      char *text,
                                      size_t capacity,
                                      size_t *size);

// The estimated cycles of a thread of a part, each loop taken to run ten times.
enum kiln_result kiln_program_cost(const struct kiln_program *program,
                                   size_t part,
                                   struct kiln_cost *out);

// Copies what lives at each instruction of a part into an array of `capacity` records. If it is too short, nothing is
// copied, and `count` is the required number.
enum kiln_result kiln_program_live(const struct kiln_program *program,
                                   size_t part,
                                   struct kiln_live *points,
                                   size_t capacity,
                                   size_t *count);

// Takes all memory of the library from the caller's functions, in the whole process and for good. It is the first call
// of the library: after any other that needed memory, the result is KILN_RESULT_ARGUMENT, and nothing changes.
enum kiln_result kiln_memory_set(const struct kiln_memory *memory);

// Makes an object file of a program that was compiled with the session. `layout` is a kiln_layout: the format of the
// argument layout in the bytes at `data`.
enum kiln_result kiln_object_make(const struct kiln_session *session,
                                  const struct kiln_program *program,
                                  uint32_t layout,
                                  const void *data,
                                  size_t size,
                                  struct kiln_object **out,
                                  struct kiln_diagnostics **diagnostics);

// Replaces the code of all kernels of an object file by code compiled from vISA, the dump that the reference compiler
// makes together with the object file. Files are selected by the names and SIMD sizes of their kernels. Kernels
// without vISA are an error if `keep` is 0, and stay as they are if it is 1. The given object is not changed.
enum kiln_result kiln_object_relink(const struct kiln_session *session,
                                    const struct kiln_object *object,
                                    const struct kiln_input *inputs,
                                    size_t count,
                                    uint32_t keep,
                                    struct kiln_object **out,
                                    struct kiln_diagnostics **diagnostics);

// Makes the code of an object file for the session's platform from the vISA that it carries: the reference compiler
// writes it for its internal options `-emit-visa-only -emit-zebin-visa-sections`. Code that is there is replaced.
// `strip_visa` and `strip_spirv` are 1 to leave the sections with vISA and with SPIR-V out of the result, else 0.
enum kiln_result kiln_object_finalize(const struct kiln_session *session,
                                      const void *data,
                                      size_t size,
                                      uint32_t strip_visa,
                                      uint32_t strip_spirv,
                                      struct kiln_object **out,
                                      struct kiln_diagnostics **diagnostics);

// Reads an object file of any compiler for the session's platform.
enum kiln_result kiln_object_read(const struct kiln_session *session,
                                  const void *data,
                                  size_t size,
                                  struct kiln_object **out,
                                  struct kiln_diagnostics **diagnostics);

void kiln_object_free(struct kiln_object *object);

// Copies the file into a buffer. If the buffer is too short, nothing is copied, and `size` is the required size.
enum kiln_result kiln_object_bytes(const struct kiln_object *object,
                                   void *buffer,
                                   size_t capacity,
                                   size_t *size);

// Executes a kernel of an object file on the host and waits for its end. Buffers among the arguments have the results
// afterwards, also after a failure; overlapping buffers are separate buffers for the kernel. `figures` may be NULL.
// KILN_RESULT_NOT_FOUND if the object file has no kernel of that name. Kernels with images and samplers cannot be
// launched from here.
enum kiln_result kiln_object_run(const struct kiln_session *session,
                                 const struct kiln_object *object,
                                 const struct kiln_launch *launch,
                                 struct kiln_figures *figures,
                                 struct kiln_diagnostics **diagnostics);

// Reads and checks a module that is in one or several files in memory. The bytes are not needed afterwards. An object
// that several files have with equal contents is taken once; KILN_RESULT_ARGUMENT if there is no file.
// `diagnostics` may be NULL; it returns errors or warnings, or NULL if there are none.
enum kiln_result kiln_module_load(const struct kiln_session *session,
                                  const struct kiln_input *inputs,
                                  size_t count,
                                  struct kiln_module **out,
                                  struct kiln_diagnostics **diagnostics);

void kiln_module_free(struct kiln_module *module);

// Compiles a module. The module is not changed.
enum kiln_result kiln_compile(const struct kiln_session *session,
                              const struct kiln_module *module,
                              struct kiln_program **out,
                              struct kiln_diagnostics **diagnostics);

// As kiln_module_load followed by kiln_compile, without the warnings. If the session has a cache, the program is
// looked up in it, and stored if it was compiled.
enum kiln_result kiln_compile_inputs(const struct kiln_session *session,
                                     const struct kiln_input *inputs,
                                     size_t count,
                                     struct kiln_program **out,
                                     struct kiln_diagnostics **diagnostics);

// Compiles one kernel of a program again for another tier, and replaces its code. Arguments, and the symbols of
// relocations, stay the same. Other parts do not change, but their offsets in an image may.
enum kiln_result kiln_recompile(const struct kiln_session *session,
                                const struct kiln_module *module,
                                struct kiln_program *program,
                                const char *kernel,
                                uint32_t new_tier,
                                struct kiln_diagnostics **diagnostics);

void kiln_program_free(struct kiln_program *program);

// Number of kernels and functions of a program; 0 for NULL.
size_t kiln_program_parts(const struct kiln_program *program);

// The index of the part of that name.
enum kiln_result kiln_program_find(const struct kiln_program *program,
                                   const char *name,
                                   size_t *index);

// Facts about a part.
enum kiln_result kiln_program_part(const struct kiln_program *program,
                                   size_t index,
                                   struct kiln_part *out);

// Copies a part's machine code into a buffer. If the buffer is too short, nothing is copied, and `size` is the
// required size.
enum kiln_result kiln_program_code(const struct kiln_program *program,
                                   size_t index,
                                   void *buffer,
                                   size_t capacity,
                                   size_t *size);

// The relocation of an index of a part.
enum kiln_result kiln_program_relocation(const struct kiln_program *program,
                                         size_t part,
                                         size_t index,
                                         struct kiln_relocation *out);

// The symbol of an index of a part: the first is its own, the others are functions that it calls by name.
enum kiln_result kiln_program_symbol(const struct kiln_program *program,
                                     size_t part,
                                     size_t index,
                                     struct kiln_symbol *out);

// Copies a program's code for an address into a buffer: all parts, with their relocations resolved. If the buffer is
// too short, nothing is copied, and `size` is the required size.
enum kiln_result kiln_program_load(const struct kiln_session *session,
                                   const struct kiln_program *program,
                                   const struct kiln_load *load,
                                   size_t *size,
                                   struct kiln_diagnostics **diagnostics);

// Makes a session. `abi` is KILN_ABI_VERSION. The reason of a failure is reported to the log of the options.
enum kiln_result kiln_session_new(uint32_t abi,
                                  const struct kiln_options *options,
                                  struct kiln_session **out);

// Ends the calls that compile now for a session, on any thread, each at the end of the pass that runs: their result is
// KILN_RESULT_STOPPED. Later calls are not concerned.
enum kiln_result kiln_session_cancel(const struct kiln_session *session);

// Lookups and writes of a session's cache; KILN_RESULT_NOT_FOUND if it has none.
enum kiln_result kiln_session_cache(const struct kiln_session *session, struct kiln_cache *out);

// Frees a session, and waits for its threads to end. Objects made with it stay valid.
void kiln_session_free(struct kiln_session *session);

// The platform of an index, from 0; KILN_RESULT_NOT_FOUND after the last.
enum kiln_result kiln_platform_get(size_t index, struct kiln_platform *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* KILN_H */
