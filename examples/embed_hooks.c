/* Kiln within a driver or a service: memory from its own functions, entries of the code cache in its own place, compilations that end
 * when they take too long; and looks at the code: its listing, its cost, its live registers.
 *
 *     hooks KERNEL.visaasm */
#include <kiln.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if something is not as it should be. */
static void expect(int holds, const char *what) {
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static void check(kiln_result result, const char *what) {
    if (result != KILN_RESULT_OK) {
        fprintf(stderr, "%s: %s\n", what, kiln_result_text(result));
        exit(1);
    }
}

/* Bytes that the library has. Every thread of it allocates, so that the counter is atomic. */
struct heap {
    size_t bytes, calls;
};

static void *heap_allocate(void *user, size_t size, size_t alignment) {
    struct heap *heap = user;
    void *memory = NULL;
    if (posix_memalign(&memory, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0) {
        return NULL;
    }
    __atomic_add_fetch(&heap->bytes, size, __ATOMIC_RELAXED);
    __atomic_add_fetch(&heap->calls, 1, __ATOMIC_RELAXED);
    return memory;
}

static void heap_free(void *user, void *memory, size_t size, size_t alignment) {
    struct heap *heap = user;
    (void)alignment;
    __atomic_sub_fetch(&heap->bytes, size, __ATOMIC_RELAXED);
    free(memory);
}

/* The only entry of a cache; a service would ask its store. */
struct entry {
    unsigned char key[32];
    void *value;
    size_t size;
};

static size_t entry_get(void *user, const void *key, size_t key_size, void *value, size_t capacity) {
    struct entry *entry = user;
    if (entry->size == 0 || memcmp(entry->key, key, key_size) != 0) {
        return 0;
    }
    if (entry->size <= capacity) {
        memcpy(value, entry->value, entry->size);
    }
    return entry->size;
}

static int32_t entry_put(void *user, const void *key, size_t key_size, const void *value, size_t size) {
    struct entry *entry = user;
    free(entry->value);
    entry->value = malloc(size);
    if (key_size != sizeof entry->key || entry->value == NULL) {
        return 0;
    }
    memcpy(entry->key, key, key_size);
    memcpy(entry->value, value, size);
    entry->size = size;
    return 1;
}

static void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    expect(file != NULL && fseek(file, 0, SEEK_END) == 0, path);
    *size = (size_t)ftell(file);
    rewind(file);
    void *data = malloc(*size);
    expect(data != NULL && fread(data, 1, *size, file) == *size, path);
    fclose(file);
    return data;
}

/* The listing, the cost and the live registers of the first kernel. */
static void look(const kiln_program *program) {
    size_t size, count;
    expect(kiln_program_listing(program, 0, NULL, 0, &size) == KILN_RESULT_SHORT_BUFFER, "a listing of nothing");
    char *text = malloc(size);
    check(kiln_program_listing(program, 0, text, size, &size), "listing");
    kiln_cost cost;
    check(kiln_program_cost(program, 0, &cost), "cost");
    expect(kiln_program_live(program, 0, NULL, 0, &count) == KILN_RESULT_SHORT_BUFFER, "no instructions");
    kiln_live *points = malloc(count * sizeof *points);
    check(kiln_program_live(program, 0, points, count, &count), "live");
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most = points[i].grfs > most ? points[i].grfs : most;
    }
    expect(strlen(text) + 1 == size && cost.cycles > 0 && most > 0, "a look at the code");
    printf("%zu instructions, %.0f cycles, at most %u registers live\n", count, cost.cycles, most);
    free(points);
    free(text);
}

/* A kernel of 20,000 instructions in more variables than there are registers. */
static char *long_kernel(void) {
    char *text = malloc(1 << 21), *to = text;
    to += sprintf(to, ".version 3.6\n.kernel \"long\"\n");
    for (int i = 0; i < 200; i++) {
        to += sprintf(to, ".decl W%d v_type=G type=d num_elts=16 align=hword\n", i);
    }
    for (int i = 0; i < 200; i++) {
        to += sprintf(to, "    mov (M1, 16) W%d(0,0)<1> 0x1:d\n", i);
    }
    for (int i = 0; i < 20000; i++) {
        to += sprintf(to, "    add (M1, 16) W%d(0,0)<1> W%d(0,0)<1;1,0> W%d(0,0)<1;1,0>\n", i * 7 % 200, i * 7 % 200, i * 13 % 200);
    }
    sprintf(to, "    ret (M1, 1)\n");
    return text;
}

int main(int argc, char **argv) {
    expect(argc == 2, "usage: hooks KERNEL.visaasm");
    /* Before any other call. */
    struct heap heap = {0};
    kiln_memory memory = {.allocate = heap_allocate, .free = heap_free, .user = &heap};
    check(kiln_memory_set(&memory), "memory");
    expect(kiln_memory_set(&memory) == KILN_RESULT_ARGUMENT, "memory is set once");

    size_t size;
    void *visa = read_file(argv[1], &size);
    kiln_input input = {.name = argv[1], .data = visa, .size = size};
    struct entry entry = {0};
    kiln_options options = {.platform = "skl", .cache_get = entry_get, .cache_put = entry_put, .cache_user = &entry};
    kiln_session *session;
    check(kiln_session_new(KILN_ABI_VERSION, &options, &session), "session");
    for (int i = 0; i < 2; i++) {
        kiln_program *program;
        check(kiln_compile_inputs(session, &input, 1, &program, NULL), "compile");
        look(program);
        kiln_program_free(program);
    }
    kiln_cache counts;
    check(kiln_session_cache(session, &counts), "cache");
    expect(counts.hits == 1 && counts.written == 1, "an entry is written and found");
    kiln_session_free(session);

    /* A millisecond is too short for this kernel. */
    char *text = long_kernel();
    kiln_input much = {.name = "long", .data = text, .size = strlen(text)};
    kiln_options hurried = {.platform = "skl", .time_limit = 1};
    kiln_program *program;
    check(kiln_session_new(KILN_ABI_VERSION, &hurried, &session), "session");
    expect(kiln_compile_inputs(session, &much, 1, &program, NULL) == KILN_RESULT_STOPPED, "a time limit");
    kiln_session_free(session);

    expect(heap.calls > 100, "memory of the library's own");
    printf("%zu bytes are left of %zu allocations\n", heap.bytes, heap.calls);
    free(text);
    free(entry.value);
    free(visa);
    return 0;
}
