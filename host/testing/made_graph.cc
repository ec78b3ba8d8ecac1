// host/testing/made_graph.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/made_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace opsrun::host {
namespace {

using test::InputPart;
using test::Known;
using test::NodePart;

class Maker {
 public:
  Maker(const test::GraphParts& parts, const PluginSet& plugins)
      : parts_(parts), plugins_(plugins), names_(NameOutputs(plugins, parts.nodes)) {
    graph_.source = std::make_shared<const SourceFile>();
    made_.late.resize(parts.nodes.size());
  }

  Result<MadeGraph> Make() {
    for (size_t i = 0; i < parts_.nodes.size() && trouble_.ok(); ++i) AddNode(i);
    for (size_t i = 0; i < parts_.nodes.size(); ++i) AddOutputs(i);
    if (!trouble_.ok()) return trouble_;
    made_.graph = std::make_shared<const Graph>(std::move(graph_));
    return std::move(made_);
  }

 private:
  Span Place(size_t node, std::string subject) {
    made_.subjects.push_back({node, std::move(subject)});
    const auto line = static_cast<uint32_t>(made_.subjects.size());
    return {{line, 1}, {line, 2}};
  }

  void Fail(std::string why) {
    if (trouble_.ok()) trouble_ = InvalidArgument(std::move(why));
  }

  // The input's name in the op's spec; its number if the op has no such input, which planning reports.
  std::string InputName(const NodePart& part, size_t i) const {
    const RegisteredOp* const op = plugins_.FindOp(part.op);
    const bool named = op != nullptr && i < op->def.inputs.size();
    return named ? op->def.inputs[i].name : std::to_string(i);
  }

  void AddNode(size_t index) {
    const NodePart& part = parts_.nodes[index];
    if (!taken_.insert(part.name).second) return Fail(fmt::format("two nodes of the test are called '{}'", part.name));
    Node node;
    node.span = Place(index, "");
    node.name = {part.name, node.span};
    node.op = {part.op, node.span};
    node.inputs_span = node.span;
    for (size_t i = 0; i < part.inputs.size(); ++i) node.inputs.push_back(Input(index, i));
    for (const auto& [name, value] : part.attrs) {
      const Span span = Place(index, "attr:" + name);
      node.attrs.push_back({{name, span}, ToValue(value, span)});
    }
    for (const size_t other : part.after) node.after.push_back({parts_.nodes[other].name, node.span});
    if (!part.label.empty()) node.label = {part.label, node.span};
    graph_.nodes.push_back(std::move(node));
  }

  NodeInput Input(size_t node, size_t i) {
    const InputPart& part = parts_.nodes[node].inputs[i];
    const std::string name = InputName(parts_.nodes[node], i);
    NodeInput input;
    input.span = Place(node, "input:" + name);
    input.list = part.list;
    if (part.source == InputPart::Source::kNode) {
      input.from.push_back({parts_.nodes[part.node].name, part.output, -1, input.span});
    } else if (part.source == InputPart::Source::kHandle) {
      input.from.push_back(Handle(part, fmt::format("{}.{}", parts_.nodes[node].name, name), input.span));
    }
    for (size_t e = 0; e < part.arrays.size(); ++e) {
      const std::string element = part.list ? fmt::format("{}.{}", name, e) : name;
      input.from.push_back(Fed(node, i, e, element));
    }
    if (part.arrays.empty()) made_.late[node].emplace_back();
    return input;
  }

  // Adds a feed for the array, and for a kNotEvenMemory input a node that makes its memory unknown too.
  Reference Fed(size_t node, size_t input, size_t element, const std::string& name) {
    const InputPart& part = parts_.nodes[node].inputs[input];
    const test::Array& array = part.arrays[element];
    Result<Tensor> tensor = ToTensor(array);
    if (!tensor.ok()) {
      Fail(fmt::format("input:{}: {}", name, tensor.status().message()));
      return {};
    }
    Feed feed;
    feed.span = Place(node, "input:" + name);
    feed.name = {fmt::format("{}.{}", parts_.nodes[node].name, name), feed.span};
    feed.dtype = {DTypeFromNumber(array.dtype), feed.span};
    feed.source = part.known == Known::kValue ? Feed::Source::kValue : Feed::Source::kDeclared;
    if (part.known == Known::kShape) feed.shape = {array.shape, feed.span};
    if (part.known == Known::kValue)
      feed.value = *std::move(tensor);
    else
      made_.fed.push_back({feed.name.value, node, input, element});
    Reference reference{feed.name.value, "", -1, feed.span};
    graph_.feeds.push_back(std::move(feed));
    if (part.known != Known::kNotEvenMemory) {
      made_.late[node].emplace_back();
      return reference;
    }
    const std::string late = "late " + reference.name;
    graph_.nodes.push_back(OwnNode(late, kLateOp, reference));
    made_.late[node].push_back(late);
    return {late, "", -1, reference.span};
  }

  Reference Handle(const InputPart& part, const std::string& name, Span span) {
    Node node = OwnNode("handle " + name, kHandleOp, {});
    node.inputs.clear();
    node.attrs.push_back({{"name", span}, ToValue(part.handle_name, span)});
    node.attrs.push_back({{"type", span}, ToValue(part.handle_type, span)});
    graph_.nodes.push_back(node);
    return {node.name.value, "", -1, span};
  }

  static Node OwnNode(const std::string& name, const char* op, const Reference& input) {
    Node node;
    node.span = node.inputs_span = input.span;
    node.name = {name, input.span};
    node.op = {op, input.span};
    NodeInput& from = node.inputs.emplace_back();
    from.span = input.span;
    from.from.push_back(input);
    return node;
  }

  // Every tensor with values is an output. If an input is late, readers record the addresses of the outputs.
  void AddOutputs(size_t node) {
    const std::vector<std::string>& late = made_.late[node];
    const bool watched = std::any_of(late.begin(), late.end(), [](const std::string& name) { return !name.empty(); });
    made_.outputs.emplace_back();
    made_.readers.emplace_back();
    for (const NamedOutput& output : names_[node]) {
      const Reference from{parts_.nodes[node].name, output.output, output.index,
                           Place(node, "output:" + output.output)};
      const std::string name = fmt::format("{}.{}", from.name, made_.outputs[node].size());
      const bool has_values = HasValues(output.dtype);
      made_.outputs[node].push_back(has_values ? static_cast<int>(graph_.outputs.size()) : -1);
      made_.readers[node].push_back(watched ? "reader " + name : "");
      if (watched) graph_.nodes.push_back(OwnNode("reader " + name, kReaderOp, from));
      if (!has_values) continue;
      GraphOutput& result = graph_.outputs.emplace_back();
      result.name = {name, from.span};
      result.from = from;
    }
  }

  const test::GraphParts& parts_;
  const PluginSet& plugins_;
  const std::vector<std::vector<NamedOutput>> names_;
  std::set<std::string> taken_;
  Graph graph_;
  MadeGraph made_;
  Status trouble_;
};

using Outputs = std::vector<std::vector<NamedOutput>>;

// The types of the tensors passed to an argument. *list: it is passed a list.
std::vector<DType> TypesOf(const InputPart& part, const Outputs& earlier, bool* list) {
  std::vector<DType> types;
  *list = part.list;
  if (part.source == InputPart::Source::kHandle) return {DType::kResource};
  for (const test::Array& array : part.arrays) types.push_back(DTypeFromNumber(array.dtype));
  if (part.source != InputPart::Source::kNode || part.node >= earlier.size()) return types;
  for (const NamedOutput& output : earlier[part.node]) {
    if (!part.output.empty() && part.output != output.output) continue;
    types.push_back(output.dtype);
    *list = *list || output.index >= 0;
  }
  return types;
}

// One entry per argument. If the op's only input is a list, all single tensors form that list.
std::vector<std::optional<spec::InputTypes>> InputTypesOf(const spec::OpDef& op, const NodePart& node,
                                                          const Outputs& earlier) {
  std::vector<std::optional<spec::InputTypes>> types;
  const bool one_list = op.inputs.size() == 1 && op.inputs[0].is_list() &&
                        std::none_of(node.inputs.begin(), node.inputs.end(), [](const InputPart& p) { return p.list; });
  if (one_list) types.emplace_back(spec::InputTypes{true, {}});
  for (const InputPart& part : node.inputs) {
    bool list = false;
    const std::vector<DType> given = TypesOf(part, earlier, &list);
    if (!one_list) types.emplace_back(spec::InputTypes{list, {}});
    types.back()->types.insert(types.back()->types.end(), given.begin(), given.end());
  }
  return types;
}

std::vector<NamedOutput> OutputsOf(const spec::OpDef& op, const NodePart& node, const Outputs& earlier) {
  const Result<std::map<std::string, spec::AttrValue>> attrs = ConvertAttrs(op, node.attrs);
  if (!attrs.ok()) return {};
  const spec::Inference inference = spec::InferAttrs(op, InputTypesOf(op, node, earlier), *attrs);
  if (!inference.ok()) return {};
  std::vector<NamedOutput> outputs;
  for (const spec::ArgRange& range : inference.signature.out_args) {
    for (uint32_t i = 0; i < range.count; ++i) {
      outputs.push_back({range.name, range.list ? int64_t{i} : -1, inference.signature.out_types[range.first + i]});
    }
  }
  return outputs;
}

// "node 'b': " if there are several nodes.
std::string NodeText(const MadeGraph& made, std::string_view name) {
  return made.outputs.size() > 1 ? fmt::format("node '{}': ", name) : "";
}

// "G217: input:x: message", then help and notes, one per line.
std::string DiagnosticText(const MadeGraph& made, const Diagnostic& d, const test::GraphParts& parts) {
  std::string text = std::string(d.code.text()) + ": ";
  if (const TestSubject* const subject = made.SubjectOf(d.where)) {
    text += NodeText(made, parts.nodes[subject->node].name);
    if (!subject->subject.empty()) text += subject->subject + ": ";
  }
  text += d.message;
  for (const std::string& help : d.help) text += "\n  help: " + help;
  for (const std::string& note : d.notes) text += "\n  note: " + note;
  return text;
}

std::string ErrorsText(const MadeGraph& made, const Diagnostics& diagnostics, const test::GraphParts& parts) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity != Diagnostic::Severity::kError) continue;
    text += (text.empty() ? "" : "\n") + DiagnosticText(made, d, parts);
  }
  return text;
}

}  // namespace

const TestSubject* MadeGraph::SubjectOf(Span where) const {
  const uint32_t line = where.begin.line;
  return line == 0 || line > subjects.size() ? nullptr : &subjects[line - 1];
}

Result<MadeGraph> MakeGraph(const test::GraphParts& parts, const PluginSet& plugins) {
  return Maker(parts, plugins).Make();
}

Outputs NameOutputs(const PluginSet& plugins, const std::vector<NodePart>& nodes) {
  Outputs outputs;
  for (const NodePart& node : nodes) {
    const RegisteredOp* const op = plugins.FindOp(node.op);
    outputs.push_back(op == nullptr ? std::vector<NamedOutput>() : OutputsOf(op->def, node, outputs));
  }
  return outputs;
}

Result<std::unique_ptr<PlannedTest>> PlannedTest::Make(const test::GraphParts& parts, const PluginSet& plugins) {
  Result<MadeGraph> made = MakeGraph(parts, plugins);
  if (!made.ok()) return made.status();
  std::unique_ptr<PlannedTest> planned(new PlannedTest);
  planned->made_ = *std::move(made);
  const std::shared_ptr<LoadedGraph> loaded = plugins.engine->LoadGraph(planned->made_.graph);
  planned->plan_ = loaded->Plan();
  if (planned->plan_ == nullptr) return InvalidArgument(ErrorsText(planned->made_, loaded->diagnostics(), parts));
  Result<std::unique_ptr<Lane>> lane = Lane::Create(planned->plan_->plan(), planned->plan_->Context(nullptr));
  if (!lane.ok()) return lane.status();
  planned->lane_ = *std::move(lane);
  return planned;
}

Status PlannedTest::Feed(const test::GraphParts& parts) {
  for (const FedArray& fed : made_.fed) {
    const Result<Tensor> tensor = ToTensor(parts.nodes[fed.node].inputs[fed.input].arrays[fed.element]);
    if (!tensor.ok()) return tensor.status();
    if (const Status set = lane_->SetFeed(fed.feed, *tensor); !set.ok()) return set;
  }
  return OkStatus();
}

std::string PlannedTest::FailureText(const RunFailure& failure) const {
  const Status& status = failure.status;
  const std::string subject = status.subject().empty() ? "" : status.subject() + ": ";
  const Plan& plan = plan_->plan();
  const Step& step = plan.steps[failure.step];
  const bool is_part = !failure.of_part.empty();
  const Step& failed = is_part ? step.more->part->members[failure.of_part.front().node] : step;
  const std::string node = NodeText(made_, plan.NodeName(failed));
  return CodeName(status.code()) + ": " + node + subject + status.message();
}

std::string PlannedTest::Run(const test::GraphParts& parts) {
  if (const Status fed = Feed(parts); !fed.ok()) return fed.message();
  const std::optional<RunFailure> failure = lane_->Run();
  return failure ? FailureText(*failure) : "";
}

}  // namespace opsrun::host
