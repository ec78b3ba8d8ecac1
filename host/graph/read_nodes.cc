// host/graph/read_nodes.cc: the section "nodes", read and written.
// SPDX-License-Identifier: Apache-2.0

#include <fmt/core.h>

#include <string_view>
#include <unordered_map>

#include "host/base/text.h"
#include "host/graph/read_graph.h"
#include "host/yaml/simple_lines.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

class NodeReader {
 public:
  NodeReader(Value::Entry& entry, bool of_gradient, Node& node, Reporter& reporter)
      : entry_(entry), of_gradient_(of_gradient), node_(node), reporter_(reporter) {}

  bool Read() {
    Value& map = entry_.value;
    if (!CheckName(entry_, "a node", reporter_)) return false;
    if (map.kind != Value::Kind::kMap) {
      const std::string help = fmt::format("write {}: {{op: OP, in: ...}}", entry_.key);
      CheckKind(map, Value::Kind::kMap, fmt::format("node '{}'", entry_.key), help, reporter_);
      return false;
    }
    static const Fields fields{"a node",
                               {"op", "in", "attrs", "after", "label", "device", "stop_gradient", "isolate", "sandbox",
                                "gradient_of", "description"},
                               {}};
    static const Fields gradient_fields{
        "a node of a gradient", {"op", "in", "attrs", "each", "label", "description"}, {}};
    CorrectKeys(map, of_gradient_ ? gradient_fields : fields, reporter_);
    node_.name = {entry_.key, entry_.key_span};
    node_.span = map.span;
    node_.inputs_span = map.span;
    if (const Value* op = map.Find("op"); op != nullptr || !map.incomplete) ReadOp(op);
    if (const Value* in = map.Find("in")) ReadInputs(*in);
    if (const Value* attrs = map.Find("attrs")) ReadAttrs(*attrs);
    if (const Value* after = map.Find("after")) ReadAfter(*after);
    const auto take = [&](const char* key, const char* help, Rare<Located<std::string>>& to) {
      std::optional<Located<std::string>> text;
      ok_ = TakeText(map, key, help, text, reporter_) && ok_;
      if (text) to = std::move(text);
    };
    take("label", "write the label of a kernel, or leave it out", node_.label);
    take("device", "write cpu, gpu, or gpu:1 for the second one", node_.device);
    ok_ = TakeFlag(map, "stop_gradient", node_.stop_gradient, reporter_) && ok_;
    ok_ = TakeFlag(map, "isolate", node_.isolate, reporter_) && ok_;
    ok_ = TakeFlag(map, "sandbox", node_.sandbox, reporter_) && ok_;
    take("gradient_of", "write the name of a node", node_.gradient_of);
    if (const Value* each = map.Find("each")) ReadEach(*each);
    return ok_ && (!map.incomplete || (map.Find("in") && map.Find("attrs")));
  }

 private:
  void ReadOp(const Value* op) {
    if (op != nullptr) {
      ok_ = Take(ReadText(*op, "'op'", "write the name of an op", reporter_), node_.op);
    } else {
      ok_ = reporter_.Refuse("G106", entry_.key_span, fmt::format("node '{}' has no 'op'", entry_.key),
                             "add 'op: NAME'; 'opsrun ops' lists the names");
    }
  }

  void ReadInputs(const Value& in) {
    node_.inputs_span = in.span;
    switch (in.kind) {
      case Value::Kind::kList:
        for (const Value& item : in.items) ReadInput({}, item);
        return;
      case Value::Kind::kMap:
        for (const Value::Entry& entry : in.entries) ReadInput({entry.key, entry.key_span}, entry.value);
        return;
      case Value::Kind::kScalar:
      case Value::Kind::kBytes:
        return ReadInput({}, in);
      case Value::Kind::kNull:
        ok_ = reporter_.Refuse("G105", in.span, "'in' is empty", "remove it if the op has no inputs");
    }
  }

  void ReadInput(Located<std::string> arg, const Value& value) {
    NodeInput input;
    input.arg = std::move(arg);
    input.span = value.span;
    input.list = value.kind == Value::Kind::kList;
    if (!input.list) {
      AddReference(value, input.from);
    } else {
      for (const Value& item : value.items) AddReference(item, input.from);
    }
    node_.inputs.push_back(std::move(input));
  }

  void AddReference(const Value& value, std::vector<Reference>& references) {
    ok_ = Take(ReadReference(value, reporter_, of_gradient_), references.emplace_back()) && ok_;
  }

  void ReadEach(const Value& each) {
    if (each.kind != Value::Kind::kList) return AddReference(each, node_.each);
    for (const Value& item : each.items) AddReference(item, node_.each);
  }

  void ReadAttrs(const Value& attrs) {
    ok_ = CheckKind(attrs, Value::Kind::kMap, "'attrs'", "write attrs: {NAME: VALUE}", reporter_) && ok_;
    for (const Value::Entry& entry : attrs.entries) {
      node_.attrs.push_back({{entry.key, entry.key_span}, entry.value});
    }
  }

  void ReadAfter(const Value& after) {
    if (after.kind != Value::Kind::kList) return AddAfter(after);
    for (const Value& item : after.items) AddAfter(item);
  }

  void AddAfter(const Value& value) {
    const std::string* const name = FindText(value);
    if (name != nullptr && IsName(*name)) return node_.after.push_back({*name, value.span});
    ok_ = reporter_.Refuse("G108", value.span, fmt::format("'after' takes node names, found {}", FoundText(value)),
                           "write after: NODE or after: [NODE, NODE]");
  }

  Value::Entry& entry_;
  const bool of_gradient_;
  Node& node_;
  Reporter& reporter_;
  bool ok_ = true;
};

}  // namespace

namespace {

void ReadNode(Value::Entry& entry, bool of_gradient, Graph& graph, Reporter& reporter) {
  if (NodeReader(entry, of_gradient, graph.nodes.emplace_back(), reporter).Read()) return;
  graph.nodes.pop_back();
  graph.left_out.push_back(entry.key);
}

}  // namespace

void ReadNodes(Value& section, bool of_gradient, Graph& graph, Reporter& reporter, SimpleLines* before) {
  if (!CheckKind(section, Value::Kind::kMap, "'nodes'", "write each node as NAME: {op: OP, in: ...}", reporter)) return;
  const size_t lines = before == nullptr ? 0 : before->size();
  graph.nodes.reserve(lines + section.entries.size());
  for (size_t i = 0; i < lines; ++i) {
    Value::Entry entry;
    before->Next(entry);
    ReadNode(entry, of_gradient, graph, reporter);
  }
  for (Value::Entry& entry : section.entries) ReadNode(entry, of_gradient, graph, reporter);
}

void DropNodesNamedLikeFeeds(Graph& graph, Reporter& reporter) {
  std::unordered_map<std::string_view, Span> feeds;
  for (const Feed& feed : graph.feeds) feeds.emplace(feed.name.value, feed.name.span);
  std::erase_if(graph.nodes, [&](const Node& node) {
    const auto feed = feeds.find(node.name.value);
    if (feed == feeds.end()) return false;
    Diagnostic& error =
        reporter.Error("G103", node.name.span, fmt::format("node '{}' has the same name as a feed", node.name.value));
    error.label = "also a node; the checks below use the feed";
    error.also.push_back({feed->second, "the feed is defined here"});
    error.help.push_back("rename one of them");
    return true;
  });
}

// References: "node", "node.output", "node.output.i".

namespace {

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::string_view rest = text;
  do {
    parts.emplace_back(TakePart(&rest, "."));
  } while (!rest.empty());
  if (text.ends_with('.')) parts.emplace_back();
  return parts;
}

std::optional<Reference> Refuse(const Value& value, const std::string& found, const std::string& help,
                                Reporter& reporter) {
  return reporter.Refuse("G108", value.span, fmt::format("expected a reference to a feed or a node, found {}", found),
                         help);
}

}  // namespace

std::string ReferenceText(const Reference& reference) {
  std::string text = reference.name;
  if (!reference.output.empty()) text += "." + reference.output;
  if (reference.index >= 0) text += fmt::format(".{}", reference.index);
  return text;
}

Reference ParseReference(const std::string& text, const Span& span) {
  if (text.find('.') == std::string::npos) return {text, {}, -1, span};
  const std::vector<std::string_view> parts = Split(text);
  Reference reference{std::string(parts[0]), {}, -1, span};
  if (parts.size() > 1) reference.output = parts[1];
  const std::optional<uint32_t> index = parts.size() > 2 ? ParseInteger<uint32_t>(parts[2]) : std::nullopt;
  if (index) reference.index = *index;
  return reference;
}

// A map if the inputs have names, otherwise a list by position.
Value NodeValue(const Node& node) {
  const auto input_value = [](const NodeInput& input) {
    if (!input.list && input.from.size() == 1) return StringValue(ReferenceText(input.from[0]));
    Value list = ListValue();
    for (const Reference& each : input.from) list.items.push_back(StringValue(ReferenceText(each)));
    return list;
  };
  Value map = MapValue();
  AddEntry(map, "op", StringValue(node.op.value));
  const bool named = !node.inputs.empty() && !node.inputs[0].arg.value.empty();
  Value inputs = named ? MapValue() : ListValue();
  for (const NodeInput& input : node.inputs) {
    if (named) {
      AddEntry(inputs, input.arg.value, input_value(input));
    } else {
      inputs.items.push_back(input_value(input));
    }
  }
  if (!node.inputs.empty()) AddEntry(map, "in", std::move(inputs));
  Value attrs = MapValue();
  for (const NodeAttr& attr : node.attrs) AddEntry(attrs, attr.name.value, attr.value);
  if (!node.attrs.empty()) AddEntry(map, "attrs", std::move(attrs));
  Value after = ListValue();
  for (const Located<std::string>& each : node.after) after.items.push_back(StringValue(each.value));
  if (!node.after.empty()) AddEntry(map, "after", std::move(after));
  if (node.label) AddEntry(map, "label", StringValue(node.label->value));
  if (node.device) AddEntry(map, "device", StringValue(node.device->value));
  if (node.isolate) AddEntry(map, "isolate", PlainValue("true"));
  if (node.sandbox) AddEntry(map, "sandbox", PlainValue("true"));
  if (node.gradient_of) AddEntry(map, "gradient_of", StringValue(node.gradient_of->value));
  return map;
}

std::optional<Reference> ReadReference(const Value& value, Reporter& reporter, bool of_lists) {
  constexpr const char* forms = "write 'NAME', 'NODE.OUTPUT' or 'NODE.OUTPUT.INDEX'";
  const std::string* const text = FindText(value);
  if (text == nullptr) return Refuse(value, FoundWithKind(value), forms, reporter);
  if (IsName(*text)) return Reference{*text, {}, -1, value.span};
  const std::vector<std::string_view> parts = Split(*text);
  Reference reference{std::string(parts[0]), {}, -1, value.span};
  if (!IsName(parts[0]) || parts.size() > 3) return Refuse(value, Quote(*text), forms, reporter);
  if (const std::optional<uint32_t> index = ParseInteger<uint32_t>(parts[1]); parts.size() == 2 && index) {
    reference.index = *index;
    if (of_lists) return reference;
    return Refuse(value, Quote(*text), fmt::format("name the output too: '{}.OUTPUT.{}'", parts[0], parts[1]),
                  reporter);
  }
  if (!IsName(parts[1])) return Refuse(value, Quote(*text), forms, reporter);
  reference.output = parts[1];
  if (parts.size() == 2) return reference;
  const std::optional<uint32_t> index = ParseInteger<uint32_t>(parts[2]);
  if (!index) return Refuse(value, Quote(*text), forms, reporter);
  reference.index = *index;
  return reference;
}

}  // namespace opsrun::host
