// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "host/plan/explain/explain.h"
#include "host/plan/planning.h"
#include "host/spec/op_def.h"

namespace opsrun::host {
namespace {

// An allowed value as YAML.
std::string ExampleElement(const spec::AttrDef& attr) {
  if (!attr.allowed_strings.empty()) return fmt::format("'{}'", attr.allowed_strings.front());
  if (!attr.allowed_types.empty()) return AllowedWords(attr).front();
  switch (attr.type.kind) {
    case OPSRUN_ATTR_INT:
      return attr.type.list ? "1" : fmt::format("{}", std::max<int64_t>(1, attr.minimum.value_or(1)));
    case OPSRUN_ATTR_FLOAT:
      return "0.5";
    case OPSRUN_ATTR_BOOL:
      return "true";
    case OPSRUN_ATTR_TYPE:
      return "float32";
    case OPSRUN_ATTR_SHAPE:
      return "[2, -1]";
    case OPSRUN_ATTR_TENSOR:
      return "[1, 2]";
    default:
      return "'text'";
  }
}

std::string Example(const spec::AttrDef& attr) {
  if (!attr.type.list) return ExampleElement(attr);
  constexpr int64_t kShown = 4;
  const int64_t count = std::clamp<int64_t>(attr.minimum.value_or(1), 1, kShown);
  return fmt::format("[{}]",
                     fmt::join(std::vector<std::string>(static_cast<size_t>(count), ExampleElement(attr)), ", "));
}

}  // namespace

std::vector<std::string> AllowedWords(const spec::AttrDef& attr) {
  std::vector<std::string> words = attr.allowed_strings;
  for (const DType dtype : attr.allowed_types) words.emplace_back(DTypeName(dtype));
  return words;
}

std::string MissingAttrHelp(const spec::AttrDef& attr) {
  const std::string allowed = spec::AllowedText(attr);
  const std::string may_be = allowed.empty() ? "" : fmt::format("; it may be {}", allowed);
  return fmt::format("add it, such as attrs: {{{}: {}}}{}", attr.name, Example(attr), may_be);
}

std::string KindOfAttr(const spec::AttrDef& attr) {
  if (attr.type.kind != OPSRUN_ATTR_TYPE) return spec::AttrTypeName(attr.type);
  return attr.type.list ? "a list of data types" : "a data type";
}

namespace {

// The index of the input that determines the attr, or -1.
int GivingInput(const spec::OpDef& op, const std::string& attr) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const spec::ArgDef& arg = op.inputs[i];
    if (arg.type_attr == attr || arg.type_list_attr == attr || arg.number_attr == attr) return static_cast<int>(i);
  }
  return -1;
}

const NodeInput* FindInput(const Node& node, const spec::OpDef& op, size_t arg) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const std::string& name = node.inputs[i].arg.value;
    if (name.empty() ? i == arg : name == op.inputs[arg].name) return &node.inputs[i];
  }
  return nullptr;
}

// The output that the reference names; null if the op does not have it.
const spec::ArgDef* FindOutput(const spec::OpDef& op, const Reference& reference) {
  for (const spec::ArgDef& output : op.outputs) {
    if (reference.output.empty() || output.name == reference.output) return &output;
  }
  return nullptr;
}

// Follows a node's attr step by step to its origin.
class Chain {
 public:
  Chain(const Planning& p, const Node& node, const spec::OpDef& op, std::string attr)
      : p_(p), node_(&node), op_(&op), attr_(std::move(attr)) {}

  // Starts at a value.
  Chain(const Planning& p, const Reference& from) : p_(p) { done_ = GoTo(from); }

  AttrOrigin Follow() {
    constexpr size_t kFollowed = 1000;
    while (links_ < kFollowed && !done_) {
      done_ = IsEnd();
      if (!done_) ++links_;
    }
    if (links_ == kFollowed) EndAt("what stands further up", node_->op.span);
    return std::move(origin_);
  }

 private:
  bool End(std::string text, Span where) {
    origin_.text = std::move(text);
    origin_.where = where;
    return true;
  }
  bool EndAt(const std::string& last, Span where) { return End(fmt::format("from {}{}", path_, last), where); }

  bool IsEnd() {
    if (const NodeAttr* written = node_->FindAttr(attr_)) {
      origin_.written = path_.empty();
      return EndAt(fmt::format("attr '{}' of node '{}'", attr_, node_->name.value), written->value.span);
    }
    const int arg = GivingInput(*op_, attr_);
    const NodeInput* input = arg < 0 ? nullptr : FindInput(*node_, *op_, static_cast<size_t>(arg));
    if (input == nullptr || input->from.empty()) return IsDefault();
    if (op_->inputs[static_cast<size_t>(arg)].number_attr == attr_) {
      return EndAt(fmt::format("the length of input '{}'", op_->inputs[static_cast<size_t>(arg)].name), input->span);
    }
    return GoTo(ElementOf(*input, op_->inputs[static_cast<size_t>(arg)]));
  }

  // Element k of a list of types is the type of tensor k.
  const Reference& ElementOf(const NodeInput& input, const spec::ArgDef& arg) const {
    const bool one_each = element_ && arg.type_list_attr == attr_;
    if (one_each && input.list && *element_ < input.from.size()) return input.from[*element_];
    const bool by_position = one_each && !input.list && op_->inputs.size() == 1 && *element_ < node_->inputs.size();
    return by_position ? node_->inputs[*element_].from.front() : input.from.front();
  }

  bool IsDefault() {
    if (path_.empty()) return End("is the default", {});
    return EndAt(fmt::format("the default of attr '{}' of node '{}'", attr_, node_->name.value), node_->op.span);
  }

  bool GoTo(const Reference& from) {
    const NameTarget& target = p_.names.at(from.name);
    if (target.kind == NameTarget::Kind::kFeed) {
      const Feed& feed = p_.graph.feeds[target.index];
      return EndAt(fmt::format("feed '{}'", feed.name.value), feed.dtype ? feed.dtype->span : feed.name.span);
    }
    node_ = p_.nodes[target.index].node;
    op_ = &p_.nodes[target.index].op->def;
    const spec::ArgDef* output = FindOutput(*op_, from);
    const bool fixed = output == nullptr || (output->type_attr.empty() && output->type_list_attr.empty());
    if (fixed) {
      return EndAt(fmt::format("node '{}': op '{}' always produces it", from.name, op_->name), node_->op.span);
    }
    constexpr size_t kShown = 3;
    if (links_ < kShown) path_ += fmt::format("'{}' <- ", from.name);
    if (links_ == kShown) path_ += "... <- ";
    attr_ = output->type_attr.empty() ? output->type_list_attr : output->type_attr;
    element_.reset();
    if (output->type_attr.empty() && from.index >= 0) element_ = static_cast<size_t>(from.index);
    return false;
  }

  const Planning& p_;
  const Node* node_ = nullptr;
  const spec::OpDef* op_ = nullptr;
  std::string attr_;
  std::optional<size_t> element_;  // the element of attr_, if that is a list of types
  std::string path_;
  size_t links_ = 0;
  bool done_ = false;
  AttrOrigin origin_;
};

}  // namespace

AttrOrigin FindAttrOrigin(const Planning& p, const Node& node, const spec::OpDef& op, const std::string& attr) {
  AttrOrigin origin = Chain(p, node, op, attr).Follow();
  if (origin.text.starts_with("from ")) origin.text.insert(0, "comes ");
  return origin;
}

AttrOrigin FindTypeOrigin(const Planning& p, const Reference& from) {
  return Chain(p, from).Follow();
}

}  // namespace opsrun::host
