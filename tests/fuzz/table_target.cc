// tests/fuzz/table_target.cc: a plugin's table made of bytes, copied, and its specs parsed.
//
// An input consists of the number of addresses to insert, the addresses (6 bytes each: kind, 0, where, which), and the
// memory image that contains the table. So mutations redirect pointers instead of only making them invalid.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "host/plugin/load.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

namespace tables {

enum Kind : uint8_t { kInImage, kFunction, kData, kUnmapped };
struct Address {
  uint8_t kind;
  uint8_t unused;
  uint16_t where;
  uint16_t which;  // an offset in the image
};
static_assert(sizeof(Address) == 6);

void Function() {}
int data = 0;

// The table of a good plugin, with everything that it points to.
struct Image {
  opsrun_plugin plugin;
  const opsrun_op* ops[2];
  const opsrun_kernel* kernels[2];
  opsrun_op op;
  opsrun_kernel kernel;
  opsrun_str inputs[2];
  opsrun_str attrs[2];
  opsrun_attr constraints[2];
  int64_t numbers[3];
  opsrun_alias aliases[2];
  char text[48];
};
// This program takes the role of the plugin's file, so the image is one of its variables.
alignas(Image) char image[4096];

uint64_t Resolve(const Address& address) {
  switch (address.kind % 4) {
    case kInImage:
      return reinterpret_cast<uintptr_t>(image) + address.which;
    case kFunction:
      return reinterpret_cast<uintptr_t>(&Function);
    case kData:
      return reinterpret_cast<uintptr_t>(&data);
    default:
      return uint64_t{address.which} << 32;
  }
}

// False if the input is too short for its contents.
bool LayOut(std::string_view bytes) {
  const size_t n = bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]);
  if (bytes.size() < 1 + n * sizeof(Address)) return false;
  std::string_view content = bytes.substr(1 + n * sizeof(Address), sizeof(image));
  std::memset(image, 0, sizeof(image));
  std::memcpy(image, content.data(), content.size());
  for (size_t i = 0; i < n; ++i) {
    Address address;
    std::memcpy(&address, bytes.data() + 1 + i * sizeof(Address), sizeof(address));
    const uint64_t value = Resolve(address);
    std::memcpy(image + address.where % (sizeof(image) - sizeof(value)), &value, sizeof(value));
  }
  return true;
}

void CheckCopy(const PluginTable& table, const FileSegments& file) {
  const auto in_file = [&](auto* function) { return file.HoldsCode(reinterpret_cast<uintptr_t>(function)); };
  for (const TableOp& op : table.ops) {
    Require(op.op.shape == nullptr || in_file(op.op.shape), "a shape function is of this file");
    spec::OpDef parsed;
    spec::ParseOp(op.strings, &parsed);
  }
  for (const RegisteredKernel& kernel : table.kernels) {
    Require(in_file(kernel.create) && in_file(kernel.compute) && in_file(kernel.destroy), "functions are of this file");
    Require(kernel.aliases.size() <= 1024, "aliases are limited");
  }
}

void Eat(std::string_view bytes) {
  static const FileSegments file = SegmentsAround(image);
  if (!LayOut(bytes)) return;
  PluginTable table;
  const auto refusal =
      CopyTable(reinterpret_cast<const opsrun_plugin*>(image), file, OPSRUN_LEVEL, OPSRUN_LEVEL, &table);
  if (!refusal) return CheckCopy(table, file);
  Require(!refusal->reason.empty() && !refusal->remedy.empty(), "a refusal has a reason and a remedy");
}

opsrun_str Text(Image& in, size_t at, size_t size) {
  return {in.text + at, size};
}

void FillKernel(Image& in) {
  const auto code = reinterpret_cast<void (*)()>(&Function);
  in.kernel.size = sizeof(in.kernel);
  in.kernel.op = Text(in, 0, 3);
  in.kernel.device = Text(in, 3, 3);
  in.kernel.create = reinterpret_cast<decltype(in.kernel.create)>(code);
  in.kernel.compute = reinterpret_cast<decltype(in.kernel.compute)>(code);
  in.kernel.destroy = reinterpret_cast<decltype(in.kernel.destroy)>(code);
  in.kernel.constraints = in.constraints;
  in.kernel.n_constraints = 2;
  in.kernel.host_memory = in.inputs;
  in.kernel.n_host_memory = 1;
  in.kernel.aliases = in.aliases;
  in.kernel.n_aliases = 2;
  for (opsrun_alias& alias : in.aliases) alias = {Text(in, 10, 1), Text(in, 6, 1), OPSRUN_ALIAS_IN_PLACE, 0};
  in.constraints[0].name = Text(in, 10, 1);
  in.constraints[1].name = Text(in, 6, 1);
  in.constraints[0].kind = OPSRUN_ATTR_TYPE | OPSRUN_ATTR_LIST;
  in.constraints[0].count = 3;
  in.constraints[0].v.ints = in.numbers;
  in.constraints[1].kind = OPSRUN_ATTR_STRING | OPSRUN_ATTR_LIST;
  in.constraints[1].count = 2;
  in.constraints[1].v.strs = in.attrs;
}

void Fill(Image& in) {
  in = {};
  std::memcpy(in.text, "AddCPUx: Ty: TT: typeN: int = 3", 31);
  in.numbers[0] = in.numbers[1] = in.numbers[2] = OPSRUN_DT_FLOAT;
  in.inputs[0] = Text(in, 6, 4);
  in.inputs[1] = Text(in, 10, 4);
  in.attrs[0] = Text(in, 14, 7);
  in.attrs[1] = Text(in, 21, 10);
  in.op.size = sizeof(in.op);
  in.op.name = Text(in, 0, 3);
  in.op.doc = Text(in, 0, 31);
  in.op.inputs = in.op.outputs = in.inputs;
  in.op.n_inputs = in.op.n_outputs = 1;
  in.op.attrs = in.attrs;
  in.op.n_attrs = 1;
  in.op.gradient = Text(in, 0, 31);
  in.op.shape = reinterpret_cast<decltype(in.op.shape)>(&Function);
  FillKernel(in);
  in.ops[0] = &in.op;
  in.kernels[0] = in.kernels[1] = &in.kernel;
  in.plugin.size = sizeof(in.plugin);
  in.plugin.min_level = 1;
  in.plugin.name = Text(in, 0, 6);
  in.plugin.ops = in.ops;
  in.plugin.n_ops = 1;
  in.plugin.kernels = in.kernels;
  in.plugin.n_kernels = 2;
  in.plugin.shutdown = reinterpret_cast<decltype(in.plugin.shutdown)>(&Function);
}

std::vector<std::string> Seeds() {
  Image& good = *reinterpret_cast<Image*>(image);
  Fill(good);
  std::string addresses;
  for (uint16_t at = 0; at < sizeof(good); at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, image + at, sizeof(word));
    const uint64_t within = word - reinterpret_cast<uintptr_t>(image);
    const bool function = word == reinterpret_cast<uintptr_t>(&Function);
    if (!function && within >= sizeof(good)) continue;
    const Address address = {function ? kFunction : kInImage, 0, at, static_cast<uint16_t>(function ? 0 : within)};
    addresses.append(reinterpret_cast<const char*>(&address), sizeof(address));
  }
  const char n = static_cast<char>(addresses.size() / sizeof(Address));
  return {n + addresses + std::string(image, sizeof(good))};
}

std::vector<std::string> Words() {
  return {
      std::string(8, '\xFF'), std::string("\0\0\1\0", 4), std::string("\1\0\0\0\0\0\0\0", 8), "CPU", "GPU", "int32"};
}

}  // namespace tables
}  // namespace

const Target kTable = {"table", tables::Eat, tables::Seeds, tables::Words};

}  // namespace opsrun::fuzz
