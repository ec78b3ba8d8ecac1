// opsrun_compat/node_def.h: the attrs of a node as messages: AttrValues, from and to C++ types and as text; NodeDef,
// with AttrSlice and GetNodeAttr, which read its attrs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/signature.h"
#include "opsrun_compat/tensor_proto.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Calls f(field) for one field of a message, or for each that it visits.
template <typename F>
struct FieldVisitor {
  template <typename Self, typename T>
  void Field(int /*number*/, const char* /*name*/, Self& /*message*/, T& field) {
    f(field);
  }
  F f;
};
template <int kNumber, typename Message, typename F>
void WithField(Message& message, F f) {
  FieldVisitor<F> visitor{std::move(f)};
  Message::VisitField(FieldNumber<kNumber>(), message, visitor);
}

// The field of AttrValue that holds values of a C++ type.
template <typename T>
constexpr AttrValue::ValueCase CaseOf() {
  if constexpr (std::is_same_v<T, bool>) return AttrValue::kB;
  if constexpr (std::is_same_v<T, DataType>) return AttrValue::kType;
  if constexpr (std::is_integral_v<T>) return AttrValue::kI;
  if constexpr (std::is_floating_point_v<T>) return AttrValue::kF;
  if constexpr (std::is_convertible_v<const T&, StringPiece>) return AttrValue::kS;
  if constexpr (std::is_same_v<T, Tensor> || std::is_same_v<T, TensorProto>) return AttrValue::kTensor;
  return std::is_same_v<T, NameAttrList> ? AttrValue::kFunc : AttrValue::kShape;
}
template <typename T>
constexpr int kInList = CaseOf<T>() == AttrValue::kFunc ? 9 : CaseOf<T>();

// What a field stores: a number, a text or a message.
template <typename T>
const T& StoredIn(const T& field) {
  return field;
}
template <typename T>
const T& StoredIn(const Owned<T>& field) {
  return field.get();
}

template <typename T, typename Stored>
void Store(const T& value, Stored* to) {
  if constexpr (std::is_same_v<Stored, std::string>) {
    to->assign(StringPiece(value));
  } else if constexpr (std::is_same_v<T, Tensor>) {
    value.AsProtoField(to);
  } else if constexpr (std::is_same_v<Stored, TensorShapeProto> && !std::is_same_v<T, TensorShapeProto>) {
    ToProto(value, to);
  } else {
    *to = static_cast<Stored>(value);
  }
}
template <typename T, typename Stored>
void Store(const T& value, Owned<Stored>* to) {
  Store(value, to->mutable_get());
}
template <typename T, typename Stored>
void Store(const T& value, RepeatedPtrField<Stored>* to) {
  Store(value, to->Add());
}
template <typename T, typename Stored>
void Store(const T& value, RepeatedField<Stored>* to) {
  to->Add(static_cast<Stored>(value));
}

// False: the value is out of range.
template <typename T, typename Stored>
bool Load(const Stored& stored, T* value) {
  if constexpr (std::is_same_v<T, Tensor>) {
    return value->FromProto(stored);
  } else if constexpr (std::is_same_v<T, TensorShape>) {
    return IsValid(stored) && PartialTensorShape(stored).AsTensorShape(value);
  } else if constexpr (std::is_same_v<T, PartialTensorShape>) {
    if (!IsValid(stored)) return false;
    *value = stored;
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    *value = static_cast<T>(stored);
    return static_cast<Stored>(*value) == stored;
  } else {
    *value = stored;
    return true;
  }
}

// False: the value is of another kind, or out of range.
template <typename T>
bool FromAttrValue(const AttrValue& from, T* value) {
  bool ok = false;
  if (from.value_case() != CaseOf<T>()) return false;
  WithField<CaseOf<T>()>(from, [&](const auto& field) { ok = Load(StoredIn(field), value); });
  return ok;
}
// An empty list matches every kind of element.
template <typename T>
bool FromAttrValue(const AttrValue& from, std::vector<T>* values) {
  if (!from.has_list()) return false;
  values->clear();
  bool ok = true;
  WithField<kInList<T>>(from.list(), [&](const auto& field) {
    for (const auto& stored : field) {
      T value{};
      ok = ok && Load(stored, &value);
      values->push_back(value);
    }
  });
  return ok && (!values->empty() || from.list().ByteSizeLong() == 0);
}
// Pointers to messages inside of the AttrValue.
inline bool FromAttrValue(const AttrValue& from, const TensorProto** value) {
  *value = &from.tensor();
  return from.has_tensor();
}
inline bool FromAttrValue(const AttrValue& from, const NameAttrList** value) {
  *value = &from.func();
  return from.has_func();
}

template <typename T>
AttrValue ToAttrValue(const opsrun_attr& attr) {
  const auto element = [&attr](int64_t i) {
    T value{};
    AttrElement<T>::Get(attr, i, &value);
    return value;
  };
  AttrValue value;
  if ((attr.kind & OPSRUN_ATTR_LIST) == 0) {
    SetAttrValue(element(-1), &value);
    return value;
  }
  AttrValue::ListValue* list = value.mutable_list();
  for (int64_t i = 0; i < static_cast<int64_t>(attr.count); ++i) {
    WithField<kInList<T>>(*list, [&](auto& field) { Store(element(i), &field); });
  }
  return value;
}

template <>
struct AttrElement<NameAttrList> {
  static constexpr uint32_t kKind = OPSRUN_ATTR_FUNC;
  static bool Get(const opsrun_attr& attr, int64_t i, NameAttrList* value) {
    std::string name;
    AttrElement<std::string>::Get(attr, i, &name);
    value->set_name(name);
    return true;
  }
};

// Converts an attr of the host.
template <typename Attr>
OPSRUN_COLD AttrValue ValueOf(const Attr& attr) {
  const auto kind = attr.kind & ~OPSRUN_ATTR_LIST;
  if (kind == OPSRUN_ATTR_INT) return ToAttrValue<int64>(attr);
  if (kind == OPSRUN_ATTR_FLOAT) return ToAttrValue<float>(attr);
  if (kind == OPSRUN_ATTR_BOOL) return ToAttrValue<bool>(attr);
  if (kind == OPSRUN_ATTR_STRING) return ToAttrValue<std::string>(attr);
  if (kind == OPSRUN_ATTR_TYPE) return ToAttrValue<DataType>(attr);
  if (kind == OPSRUN_ATTR_SHAPE) return ToAttrValue<TensorShapeProto>(attr);
  if (kind == OPSRUN_ATTR_TENSOR) return ToAttrValue<TensorProto>(attr);
  return ToAttrValue<NameAttrList>(attr);
}

OPSRUN_COLD inline std::string QuotedText(const std::string& text) {
  constexpr size_t kLongest = 80, kEnd = 10;
  if (text.size() < kLongest) return "\"" + str_util::CEscape(text) + "\"";
  return "\"" + str_util::CEscape(text.substr(0, kEnd)) + "..." + str_util::CEscape(text.substr(text.size() - kEnd)) +
         "\"";
}
// The text of what a field stores.
template <typename T>
std::string TextOf(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, DataType>) {
    return DataType_Name(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    return QuotedText(value);
  } else if constexpr (std::is_same_v<T, TensorProto>) {
    return value.ShortDebugString();
  } else if constexpr (std::is_same_v<T, TensorShapeProto>) {
    return IsValid(value) ? PartialTensorShape(value).DebugString() : value.ShortDebugString();
  } else {
    return strings::StrCat(value);
  }
}
std::string TextOf(const NameAttrList& function);
// All elements are in one field.
OPSRUN_COLD inline std::string TextOf(const AttrValue::ListValue& list) {
  std::vector<std::string> pieces;
  const auto add = [&pieces](const auto& field) {
    for (const auto& value : field) pieces.push_back(TextOf(value));
  };
  FieldVisitor<decltype(add)> visitor{add};
  AttrValue::ListValue::VisitFields(list, visitor);
  constexpr size_t kLongest = 10, kEnd = 5;
  if (pieces.size() > kLongest) {
    pieces.erase(pieces.begin() + kEnd, pieces.end() - kEnd);
    pieces.insert(pieces.begin() + kEnd, "...");
  }
  return "[" + str_util::Join(pieces, ", ") + "]";
}

struct TextOfAttr {
  template <typename T>
  void Field(int number, const char* /*name*/, const AttrValue& attr, const T& field) {
    if (attr.Has(number, field)) text = attr.has_placeholder() ? "$" + attr.placeholder() : TextOf(StoredIn(field));
  }
  std::string text = "<Unknown AttrValue type>";
};

OPSRUN_COLD inline std::string TextOf(const AttrValue& value) {
  TextOfAttr visitor;
  AttrValue::VisitFields(value, visitor);
  return visitor.text;
}

OPSRUN_COLD inline std::string TextOf(const NameAttrList& function) {
  std::vector<std::string> pieces;
  for (const auto& [name, value] : function.attr()) pieces.push_back(name + "=" + TextOf(value));
  std::sort(pieces.begin(), pieces.end());
  return function.name() + "[" + str_util::Join(pieces, ", ") + "]";
}

}  // namespace internal

// Stores a value: a number, a text, a type, a shape, a tensor, one of their messages, or a vector of one of these.
template <typename T>
void SetAttrValue(const T& value, AttrValue* to) {
  constexpr AttrValue::ValueCase kCase = internal::CaseOf<std::decay_t<const T>>();
  to->Select(kCase);
  internal::WithField<kCase>(*to, [&](auto& field) { internal::Store(value, &field); });
}
template <typename T>
void SetAttrValue(const std::vector<T>& values, AttrValue* to) {
  to->Clear();
  internal::WithField<internal::kInList<T>>(*to->mutable_list(), [&](auto& field) {
    for (const T& value : values) internal::Store(value, &field);
  });
}

// The value as text, for messages: 7, "text", DT_FLOAT, [2,?], [1, 2]. Long texts and lists are shortened.
OPSRUN_COLD inline std::string SummarizeAttrValue(const AttrValue& value) {
  return internal::TextOf(value);
}

// Whether both have the same kind of value and the same value.
inline bool AreAttrValuesEqual(const AttrValue& a, const AttrValue& b) {
  return a.value_case() == b.value_case() && a.SerializeAsString() == b.SerializeAsString();
}

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
