// tests/fuzz/isolate_target.cc: messages of the process of an isolated plugin, which the plugin can write itself. The
// first byte chooses the message.
// SPDX-License-Identifier: Apache-2.0
#include "host/isolate/messages.h"
#include "host/plugin/isolated_plugin.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

namespace isolated {

template <typename Message>
void ReadBytes(std::string_view bytes) {
  WireReader in(bytes);
  Message message{};
  Read(in, message);
}

template <typename Message>
std::string BytesOf(char kind, const Message& message) {
  std::string bytes(1, kind);
  WireWriter out(bytes);
  Write(out, message);
  return bytes;
}

void Eat(std::string_view bytes) {
  if (bytes.empty()) return;
  const char kind = bytes.front();
  bytes.remove_prefix(1);
  switch (kind) {
    case 'e':
      return ReadBytes<std::vector<PartError>>(bytes);
    case 'i':
      return ReadBytes<InferReply>(bytes);
    case 'q':
      return ReadBytes<InferRequest>(bytes);
    case 'n':
      return ReadBytes<RunRequest>(bytes);
    case 'r':
      return ReadBytes<RunReply>(bytes);
    default:
      break;
  }
  PluginTable table;
  if (!ReadTableBytes(bytes, &table)) return;
  static const opsrun_host host = {.level = OPSRUN_LEVEL};
  PluginNote note;
  note.name = table.name;
  note.more_ops = note.more_kernels = true;
  Plugin plugin;
  const std::optional<Refusal> refusal = TakeTable(table, note, &host, &plugin);
  Require(!refusal || !refusal->reason.empty(), "a refusal has a reason");
  const std::string again = TableBytes(table);
  PluginTable same;
  Require(ReadTableBytes(again, &same) && TableBytes(same) == again, "a table can be written and read");
}

std::string TableSeed() {
  PluginTable table;
  table.name = "p";
  TableOp& op = table.ops.emplace_back();
  op.strings = {
      .name = "Op", .inputs = {"x: N * T"}, .outputs = {"y: T"}, .attrs = {"T: {float, int32}", "N: int >= 1"}};
  op.op.gradient = "gradient: {}";
  RegisteredKernel& kernel = table.kernels.emplace_back();
  kernel.def = {"Op", "CPU", "label", 1, {{"T", spec::AttrValue::TypeList({DType::kFloat32})}}, {"x"}};
  return "t" + TableBytes(table, {"a line"});
}

std::vector<std::string> Seeds() {
  return {
      TableSeed(),
      BytesOf('e', std::vector<PartError>{{3, OPSRUN_INTERNAL, "why", "input:x", {"help"}, {"note"}}}),
      BytesOf('i', InferReply{{{true, {{true, 5}, {false, 2}}}},
                              {WireShape{true, {{false, -4}}}},
                              {0},
                              {{false, 3}},
                              {WireTerm{0, {true, 0}, {false, 1}}},
                              true}),
      BytesOf('q',
              InferRequest{{{{true, {{true, 0}}}, WireShape{}, *Tensor::Create(DType::kInt64, {2})}}, {std::nullopt}}),
      BytesOf('n', RunRequest{{{DType::kResource, {2}, 0, {}, true, {4, 0}}}, {{64, 4}}, {2}, true, {3}}),
      BytesOf('r', RunReply{{{DType::kString, {1}, 0, {"text"}, true}, {DType::kVariant, {1}, 0, {}, true, {9}}}, {}})};
}

std::vector<std::string> Words() {
  return {std::string(8, '\0'), std::string("\1\0\0\0\0\0\0\0", 8), std::string(8, '\xff'), "DT_FLOAT", "float"};
}

}  // namespace isolated
}  // namespace

const Target kIsolate = {"isolate", isolated::Eat, isolated::Seeds, isolated::Words};

}  // namespace opsrun::fuzz
