// opsrun_compat/node_def.h: NodeDef, a node as a message; AttrSlice and GetNodeAttr, which read its attrs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/signature.h"
#include "opsrun_compat/attr_value_util.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// A node as the host describes it: its name, which may be empty, its op, the names of the op's inputs instead of the
// nodes that feed them, and the attrs. The device is empty.
//
// The attrs are those of OpKernelConstruction::def(); access to those of OpKernel::def() fails the running call.
class NodeDef : public internal::ProtoMessage<NodeDef> {
 public:
  NodeDef() = default;
  template <typename Create, typename = std::enable_if_t<std::is_same_v<Create, opsrun_create>>>
  explicit NodeDef(const Create& create)
      : NodeDef(internal::TextOf(create.node), internal::TextOf(create.op), internal::InputsOf(create)) {
    for (uint32_t i = 0; i < create.n_attrs; ++i) {
      (*mutable_attr())[std::string(internal::TextOf(create.attrs[i].name))] = internal::ValueOf(create.attrs[i]);
    }
  }

  OPSRUN_TEXT_FIELD(1, name)
  OPSRUN_TEXT_FIELD(2, op)
  OPSRUN_TEXTS_FIELD(3, input)
  OPSRUN_TEXT_FIELD(4, device)
  OPSRUN_MAP_FIELD(5, AttrValueMap, attr)

 private:
  OPSRUN_COLD NodeDef(std::string_view name, std::string_view op, const internal::Arguments& inputs)
      : name_(name), op_(op) {
    for (int i = 0; i < inputs.size(); ++i) {
      const opsrun_arg* argument = inputs.At(i);
      std::string input(argument == nullptr ? std::string_view() : internal::TextOf(argument->name));
      if (argument != nullptr && (argument->flags & OPSRUN_ARG_LIST) != 0) {
        input += ":" + std::to_string(static_cast<uint32_t>(i) - argument->first);
      }
      add_input(input);
    }
  }
};

inline std::string SummarizeNodeDef(const NodeDef& node) {
  return node.name() + " = " + node.op();
}
inline std::string FormatNodeDefForError(const NodeDef& node) {
  return SummarizeNodeDef(node);
}

// A view of a node's attrs. The node must outlive it.
class AttrSlice {
 public:
  AttrSlice() : AttrSlice(&NodeDef::default_instance().attr()) {}
  AttrSlice(const NodeDef& node) : AttrSlice(&node.attr()) {}
  explicit AttrSlice(const AttrValueMap* attrs) : attrs_(attrs) {}

  int size() const { return static_cast<int>(attrs_->size()); }
  AttrValueMap::const_iterator begin() const { return attrs_->begin(); }
  AttrValueMap::const_iterator end() const { return attrs_->end(); }
  // NULL: there is no attr of that name.
  const AttrValue* Find(StringPiece name) const {
    const auto found = attrs_->find(std::string(name.data(), name.size()));
    return found == attrs_->end() ? nullptr : &found->second;
  }
  ReturnedStatus Find(StringPiece name, const AttrValue** value) const {
    *value = Find(name);
    if (*value != nullptr) return Status();
    std::string names;
    for (const auto& attr : *attrs_) names += (names.empty() ? "" : ", ") + attr.first;
    return errors::NotFound("The node has no attr '", name, "' (it has: ", names.empty() ? "none" : names, ")");
  }

 private:
  const AttrValueMap* attrs_;
};

// Reads an attr as one of the types of OpKernelConstruction::GetAttr, a message, a vector of one of these, or const
// TensorProto* or NameAttrList*, which point into the node. INVALID_ARGUMENT: it has another kind or does not fit.
template <typename T>
ReturnedStatus GetNodeAttr(const AttrSlice& attrs, StringPiece name, T* value) {
  const AttrValue* attr = nullptr;
  TF_RETURN_IF_ERROR(attrs.Find(name, &attr));
  if (internal::FromAttrValue(*attr, value)) return Status();
  return errors::InvalidArgument("Attr '", name, "' has the value '", attr->ShortDebugString(),
                                 "', which does not fit the C++ type it is read into");
}
// Returns false in these cases.
template <typename T>
bool TryGetNodeAttr(const AttrSlice& attrs, StringPiece name, T* value) {
  const AttrValue* attr = attrs.Find(name);
  return attr != nullptr && internal::FromAttrValue(*attr, value);
}
inline bool HasNodeAttr(const NodeDef& node, StringPiece name) {
  return AttrSlice(node).Find(name) != nullptr;
}

}  // namespace OPSRUN_HIDDEN
