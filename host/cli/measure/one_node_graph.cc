// host/cli/measure/one_node_graph.cc: the options that describe an op, and the graph with one node of it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>

#include "host/base/display_text.h"
#include "host/cli/measure/bench_op.h"
#include "host/graph/tensor_value.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr char kExampleShape[] = "for example: --shape 1024,1024; write [] for a scalar";

std::optional<Diagnostic> TakeInputShape(const std::string& word, std::vector<Shape>& shapes) {
  std::string_view text = word;
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Shape& shape = shapes.emplace_back();
  const bool is_scalar = text.empty();
  for (const char *at = text.data(), *end = at + text.size(); !is_scalar;) {
    int64_t size = -1;
    const auto [stop, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0 || (stop != end && *stop != ',')) {
      return MakeError("U005", fmt::format("--shape '{}' is not a list of sizes", word), kExampleShape);
    }
    shape.push_back(size);
    if (stop == end) break;
    at = stop + 1;
  }
  if (!NumElements(shape)) {
    return MakeError("U005", fmt::format("--shape '{}' has too many elements", word), kExampleShape);
  }
  return std::nullopt;
}

std::optional<Diagnostic> TakeDType(const std::string& word, std::optional<DType>& dtype) {
  dtype = DTypeFromName(word);
  if (dtype && HasValues(*dtype)) return std::nullopt;
  Diagnostic d = MakeError("U005", fmt::format("--dtype: '{}' is not a data type of numbers", word));
  SuggestName(d, word, FeedableDTypeNames(), "data types");
  return d;
}

std::optional<Diagnostic> TakeAttr(const std::string& word, std::vector<std::pair<std::string, Value>>& attrs) {
  const size_t equals = word.find('=');
  constexpr char kExample[] = "for example: --attr transpose_b=true or --attr 'ksize=[3, 3]'";
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    return MakeError("U005", fmt::format("--attr '{}' is not of the form NAME=VALUE", word), kExample);
  }
  Diagnostics found;
  const std::string name = word.substr(0, equals);
  std::optional<Value> value = ReadYaml({"--attr", word.substr(equals + 1)}, found);
  if (!value || found.has_errors()) {
    return MakeError("U005",
                     fmt::format("--attr {}: the value is not YAML: {}", name,
                                 found.all().empty() ? "it is empty" : found.all().front().message),
                     kExample);
  }
  attrs.emplace_back(name, *std::move(value));
  return std::nullopt;
}

std::optional<uint64_t> ParseCount(std::string_view text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const bool possible = error == std::errc() && end == last && number >= 1 && number <= 1e18;
  return possible ? std::optional(static_cast<uint64_t>(number)) : std::nullopt;
}

const Value* GivenAttr(const BenchedOp& request, const std::string& attr) {
  for (const auto& [name, value] : request.attrs) {
    if (name == attr) return &value;
  }
  return nullptr;
}

// Of an argument whose type is an attr: the requested one, float32, or the first that is allowed.
DType TypeOf(const spec::OpDef& op, const spec::ArgDef& arg, const BenchedOp& request) {
  if (arg.type_attr.empty() && arg.type_list_attr.empty()) return spec::BaseType(arg.dtype);
  const spec::AttrDef* attr = op.FindAttr(arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr);
  const std::vector<DType> any, &allowed = attr == nullptr ? any : attr->allowed_types;
  const auto is_allowed = [&](DType type) {
    return allowed.empty() || std::ranges::find(allowed, type) != allowed.end();
  };
  const DType wanted = request.dtype.value_or(DType::kFloat32);
  // An attr of other types, such as that of indices, keeps its own.
  if (is_allowed(wanted) || allowed.empty()) return wanted;
  return allowed.front();
}

// Of a list: as many as an attr or the given shapes say, or else the fewest that are allowed, but at least two.
size_t LengthOf(const spec::OpDef& op, const spec::ArgDef& arg, const BenchedOp& request) {
  const std::string& attr = arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
  const Value* const given = GivenAttr(request, attr);
  if (given != nullptr && AsInt(*given)) return static_cast<size_t>(std::clamp<int64_t>(*AsInt(*given), 0, 1024));
  if (request.shapes.size() > op.inputs.size()) return request.shapes.size() - (op.inputs.size() - 1);
  const spec::AttrDef* const def = op.FindAttr(attr);
  const int64_t least = def == nullptr ? 1 : def->minimum.value_or(1);
  return static_cast<size_t>(std::clamp<int64_t>(least, 2, 1024));
}

struct FedInput {
  const spec::ArgDef* arg;
  DType dtype;
  std::string feed;
};

std::vector<FedInput> InputsOf(const spec::OpDef& op, const BenchedOp& request) {
  std::vector<FedInput> inputs;
  for (const spec::ArgDef& arg : op.inputs) {
    const DType dtype = TypeOf(op, arg, request);
    const size_t length = arg.is_list() ? LengthOf(op, arg, request) : 1;
    for (size_t i = 0; i < length; ++i)
      inputs.push_back({&arg, dtype, arg.is_list() ? fmt::format("{}_{}", arg.name, i) : arg.name});
  }
  return inputs;
}

// Values that most ops accept: positive and near 1, since a logarithm of a negative number, or denormal results, may
// take longer than others.
Value RandomFeed(DType dtype, const Shape& shape, size_t seed) {
  Value feed = MapValue();
  AddEntry(feed, "random", StringValue("uniform"));
  AddEntry(feed, "seed", PlainValue(std::to_string(seed)));
  if (dtype != DType::kBool) {
    bool is_int = false;
    WithNumberType(dtype, [&]<typename T>(T) { is_int = std::is_integral_v<T>; });
    AddEntry(feed, "low", PlainValue(is_int ? "1" : "0.5"));
    AddEntry(feed, "high", PlainValue(is_int ? "100" : "1.5"));
  }
  AddEntry(feed, "shape", SizesValue(shape.data(), shape.size()));
  AddEntry(feed, "dtype", StringValue(DTypeName(dtype)));
  return feed;
}

std::optional<Diagnostic> CheckBenchedOp(const spec::OpDef& op, const std::vector<FedInput>& inputs,
                                         const BenchedOp& request) {
  for (const FedInput& input : inputs) {
    if (DTypeSize(input.dtype) != 0) continue;
    return MakeError("U005",
                     fmt::format("input '{}' of op '{}' is of type {}, for which bench has no random values",
                                 input.arg->name, op.name, DTypeName(input.dtype)),
                     "write a graph with such an input, and measure that: opsrun bench graph.yaml");
  }
  const size_t given = request.shapes.size();
  if (given <= (inputs.empty() ? 0U : 1U) || given == inputs.size()) return std::nullopt;
  return MakeError(
      "U005",
      fmt::format("op '{}' has {}, but {} given", op.name, Several(inputs.size(), "input"),
                  given == 1 ? "1 shape is" : fmt::format("{} shapes are", given)),
      inputs.empty() ? "remove --shape" : "pass one --shape for all inputs, or one for each, in their order");
}

}  // namespace

void AddBenchedOp(Options& options, BenchedOp& request) {
  options.Group("An op of a plugin, instead of a graph");
  options.Text("--op OP", request.op, "the op to measure; needed unless the plugin has only one");
  AddBenchedInputs(options, request);
}

void AddBenchedInputs(Options& options, BenchedOp& request) {
  options.Each(
      "--shape SIZES", [&request](const std::string& word) { return TakeInputShape(word, request.shapes); },
      "the shape of each input, or one for all: 1024,1024; may be repeated. The default is vectors\n"
      "of several sizes, from cache to memory");
  options.Each(
      "--dtype TYPE", [&request](const std::string& word) { return TakeDType(word, request.dtype); },
      "the data type of inputs whose type is not fixed; the default is float32");
  options.Each(
      "--attr NAME=VALUE", [&request](const std::string& word) { return TakeAttr(word, request.attrs); },
      "an attr, with its value as in a graph; may be repeated");
  constexpr char kNumber[] = "a number above 0, such as 2e9";
  options.Quantity("--flops N", request.flops, ParseCount, kNumber,
                   "the floating-point operations of one call, for comparison with this machine's peak; needs --shape");
}

bool IsLibraryName(const std::string& file) {
  const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
  return name.ends_with(".so") || name.find(".so.") != name.npos;
}

std::optional<std::string> OneNodeGraph(const std::string& plugin, const spec::OpDef& op, const BenchedOp& request,
                                        size_t input_bytes, Diagnostics& diagnostics) {
  const std::vector<FedInput> inputs = InputsOf(op, request);
  if (std::optional<Diagnostic> refused = CheckBenchedOp(op, inputs, request)) {
    diagnostics.all().push_back(*std::move(refused));
    return std::nullopt;
  }
  size_t element_bytes = 0;
  for (const FedInput& input : inputs) element_bytes += DTypeSize(input.dtype);
  const Shape vector = {static_cast<int64_t>(input_bytes / std::max<size_t>(element_bytes, 1))};
  Value feeds = MapValue(), in = MapValue(), attrs = MapValue(), node = MapValue();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& [arg, dtype, feed] = inputs[i];
    const Shape& shape = request.shapes.empty() ? vector : request.shapes[request.shapes.size() == 1 ? 0 : i];
    AddEntry(feeds, feed, RandomFeed(dtype, shape, i));
    if (in.Find(arg->name) == nullptr) AddEntry(in, arg->name, arg->is_list() ? ListValue() : StringValue(feed));
    if (arg->is_list()) in.Find(arg->name)->items.push_back(StringValue(feed));
  }
  for (const auto& [name, value] : request.attrs) AddEntry(attrs, name, value);
  AddEntry(node, "op", StringValue(plugin + "." + op.name));
  if (!inputs.empty()) AddEntry(node, "in", std::move(in));
  if (!request.attrs.empty()) AddEntry(node, "attrs", std::move(attrs));
  Value graph = MapValue(), nodes = MapValue(), outputs = MapValue();
  constexpr char kNode[] = "measured_op";
  AddEntry(nodes, kNode, std::move(node));
  for (const spec::ArgDef& arg : op.outputs)
    AddEntry(outputs, arg.name, StringValue(fmt::format("{}.{}{}", kNode, arg.name, arg.is_list() ? ".0" : "")));
  AddEntry(graph, "opsrun", PlainValue("1"));
  if (!inputs.empty()) AddEntry(graph, "feeds", std::move(feeds));
  AddEntry(graph, "nodes", std::move(nodes));
  if (!op.outputs.empty()) AddEntry(graph, "outputs", std::move(outputs));
  return WriteYaml(graph);
}

}  // namespace opsrun::host
