// What the validator's files name of other parts of Mesa, and the judge does not need: their types are those of the host.

#include <cstdarg>
#include <cstdint>
#include <cstdio>

extern "C" {
uint16_t _mesa_float_to_half_rtz_slow(float) { return 0; }
char _util_cpu_caps_state[4096];
void _util_cpu_detect_once(void) {}
uint64_t intel_debug[8];
void process_intel_debug_variable(void) {}
// A stepping after all that workarounds name.
int intel_device_info_wa_stepping(void *) { return 1 << 20; }
size_t u_printf_length(const char *format, va_list list) {
  va_list copy;
  va_copy(copy, list);
  size_t length = vsnprintf(nullptr, 0, format, copy) + 1;
  va_end(copy);
  return length;
}
extern const char *util_lut3_to_str[256];
const char *util_lut3_to_str[256];
}

namespace {
const struct Names {
  Names() {
    for (const char *&name : util_lut3_to_str)
      name = "table";
  }
} names;
} // namespace
