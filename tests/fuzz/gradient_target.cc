// tests/fuzz/gradient_target.cc: parses the text of a declared gradient.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradient/gradient_text.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

// An op with an attr of each kind that a gradient may use.
struct AnyOp {
  AnyOp() {
    plugin.name = "any";
    op.plugin = &plugin;
    op.def.name = "Any";
    op.def.inputs = {{.name = "x", .type_attr = "T"}, {.name = "values", .type_attr = "T", .number_attr = "N"}};
    op.def.outputs = {{.name = "y", .type_attr = "T"}};
    op.def.attrs = {{.name = "T", .type = {OPSRUN_ATTR_TYPE, false}},
                    {.name = "N", .type = {OPSRUN_ATTR_INT, false}},
                    {.name = "flip", .type = {OPSRUN_ATTR_BOOL, false}}};
    signature.attrs = {spec::AttrValue::Type(DType::kFloat32), spec::AttrValue::Int(2), spec::AttrValue::Bool(true)};
  }

  Plugin plugin;
  RegisteredOp op;
  spec::Signature signature;
};

void Eat(std::string_view bytes) {
  AnyOp any;
  any.op.gradient = std::string(bytes.substr(0, 1 << 16));
  any.op.gradient_line = static_cast<uint32_t>(bytes.size());
  const GradientText text(any.op);
  text.OpNames();
  Diagnostics diagnostics;
  const std::optional<DeclaredGradient> gradient = text.For(any.signature, diagnostics);
  Require(gradient || diagnostics.has_errors(), "there is a gradient or an error");
  for (const Diagnostic& d : diagnostics.all()) {
    Require(!d.message.empty() && d.where.known(), "a message about a text has its place");
  }
}

std::vector<std::string> Words() {
  return SplitWords(
      "feeds:\n;nodes:\n;outputs: ;{value: 2, dtype: {attr: T}};{attr: flip, true: a, false: b};each: ;grad.y;"
      "values.0;{op: Mul, in: [grad.y, x]};null;attrs: ;[x, y];{x: d, values: [d, d]}");
}

}  // namespace

const Target kGradient = {"gradient", Eat, nullptr, Words};

}  // namespace opsrun::fuzz
