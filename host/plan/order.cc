// host/plan/order.cc: names, edges, and an order in which producers come first.
//
// A depth-first walk from the nodes in the order they are written: a graph that is written in a possible order keeps
// it. The nodes of a cycle are in the order too, somewhere: what is wrong in them apart from the cycle is found all the
// same.
//
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

struct Edge {
  uint32_t to = 0;  // a node that this one reads or waits for
  Span span;        // where it says so
};

class Orderer {
 public:
  explicit Orderer(Planning& p) : p_(p), state_(p.graph.nodes.size(), State::kNew) {}

  void Run() {
    for (uint32_t node = 0; node < state_.size(); ++node) Visit(node);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };
  struct Frame {
    uint32_t node = 0;
    std::vector<Edge> edges;
    size_t next = 0;
    Span entered;  // the place in the node below it on the stack that leads here
  };

  // Iterative: a chain of a million nodes is no deeper than one of two.
  void Visit(uint32_t root) {
    if (state_[root] != State::kNew) return;
    Open(root, {});
    while (!stack_.empty()) {
      Frame& top = stack_.back();
      if (top.next == top.edges.size()) {
        state_[top.node] = State::kDone;
        p_.order.push_back(top.node);
        stack_.pop_back();
        continue;
      }
      const Edge edge = top.edges[top.next++];
      if (state_[edge.to] == State::kNew) {
        Open(edge.to, edge.span);
      } else if (state_[edge.to] == State::kOpen) {
        ReportCycle(edge);
      }
    }
  }

  void Open(uint32_t node, Span entered) {
    state_[node] = State::kOpen;
    stack_.push_back({node, EdgesOf(p_.graph.nodes[node]), 0, entered});
  }

  std::vector<Edge> EdgesOf(const Node& node) {
    std::vector<Edge> edges;
    for (const NodeInput& input : node.inputs) {
      for (const Reference& reference : input.from) AddEdge(edges, reference.name, reference.span);
    }
    for (const Located<std::string>& after : node.after) {
      if (IsFeed(after.value)) ReportAfterFeed(after);
      AddEdge(edges, after.value, after.span);
    }
    if (node.gradient_of) CheckName(node.gradient_of->value, node.gradient_of->span);
    return edges;
  }

  bool IsFeed(const std::string& name) const {
    const auto target = p_.names.find(name);
    return target != p_.names.end() && target->second.kind == NameTarget::Kind::kFeed;
  }

  void ReportAfterFeed(const Located<std::string>& after) {
    p_.Error("G108", fmt::format("'after' takes names of nodes, and '{}' is a feed", after.value), after.span)
        .help.push_back("leave it out: feeds are there before any node runs");
  }

  void AddEdge(std::vector<Edge>& edges, const std::string& name, Span span) {
    if (!CheckName(name, span)) return;
    const NameTarget& target = p_.names.at(name);
    if (target.kind == NameTarget::Kind::kNode) edges.push_back({target.index, span});
  }

  bool CheckName(const std::string& name, Span span) {
    if (p_.names.contains(name)) return true;
    if (!p_.LeftOut(name)) p_.ReportUnknownName(name, span);
    return false;
  }

  // The nodes from edge.to to the top of the stack wait for each other.
  void ReportCycle(const Edge& edge) {
    const auto first = std::find_if(stack_.begin(), stack_.end(), [&](const Frame& f) { return f.node == edge.to; });
    std::string path;
    for (auto frame = first; frame != stack_.end(); ++frame) path += NameOf(frame->node) + " -> ";
    Diagnostic& error =
        p_.Error("G205", fmt::format("the nodes wait for each other in a cycle: {}{}", path, NameOf(edge.to)),
                 edge.span, fmt::format("'{}' waits for '{}'", NameOf(stack_.back().node), NameOf(edge.to)));
    constexpr size_t kShown = 6;
    for (auto frame = first + 1; frame < stack_.end() && error.also.size() < kShown; ++frame) {
      error.also.push_back(
          {frame->entered, fmt::format("'{}' waits for '{}'", NameOf((frame - 1)->node), NameOf(frame->node))});
    }
    error.help.push_back("take one of these inputs from elsewhere: a graph has no loops");
  }

  const std::string& NameOf(uint32_t node) const { return p_.graph.nodes[node].name.value; }

  Planning& p_;
  std::vector<State> state_;
  std::vector<Frame> stack_;
};

}  // namespace

void PlanOrder(Planning& p) {
  p.nodes.resize(p.graph.nodes.size());
  p.names.reserve(p.graph.feeds.size() + p.graph.nodes.size());
  for (uint32_t i = 0; i < p.graph.feeds.size(); ++i)
    p.names[p.graph.feeds[i].name.value] = {NameTarget::Kind::kFeed, i};
  for (uint32_t i = 0; i < p.graph.nodes.size(); ++i)
    p.names[p.graph.nodes[i].name.value] = {NameTarget::Kind::kNode, i};
  p.order.reserve(p.graph.nodes.size());
  Orderer(p).Run();
}

}  // namespace opsrun::host
