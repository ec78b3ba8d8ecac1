// tests/fuzz/ops_file_target.cc: a file beside a plugin, and the shapes that it computes.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/call_arrays.h"
#include "host/plugin/ops_file.h"
#include "host/spec/parse_op.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

namespace ops_files {

int32_t Fail(const opsrun_host*, void* where, int32_t code, opsrun_str text, opsrun_str subject) {
  auto* const call = static_cast<ShapeCall*>(static_cast<opsrun_shape_call*>(where));
  return call->Fail(code, {text.data, text.size}, {subject.data, subject.size});
}

// Shapes of every rank from unknown to 3, with known and unknown sizes.
void RunShape(const RegisteredOp& op) {
  opsrun_host table = {.size = sizeof(opsrun_host), .level = OPSRUN_LEVEL};
  SetShapeSlots(table);
  table.fail = Fail;
  spec::Signature signature;
  spec::AttrValue sizes;
  sizes.type = {OPSRUN_ATTR_INT, true};
  sizes.ints = {0, -1};
  signature.attrs = {spec::AttrValue::Int(3), sizes, spec::AttrValue::Int(2)};
  signature.in_args = {{"x", 0, 1}, {"values", 1, 2}};
  signature.out_args = {{"y", 0, 1}, {"each", 1, 2}};
  signature.in_types = signature.out_types = std::vector<DType>(3, DType::kFloat32);
  const CallArrays arrays(op.def, signature, {}, &table);
  for (int rank = -1; rank <= 3; ++rank) {
    spec::ShapeEngine engine;
    const auto shape = [&](int64_t size) {
      return rank < 0 ? engine.Unknown() : engine.FromSizes(std::vector<int64_t>(static_cast<size_t>(rank), size));
    };
    ShapeCall call(&table, arrays, engine, {shape(5), shape(-1), engine.FromSizes({2, -1})},
                   std::vector<const Tensor*>(3), 3);
    const Status status = call.Run(op.shape, op.shape_ctx, signature.out_types);
    Require(status.ok() || !status.message().empty(), "what is wrong is said");
  }
}

void Eat(std::string_view bytes) {
  Plugin plugin;
  plugin.name = "any";
  spec::OpStrings strings;
  strings.name = "Any";
  strings.attrs = {"k: int", "sizes: list(int)", "N: int"};
  strings.inputs = {"x: float", "values: N * float"};
  strings.outputs = {"y: float", "each: N * float"};
  RegisteredOp& op = plugin.ops.emplace_back();
  Require(spec::ParseOp(strings, &op.def).empty(), "the op is valid");
  Diagnostics diagnostics;
  AddOps(std::make_shared<const SourceFile>(SourceFile{"any.opsrun.yaml", std::string(bytes)}), plugin, diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    Require(!d.message.empty() && d.where.known() && d.where.begin.column > 0, "a message about a text has its place");
    Require(!d.help.empty(), "a message says what to do");
  }
  if (!diagnostics.has_errors() && op.beside.shape != nullptr) RunShape(op);
}

std::vector<std::string> Seeds() {
  const std::string head = "opsrun_ops: 1\nops:\n  Any:\n";
  return {head + "    shape: {x: [-1, k], y: [x.0, 2 * (x.-1 + k) / 3 - 1], each: values}\n    gradient: none\n",
          head + "    shape: {values: x, y: [values.1.0 * sizes.0, -1], each: [x.0]}\n",
          head + "    doc: |\n      Words.\n      k: a number\n    gradient:\n      outputs: {x: null, values: null}\n",
          head + "    replace: [doc]\n    doc: other words\n    shape: {x: y, y: x}\n"};
}

std::vector<std::string> Words() {
  return SplitWords(
      "opsrun_ops: 1\n;ops:\n;Any: ;shape: {;gradient: ;doc: ;replace: [;x.0;x.-1;values.1.0;sizes.1;k;each: ;y: ; * ;"
      " / ; - ; + ;(;);[-1, -1];9223372036854775807;none;[x.0 * x.1];values: x;&a ;*a");
}

}  // namespace ops_files
}  // namespace

const Target kOps = {"ops", ops_files::Eat, ops_files::Seeds, ops_files::Words};

}  // namespace opsrun::fuzz
