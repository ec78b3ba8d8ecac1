// host/graph/read_nodes.cc: the section "nodes".
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_nodes.h"

#include <fmt/core.h>

#include <utility>

#include "host/graph/fields.h"
#include "host/graph/read_reference.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

const Fields& NodeFields() {
  static const Fields fields{"a node", {"op", "in", "attrs", "after", "label", "description"}, {"device"}};
  return fields;
}

class NodeReader {
 public:
  NodeReader(const Value::Entry& entry, Reporter& reporter) : entry_(entry), reporter_(reporter) {}

  std::optional<Node> Read() {
    const Value& map = entry_.value;
    if (!CheckName(entry_, "a node", reporter_)) return std::nullopt;
    if (map.kind != Value::Kind::kMap) {
      const std::string help = fmt::format("write {}: {{op: OP, in: ...}}", entry_.key);
      CheckKind(map, Value::Kind::kMap, fmt::format("node '{}'", entry_.key), help, reporter_);
      return std::nullopt;
    }
    CheckKeys(map, NodeFields(), reporter_);
    node_.name = {entry_.key, entry_.key_span};
    node_.span = map.span;
    node_.inputs_span = map.span;
    if (const Value* op = map.Find("op"); op != nullptr || !map.incomplete) ReadOp(op);
    if (const Value* in = map.Find("in")) ReadInputs(*in);
    if (const Value* attrs = map.Find("attrs")) ReadAttrs(*attrs);
    if (const Value* after = map.Find("after")) ReadAfter(*after);
    if (const Value* label = map.Find("label")) ReadLabel(*label);
    if (!ok_ || map.incomplete) return std::nullopt;
    return std::move(node_);
  }

 private:
  void ReadOp(const Value* op) {
    if (op == nullptr) {
      Diagnostic& error = reporter_.Error("G106", entry_.key_span, fmt::format("node '{}' has no 'op'", entry_.key));
      error.help.push_back("add 'op: NAME'; 'opsrun ops' lists the names");
      ok_ = false;
      return;
    }
    std::optional<Located<std::string>> name = ReadText(*op, "'op'", "write the name of an op", reporter_);
    ok_ = ok_ && name;
    if (name) node_.op = *std::move(name);
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
        return ReadInput({}, in);
      case Value::Kind::kNull:
        reporter_.Error("G105", in.span, "'in' holds nothing").help.push_back("leave it out for an op without inputs");
        ok_ = false;
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
    std::optional<Reference> reference = ReadReference(value, reporter_);
    ok_ = ok_ && reference;
    if (reference) references.push_back(*std::move(reference));
  }

  void ReadAttrs(const Value& attrs) {
    if (!CheckKind(attrs, Value::Kind::kMap, "'attrs'", "write attrs: {NAME: VALUE}", reporter_)) {
      ok_ = false;
      return;
    }
    for (const Value::Entry& entry : attrs.entries) {
      node_.attrs.push_back({{entry.key, entry.key_span}, entry.value});
    }
  }

  void ReadAfter(const Value& after) {
    if (after.kind != Value::Kind::kList) return AddAfter(after);
    for (const Value& item : after.items) AddAfter(item);
  }

  void AddAfter(const Value& value) {
    const std::optional<std::string> name = AsString(value);
    if (name && IsName(*name)) return node_.after.push_back({*name, value.span});
    const std::string found = value.kind == Value::Kind::kScalar ? Quote(value.text) : KindText(value);
    Diagnostic& error =
        reporter_.Error("G108", value.span, fmt::format("'after' takes names of nodes, found {}", found));
    error.help.push_back("write after: NODE or after: [NODE, NODE]");
    ok_ = false;
  }

  void ReadLabel(const Value& label) {
    node_.label = ReadText(label, "'label'", "write the label of a kernel, or leave it out", reporter_);
    ok_ = ok_ && node_.label;
  }

  const Value::Entry& entry_;
  Reporter& reporter_;
  Node node_;
  bool ok_ = true;
};

}  // namespace

void ReadNodes(const Value& section, Graph& graph, Reporter& reporter) {
  if (!CheckKind(section, Value::Kind::kMap, "'nodes'", "write each node as NAME: {op: OP, in: ...}", reporter)) return;
  graph.nodes.reserve(section.entries.size());
  for (const Value::Entry& entry : section.entries) {
    if (std::optional<Node> node = NodeReader(entry, reporter).Read()) {
      graph.nodes.push_back(*std::move(node));
    } else {
      graph.left_out.push_back(entry.key);
    }
  }
}

}  // namespace opsrun::host
