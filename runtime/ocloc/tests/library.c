// A stand-in for libocloc.so. It gives `k.bin`, which is the object file `alone`, `both` or `whole` of the folder HERE by the options, `k.spv`
// with the first source and the first header, and messages; a call with `-bad` is refused. HERE/calls has a line for each call.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *whole(const char *name, uint64_t *size) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.zebin", getenv("HERE"), name);
  FILE *file = fopen(path, "rb");
  if (!file)
    abort();
  fseek(file, 0, SEEK_END);
  *size = (uint64_t)ftell(file);
  rewind(file);
  uint8_t *data = malloc(*size);
  if (fread(data, 1, *size, file) != *size)
    abort();
  fclose(file);
  return data;
}

static int live = 0;

int oclocInvoke(unsigned count, const char **arguments, uint32_t sources, const uint8_t **source_data, const uint64_t *source_sizes,
                const char **source_names, uint32_t headers, const uint8_t **header_data, const uint64_t *header_sizes,
                const char **header_names, uint32_t *outputs, uint8_t ***data, uint64_t **sizes, char ***names) {
  const char *kind = "whole", *folder = ".", *last = "";
  int refused = 0;
  char path[4096];
  snprintf(path, sizeof path, "%s/calls", getenv("HERE"));
  FILE *calls = fopen(path, "a");
  for (unsigned at = 0; at < count; at++) {
    fprintf(calls, "%s ", arguments[at]);
    if (!strcmp(last, "-out_dir"))
      folder = arguments[at];
    if (strstr(arguments[at], "-emit-visa-only"))
      kind = "alone";
    else if (strstr(arguments[at], "-emit-zebin-visa-sections"))
      kind = "both";
    refused |= !strcmp(arguments[at], "-bad");
    last = arguments[at];
  }
  fprintf(calls, "\n");
  fclose(calls);
  const char *said = refused ? "Invalid option: -bad\n" : "Build succeeded.\n";
  *outputs = refused ? 1 : 3;
  *data = malloc(*outputs * sizeof **data);
  *sizes = malloc(*outputs * sizeof **sizes);
  *names = malloc(*outputs * sizeof **names);
  (*data)[0] = (uint8_t *)strdup(said);
  (*sizes)[0] = strlen(said) + 1;
  (*names)[0] = strdup("stdout.log");
  live++;
  if (refused)
    return 10;
  (*data)[1] = whole(kind, &(*sizes)[1]);
  snprintf(path, sizeof path, "%s/k.bin", folder);
  (*names)[1] = strdup(path);
  if (sources != 1 || headers != 1)
    abort();
  (*sizes)[2] = source_sizes[0] + header_sizes[0];
  (*data)[2] = malloc((*sizes)[2]);
  memcpy((*data)[2], source_data[0], source_sizes[0]);
  memcpy((*data)[2] + source_sizes[0], header_data[0], header_sizes[0]);
  snprintf(path, sizeof path, "%s/%s-%s.spv", folder, source_names[0], header_names[0]);
  (*names)[2] = strdup(path);
  return 0;
}

int oclocFreeOutput(uint32_t *outputs, uint8_t ***data, uint64_t **sizes, char ***names) {
  for (uint32_t at = 0; at < *outputs; at++) {
    free((*data)[at]);
    free((*names)[at]);
  }
  free(*data);
  free(*sizes);
  free(*names);
  live--;
  return 0;
}

// Outputs that were not freed.
int stand_in_live(void) { return live; }
