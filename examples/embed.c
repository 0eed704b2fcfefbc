/* Kiln within a C program: compiles a kernel in memory, patches its code for an address, makes an object file, runs it
 * on the host, compiles from eight threads at once, takes code from a cache, and replaces the code of an object file.
 *
 *     main KERNEL.visaasm KERNEL.zebin CACHE
 *
 * The kernel is that of examples/saxpy: y[i] = a * x[i] + y[i]. The second file has the layout of its arguments, the
 * third is a folder for the cache, which is made if need be. */
#include <kiln.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, THREADS = 8 };

/* Ends the program if a call did not succeed, with all that is known of why. What the call found is freed; it is given
 * by its place, since C may evaluate it before the call. */
static void check(kiln_result result, kiln_diagnostics **found, const char *what) {
    kiln_diagnostics *diagnostics = found != NULL ? *found : NULL;
    for (size_t i = 0; i < kiln_diagnostics_count(diagnostics); i++) {
        kiln_diagnostic d;
        kiln_diagnostics_get(diagnostics, i, &d);
        fprintf(stderr, "%s:%u:%u: %s: %s\n", d.file ? d.file : "?", d.line, d.column, d.code, d.message);
    }
    kiln_diagnostics_free(diagnostics);
    if (result != KILN_RESULT_OK) {
        fprintf(stderr, "%s: %s\n", what, kiln_result_text(result));
        exit(1);
    }
}

static void log_line(void *user, kiln_severity severity, const char *message) {
    static const char *const names[] = {"error", "warning", "info"};
    fprintf(user, "[%s] %s\n", names[severity], message);
}

/* All of a file; the caller frees it. */
static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(1);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*size);
    if (data == NULL || fread(data, 1, *size, file) != *size) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return data;
}

static kiln_program *compile(const kiln_session *session, const void *visa, size_t visa_size) {
    kiln_input input = {.name = "saxpy.visaasm", .data = visa, .size = visa_size};
    kiln_module *module;
    kiln_program *program;
    kiln_diagnostics *found;
    check(kiln_module_load(session, &input, 1, &module, &found), &found, "load");
    check(kiln_compile(session, module, &program, &found), &found, "compile");
    kiln_module_free(module);
    return program;
}

/* The machine code of a kernel, in a buffer of the right size; the caller frees it. */
static void *code_of(const kiln_program *program, const char *kernel, size_t *size) {
    size_t index;
    kiln_part part;
    check(kiln_program_find(program, kernel, &index), NULL, "find");
    check(kiln_program_part(program, index, &part), NULL, "part");
    void *code = malloc(part.code_size);
    check(kiln_program_code(program, index, code, part.code_size, size), NULL, "code");
    return code;
}

/* Of a kernel that was compiled quickly, better code. */
static void recompile(const kiln_session *session, const void *visa, size_t visa_size) {
    kiln_input input = {.name = "saxpy.visaasm", .data = visa, .size = visa_size};
    kiln_module *module;
    kiln_program *program;
    kiln_diagnostics *found;
    check(kiln_module_load(session, &input, 1, &module, &found), &found, "load");
    check(kiln_compile(session, module, &program, &found), &found, "compile");
    /* The program is in use, and saxpy turns out to be hot. */
    check(kiln_recompile(session, module, program, "saxpy", KILN_TIER_BEST, &found), &found, "recompile");
    kiln_program_free(program);
    kiln_module_free(module);
}

static int32_t find_symbol(void *user, const char *symbol, uint64_t *address) {
    (void)user;
    if (strcmp(symbol, "table") != 0) {
        return 0;
    }
    *address = 0xffff800000001000;
    return 1;
}

/* What a driver puts into memory that the device sees. */
static void patch(const kiln_session *session, const kiln_program *program) {
    kiln_load load = {.address = 0x10000, .resolve = find_symbol};
    kiln_diagnostics *found;
    size_t size;
    /* No buffer: how long must it be? */
    if (kiln_program_load(session, program, &load, &size, NULL) != KILN_RESULT_SHORT_BUFFER) {
        check(KILN_RESULT_INTERNAL, NULL, "a buffer of no bytes");
    }
    void *image = malloc(size);
    load.buffer = image;
    load.capacity = size;
    check(kiln_program_load(session, program, &load, &size, &found), &found, "patch");
    printf("an image of %zu bytes\n", size);
    free(image);
}

/* y = 2 * x + y on the host. */
static void run(const kiln_session *session, const kiln_program *program, const void *info, size_t info_size) {
    kiln_diagnostics *found;
    kiln_object *object;
    kiln_result result = kiln_object_make(session, program, KILN_LAYOUT_INFO, info, info_size, &object, &found);
    check(result, &found, "object file");

    float x[COUNT], y[COUNT], a = 2;
    uint32_t count = COUNT;
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    kiln_arg args[] = {
        {KILN_ARG_KIND_BUFFER, x, sizeof x},
        {KILN_ARG_KIND_BUFFER, y, sizeof y},
        {KILN_ARG_KIND_VALUE, &a, sizeof a},
        {KILN_ARG_KIND_VALUE, &count, sizeof count},
    };
    kiln_launch launch = {
        .kernel = "saxpy",
        .dimensions = 1,
        .global = {1024},
        .local = {64},
        .args = args,
        .arg_count = sizeof args / sizeof *args,
    };
    kiln_figures figures;
    check(kiln_object_run(session, object, &launch, &figures, &found), &found, "run");
    for (int i = 0; i < COUNT; i++) {
        if (y[i] != 2 * x[i] + 1) {
            fprintf(stderr, "y[%d] is %g\n", i, y[i]);
            exit(1);
        }
    }
    printf("%d numbers are right: %llu instructions\n", COUNT, (unsigned long long)figures.instructions);
    kiln_object_free(object);
}

/* What was compiled before is read from the cache, also what another process compiled. */
static void compile_with_cache(const char *folder, const void *visa, size_t visa_size) {
    kiln_options options = {.platform = "skl", .cache = folder};
    kiln_session *session;
    check(kiln_session_new(KILN_ABI_VERSION, &options, &session), NULL, "session");

    kiln_input input = {.name = "saxpy.visaasm", .data = visa, .size = visa_size};
    kiln_diagnostics *found;
    for (int i = 0; i < 2; i++) {
        kiln_program *program;
        check(kiln_compile_inputs(session, &input, 1, &program, &found), &found, "compile");
        kiln_program_free(program);
    }
    kiln_cache counts;
    check(kiln_session_cache(session, &counts), NULL, "cache");
    if (counts.hits == 0) {
        check(KILN_RESULT_INTERNAL, NULL, "nothing was in the cache");
    }
    kiln_session_free(session);
}

/* The reference compiler's object file with our code in it. */
static void relink(const kiln_session *session, const void *theirs, size_t size, const void *visa, size_t visa_size) {
    kiln_input input = {.name = "saxpy.visaasm", .data = visa, .size = visa_size};
    kiln_diagnostics *found;
    kiln_object *before, *after;
    check(kiln_object_read(session, theirs, size, &before, &found), &found, "read");
    check(kiln_object_relink(session, before, &input, 1, 0, &after, &found), &found, "relink");
    check(kiln_object_bytes(after, NULL, 0, &size) == KILN_RESULT_SHORT_BUFFER ? KILN_RESULT_OK : KILN_RESULT_INTERNAL,
          NULL, "size");
    printf("an object file of %zu bytes\n", size);
    kiln_object_free(after);
    kiln_object_free(before);
}

/* A module with two errors gives two records, and no program. */
static void diagnose(const kiln_session *session) {
    static const char text[] = ".version 3.6\n"
                               ".kernel \"wrong\"\n"
                               ".decl V32 v_type=G type=d num_elts=8 align=hword\n"
                               "    add (M1, 8) V32(0,4)<1> V32(0,0)<1;1,0> 0x1:d\n"
                               "    mov (M1, 8) V32(9,0)<1> 0x1:d\n"
                               "    ret (M1, 1)\n";
    kiln_input input = {.name = "wrong.visaasm", .data = text, .size = sizeof text - 1};
    kiln_module *module;
    kiln_diagnostics *found;
    kiln_result result = kiln_module_load(session, &input, 1, &module, &found);
    if (result != KILN_RESULT_VISA || module != NULL || kiln_diagnostics_count(found) < 2) {
        check(KILN_RESULT_INTERNAL, &found, "a wrong module");
    }
    kiln_diagnostic d;
    check(kiln_diagnostics_get(found, 0, &d), NULL, "diagnostics");
    if (strcmp(d.code, "V0014") != 0 || d.line != 4 || d.column != 5 || d.instruction != 0) {
        check(KILN_RESULT_INTERNAL, &found, "a record");
    }
    kiln_diagnostics_free(found);
}

/* What each of the threads does: the code is always the same. */
struct work {
    const kiln_session *session;
    const void *visa, *code;
    size_t visa_size, code_size;
};

static void *compile_and_compare(void *user) {
    const struct work *work = user;
    for (int i = 0; i < 4; i++) {
        kiln_program *program = compile(work->session, work->visa, work->visa_size);
        size_t size;
        void *code = code_of(program, "saxpy", &size);
        if (size != work->code_size || memcmp(code, work->code, size) != 0) {
            fprintf(stderr, "other code\n");
            exit(1);
        }
        free(code);
        kiln_program_free(program);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: main KERNEL.visaasm KERNEL.zebin CACHE\n");
        return 2;
    }
    size_t visa_size, info_size;
    void *visa = read_file(argv[1], &visa_size);
    void *info = read_file(argv[2], &info_size);
    printf("Kiln %s, ABI %u\n", kiln_version(), kiln_abi_version());

    kiln_options options = {.platform = "skl", .log = log_line, .log_user = stdout};
    kiln_session *session;
    check(kiln_session_new(KILN_ABI_VERSION, &options, &session), NULL, "session");
    kiln_program *program = compile(session, visa, visa_size);

    struct work work = {.session = session, .visa = visa, .visa_size = visa_size};
    void *code = code_of(program, "saxpy", &work.code_size);
    work.code = code;
    patch(session, program);
    run(session, program, info, info_size);
    relink(session, info, info_size, visa, visa_size);
    compile_with_cache(argv[3], visa, visa_size);
    diagnose(session);

    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, compile_and_compare, &work) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }

    kiln_options quick = {.platform = "skl", .tier = KILN_TIER_QUICK, .threads = 1};
    kiln_session *quick_session;
    check(kiln_session_new(KILN_ABI_VERSION, &quick, &quick_session), NULL, "session");
    recompile(quick_session, visa, visa_size);

    kiln_session_free(quick_session);
    kiln_program_free(program);
    kiln_session_free(session);
    free(code);
    free(info);
    free(visa);
    return 0;
}
