// host/plan/explain/blame.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/blame.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace opsrun::host {
namespace {

// The location of a tensor in a list, if `element` is its index.
Span ElementSpan(const NodeInput& input, const std::string& element) {
  size_t i = 0;
  const auto read = std::from_chars(element.data(), element.data() + element.size(), i);
  const bool is_number = !element.empty() && read.ec == std::errc();
  return is_number && input.list && i < input.from.size() ? input.from[i].span : input.span;
}

// For a list whose elements are the node's inputs: the location of the input at that index. If an earlier input is a
// list output, which counts as several, the location is approximate.
Span PlaceOfElement(const Node& node, const std::string& element) {
  size_t i = 0;
  const auto read = std::from_chars(element.data(), element.data() + element.size(), i);
  return read.ec == std::errc() && i < node.inputs.size() ? node.inputs[i].span : node.inputs_span;
}

// True if all inputs of the node are one list, written without its own brackets.
bool IsOneList(const Node& node, const std::vector<spec::ArgDef>& inputs) {
  const auto is_element = [](const NodeInput& input) { return input.arg.value.empty() && !input.list; };
  return inputs.size() == 1 && inputs[0].is_list() && std::all_of(node.inputs.begin(), node.inputs.end(), is_element);
}

Span InputSpan(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject) {
  const size_t dot = subject.find('.');
  const std::string name = subject.substr(0, dot);
  const std::string element = dot == std::string::npos ? "" : subject.substr(dot + 1);
  if (!element.empty() && IsOneList(node, inputs)) return PlaceOfElement(node, element);
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const bool by_name = node.inputs[i].arg.value == name;
    const bool by_position = node.inputs[i].arg.value.empty() && i < inputs.size() && inputs[i].name == name;
    if (by_name || by_position) return ElementSpan(node.inputs[i], element);
  }
  return node.op.span;
}

// Codes that the graph or its values can cause; others are the plugin's fault.
bool GraphMayCause(int code) {
  constexpr int kCodes[] = {OPSRUN_INVALID_ARGUMENT, OPSRUN_NOT_FOUND,           OPSRUN_ALREADY_EXISTS,
                            OPSRUN_OUT_OF_RANGE,     OPSRUN_FAILED_PRECONDITION, OPSRUN_PERMISSION_DENIED};
  return std::find(std::begin(kCodes), std::end(kCodes), code) != std::end(kCodes);
}

}  // namespace

Span BlamedSpan(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subjects) {
  const std::string subject = subjects.substr(0, subjects.find(' '));
  const size_t colon = subject.find(':');
  if (colon == std::string::npos) return node.op.span;
  const std::string kind = subject.substr(0, colon), name = subject.substr(colon + 1);
  const NodeAttr* const attr = kind == "attr" ? node.FindAttr(name) : nullptr;
  if (attr != nullptr) return attr->value.span;
  if (kind == "input") return InputSpan(node, inputs, name);
  return node.op.span;
}

void Blame(const Node& node, const std::vector<spec::ArgDef>& inputs, const std::string& subject, Diagnostic& error) {
  error.where = BlamedSpan(node, inputs, subject);
  for (size_t at = subject.find(' '); at != std::string::npos; at = subject.find(' ', at + 1)) {
    const Span other = BlamedSpan(node, inputs, subject.substr(at + 1));
    if (other.begin != error.where.begin) error.also.push_back({other, "and this"});
  }
}

bool IsOfPlugin(const Status& status) {
  const std::string& subject = status.subject();
  // A graph cannot cause a kernel to produce an output of another shape or type than its op declares.
  if (subject.starts_with("output:") && status.code() == OPSRUN_INVALID_ARGUMENT) return true;
  return !GraphMayCause(status.code()) && !subject.starts_with("attr:") && !subject.starts_with("input:");
}

std::string FailureHelp(const Status& status, const std::string& op, const std::string& plugin) {
  const std::string& subject = status.subject();
  if (IsOfPlugin(status)) return fmt::format("report this to the author of plugin '{}'", plugin);
  const char* what = subject.starts_with("attr:")    ? "this attr"
                     : subject.starts_with("input:") ? "this input or what it is computed from"
                                                     : "the inputs or attrs of this node";
  return fmt::format("change {}; for what the op accepts, see: opsrun explain {}", what, op);
}

void MarkForwardNode(const Graph& graph, const Node& node, Diagnostic& error) {
  if (!node.gradient_of) return;
  const auto forward = std::find_if(graph.nodes.begin(), graph.nodes.end(),
                                    [&](const Node& each) { return each.name.value == node.gradient_of->value; });
  if (forward == graph.nodes.end() || forward->name.span.begin == error.where.begin) return;
  error.also.push_back({forward->name.span, fmt::format("'{}' is part of the gradient of this node", node.name.value)});
}

void MarkForwardNodes(const Graph& graph, std::vector<Diagnostic>& errors) {
  for (Diagnostic& error : errors) {
    const auto node = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& each) {
      return each.gradient_of && each.name.span.begin <= error.where.begin && error.where.begin < each.span.end;
    });
    if (error.where.known() && node != graph.nodes.end()) MarkForwardNode(graph, *node, error);
  }
}

void AddFileHelp(const Status& status, bool npz, Diagnostic& d) {
  if (status.subject() == "key" || status.code() == OPSRUN_UNIMPLEMENTED) return;
  if (status.code() == OPSRUN_NOT_FOUND) {
    d.help.push_back("a path in a graph is relative to the folder of the graph file");
  } else {
    d.help.push_back(npz ? "use a file written by numpy.savez" : "use a file written by numpy.save");
  }
}

}  // namespace opsrun::host
