// tests/fuzz/text_targets.cc: parsers of texts: graphs, declared gradients, the strings of ops.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "host/gradient/gradient_text.h"
#include "host/graph/read_graph.h"
#include "host/graph/tensor_value.h"
#include "host/show/json_text.h"
#include "host/show/render_diagnostics.h"
#include "host/spec/parse_op.h"
#include "host/tensor/tensor.h"
#include "host/yaml/value.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

// Parses a graph, and formats the messages in every format.
namespace graphs {

void CheckPlaces(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    Require(!d.message.empty() && !d.code.empty(), "a message says something and has a code");
    Require(d.where.known() && d.where.begin.column > 0, "a message about a text has its place");
    Require(!d.help.empty(), "a message says what to do");
  }
}

// Excludes graphs with tensors of gigabytes: they are valid, but useless as tests.
bool FillsMuch(std::string_view text) {
  if (text.find("fill") == std::string_view::npos) return false;
  for (size_t at = text.find("shape"); at != std::string_view::npos; at = text.find("shape", at + 1)) {
    const std::string_view shape = text.substr(at, text.find(']', at) - at);
    if (std::count_if(shape.begin(), shape.end(), [](char c) { return c >= '0' && c <= '9'; }) > 6) return true;
  }
  return false;
}

// opsrun writes any tensor of a graph so that it can read it again. The printed form is equal; the bits of NaNs may
// differ.
void CheckRoundTrip(const Tensor& tensor) {
  Value map = MapValue();
  AddEntry(map, "value", ElementsValue(tensor));
  const SourceFile source{"written.yaml", WriteYaml(map)};
  Diagnostics diagnostics;
  const std::optional<Value> root = ReadYaml(source, diagnostics);
  Require(root.has_value(), "what is written is YAML");
  Reporter reporter(source, diagnostics);
  const std::optional<Tensor> again = ReadTensorValue(root->entries[0].value, tensor.dtype(), reporter);
  Require(again && again->shape() == tensor.shape(), "what is written can be read");
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    Require(ElementText(tensor, i) == ElementText(*again, i), "and is the same");
  }
}

void Eat(std::string_view bytes) {
  if (FillsMuch(bytes)) return;
  const auto source = std::make_shared<const SourceFile>(SourceFile{"graph.yaml", std::string(bytes)});
  Diagnostics diagnostics;
  const std::optional<Graph> graph = ReadGraph(source, diagnostics);
  Require(graph || diagnostics.has_errors(), "there is a graph or an error");
  CheckPlaces(diagnostics);
  for (const Feed& feed : graph ? graph->feeds : std::vector<Feed>()) {
    if (feed.source == Feed::Source::kValue) CheckRoundTrip(feed.value);
  }
  for (ErrorFormat format : {ErrorFormat::kHuman, ErrorFormat::kShort, ErrorFormat::kJson})
    RenderDiagnostics(diagnostics, source.get(), {format, true});
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// The graphs of the tests, those with rows once for each row.
std::vector<std::string> Seeds() {
  constexpr std::string_view kRow = "# row: ";
  std::vector<std::string> seeds = ContentsOf(FilesIn(OPSRUN_GRAPHS, ".yaml"));
  for (size_t i = 0, files = seeds.size(); i < files; ++i) {
    const std::string file = seeds[i];
    for (const std::string_view line : LinesOf(file)) {
      if (!line.starts_with(kRow)) continue;
      const std::string row = Replaced(Replaced(std::string(line.substr(kRow.size())), "\\n", "\n"), "\\t", "\t");
      seeds.push_back(Replaced(file, "<row>", row));
    }
  }
  return seeds;
}

std::vector<std::string> Words() {
  return {"opsrun: 1\n",  "feeds:\n",  "nodes:\n", "outputs:\n", "{value: [1, 2]}",
          "fill: ",       "shape: [",  "dtype: ",  "complex64",  "bfloat16",
          "int8",         "npy: ",     "op: ",     "in: ",       "attrs: ",
          "after: ",      "from: ",    "print: ",  "&a ",        "*a",
          "<<: ",         "!!binary ", "---\n",    "...\n",      "%YAML 1.2",
          "|2\n",         ">-\n",      "? ",       "- ",         "9223372036854775808",
          "-1",           "1e999",     ".nan",     "0x",         "1+2j",
          "\xEF\xBB\xBF", "\xC2\x85",  "\t",       "\r\n",       "\\x",
          "\"",           "'",         "# ",       "[[[[[[[[",   "]]]]]]]]",
          "{{{{",         "}}}}",      "/wB6",     "1_000",      "yes",
          "nanj",         "+.nanj",    "0b1",      "None",       "null"};
}

}  // namespace graphs

// Parses the text of a declared gradient.
namespace gradients {

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

}  // namespace gradients

// Parses the strings of an op. Each line of the input is one: "i x: T", "o y: T", "a T: type",
// "b ()->()".
namespace specs {

using namespace host::spec;  // NOLINT: a test of it

void AddLine(std::string_view line, OpStrings* op) {
  const std::string text(line.substr(line.size() < 2 ? line.size() : 2));
  switch (line.empty() ? '\0' : line[0]) {
    case 'i':
      return op->inputs.push_back(text);
    case 'o':
      return op->outputs.push_back(text);
    case 'c':
      return op->control_outputs.push_back(text);
    case 'a':
      return op->attrs.push_back(text);
    case 'b':
      op->batch = text;
      return;
    case 'n':
      op->name = text;
      return;
    default:
      op->doc += std::string(line) + "\n";
  }
}

void Eat(std::string_view bytes) {
  OpStrings strings;
  strings.name = "Op";
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    AddLine(bytes.substr(0, end), &strings);
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  OpDef op;
  const std::vector<SpecError> errors = ParseOp(strings, &op);
  Require(errors.empty() || !SpecErrorsText(strings.name, errors).empty(), "what is wrong is said");
}

std::vector<std::string> Seeds() {
  return {
      "n ZeroOut\ni to_zero: T\no zeroed: T\na T: {float, int32} = DT_INT32\na preserve_index: int = 0\n",
      "n Concat\ni values: N * T\ni axis: Tidx\no output: T\na N: int >= 2\na T: type\na Tidx: {int32, int64}\n",
      "n Lists\ni in: Tin\no out: Ref(Tout)\na Tin: list(type) >= 0\na Tout: type\na f: func\nc done\n",
      "a s: string = \"a\\\"b\"\na l: list(int) = [1, 2, -3]\na sh: shape = { dim { size: 2 } unknown_rank: false }\n",
      "a t: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 1 int_val: 2 }\n",
      "a e: {'apple', \"orange\"} = \"apple\"\na n: numbertype\na q: quantizedtype = DT_QINT8\nDoes it.\n\ne: A "
      "fruit.\n",
      "n acme>Op\ni x: int32\no y: float\na b: bool = true\na lf: list(float) = [1e-3, .5, -inf]\n"};
}

std::vector<std::string> Words() {
  return SplitWords(
      "list(;type;int >= ;shape;tensor;func;string;bool;float;{int32, int64};Ref(;N * T;DT_FLOAT; = ;[1, 2];"
      "{ dim { size: ;dtype: DT_STRING ;int_val: ;tensor_content: \"\\000\\377\";numbertype;realnumbertype;\\x41;"
      "''';\"\";9223372036854775808;-;tensor_shape { unknown_rank: true };<;>;half_val: ;scomplex_val: ;b "
      "(m,k),(k,n)->(m,n)");
}

}  // namespace specs
}  // namespace

const Target kGraph = {"graph", graphs::Eat, graphs::Seeds, graphs::Words};
const Target kGradient = {"gradient", gradients::Eat, nullptr, gradients::Words};
const Target kSpec = {"spec", specs::Eat, specs::Seeds, specs::Words};

}  // namespace opsrun::fuzz
