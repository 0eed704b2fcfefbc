// Mesa's validator of machine code, asked about files of raw code: judge PLATFORM < NAMES
//
// Prints a line for each instruction that Mesa does not decode or does not take: file, offset, message, kind, text. An
// instruction that it takes prints nothing; the last line has their number. Each instruction is judged alone.

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "gen_private.h"
#include "util/ralloc.h"

extern "C" void intel_device_info_init_was(struct intel_device_info *info);

namespace {

// Codes of systolic operations since Xe-HPG.
const unsigned DPAS = 0x59, DPASW = 0x5a;

struct Device {
  const char *name;
  int version;
  enum intel_platform platform;
  int register_bytes;
  bool doubles, quads, load_store, bfloat;
};

const Device DEVICES[] = {
    {"skl", 90, INTEL_PLATFORM_SKL, 32, true, true, false, false},
    {"icllp", 110, INTEL_PLATFORM_ICL, 32, false, false, false, false},
    {"tgllp", 120, INTEL_PLATFORM_TGL, 32, false, false, false, false},
    {"dg2", 125, INTEL_PLATFORM_DG2_G10, 32, false, false, true, true},
    {"mtl", 125, INTEL_PLATFORM_MTL_H, 32, true, false, true, true},
    {"lnl", 200, INTEL_PLATFORM_LNL, 64, true, true, true, true},
    {"bmg", 200, INTEL_PLATFORM_BMG, 64, true, true, true, true},
    {"ptl", 300, INTEL_PLATFORM_PTL, 64, true, true, true, true},
};

bool find(const char *name, intel_device_info &info) {
  for (const Device &device : DEVICES) {
    if (strcmp(device.name, name) != 0)
      continue;
    memset(&info, 0, sizeof info);
    info.ver = device.version / 10;
    info.verx10 = device.version;
    info.platform = device.platform;
    info.grf_size = device.register_bytes;
    info.has_64bit_float = device.doubles;
    info.has_64bit_float_via_math_pipe = device.platform == INTEL_PLATFORM_MTL_H;
    info.has_64bit_int = device.quads;
    info.has_lsc = device.load_store;
    info.has_bfloat16 = device.bfloat;
    info.has_ray_tracing = device.version >= 200;
    intel_device_info_init_was(&info);
    return true;
  }
  return false;
}

std::vector<uint8_t> read(const char *name) {
  std::vector<uint8_t> bytes;
  FILE *file = fopen(name, "rb");
  if (file == nullptr)
    return bytes;
  uint8_t part[65536];
  for (size_t count; (count = fread(part, 1, sizeof part, file)) > 0;)
    bytes.insert(bytes.end(), part, part + count);
  fclose(file);
  return bytes;
}

// The size of the code before the zeros at its end.
size_t without_padding(const std::vector<uint8_t> &bytes) {
  size_t at = 0;
  while (at + 8 <= bytes.size()) {
    uint64_t word;
    memcpy(&word, &bytes[at], 8);
    if (word == 0)
      break;
    at += bytes[at + 3] & 0x20 ? 8 : 16;
  }
  return at < bytes.size() ? at : bytes.size();
}

void say(const char *name, unsigned offset, const char *message) {
  printf("%s\t%#x\t%s\t", name, offset, message);
}

// What tells instructions with one message apart, for which Mesa is wrong about some: an address, or the sizes of a conversion.
const char *kind(const gen_inst &inst) {
  const bool number = inst.src[1].file == GEN_IMM;
  if (inst.src[0].indirect || inst.src[1].indirect && !number)
    return "indirect";
  if (inst.src[1].indirect)
    return "number";
  const bool widens = gen_type_size_bytes(inst.src[0].type) == 1 && gen_type_size_bytes(inst.dst.type) == 2;
  return widens && inst.dst.region.hstride == 1 && inst.dst.subnr >= 16 ? "bytes to words" : "";
}

void judge(const intel_device_info &info, const char *name, long &good) {
  const std::vector<uint8_t> bytes = read(name);
  void *context = ralloc_context(nullptr);
  std::vector<gen_inst_layout> layouts(bytes.size() / 8 + 1);
  gen_scan_raw_layout_params scan{};
  scan.raw_bytes = bytes.data();
  scan.raw_bytes_size = without_padding(bytes);
  scan.layouts = layouts.data();
  scan.num_insts = layouts.size();
  gen_scan_raw_layout(&scan);
  for (int i = 0; i < scan.num_insts; i++) {
    const unsigned offset = layouts[i].offset;
    // Mesa has no table of the short forms of systolic operations.
    const unsigned opcode = bytes[offset] & 0x7f;
    if (layouts[i].was_compacted && (opcode == DPAS || opcode == DPASW))
      continue;
    gen_decode_params decode{};
    decode.devinfo = &info;
    decode.raw_bytes = bytes.data() + offset;
    decode.raw_bytes_size = layouts[i].was_compacted ? 8 : 16;
    decode.program_subset = true;
    decode.mem_ctx = context;
    if (!gen_decode(&decode) || decode.num_insts != 1) {
      say(name, offset, "undecoded");
      printf("\t%s\n", decode.num_errors ? decode.errors[0].msg : "");
      continue;
    }
    gen_validate_params validate{};
    validate.devinfo = &info;
    validate.insts = decode.insts;
    validate.num_insts = 1;
    validate.mem_ctx = context;
    if (gen_validate(&validate)) {
      good++;
      continue;
    }
    const gen_inst &inst = decode.insts[0];
    for (int n = 0; n < validate.num_errors; n++) {
      say(name, offset, validate.errors[n].msg);
      printf("%s\t", kind(inst));
      // The text ends its line.
      gen_print_inst(&info, stdout, &inst, GEN_PRINT_VERBOSE);
    }
  }
  ralloc_free(context);
}

} // namespace

int main(int argc, char **argv) {
  intel_device_info info;
  if (argc != 2 || !find(argv[1], info)) {
    fprintf(stderr, "usage: judge PLATFORM < NAMES\n");
    return 2;
  }
  char name[4096];
  long good = 0;
  while (fgets(name, sizeof name, stdin)) {
    name[strcspn(name, "\n")] = 0;
    judge(info, name, good);
  }
  printf("%ld\n", good);
  return 0;
}
