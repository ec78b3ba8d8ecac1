// host/spec/op_def.h: an op as its author declared it, parsed: parse_op.h makes it, infer_attrs.h applies it to a node.
// Also the words of the spec language for types, names of an op in wrappers, and differences between versions of an op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/dtype.h"

namespace opsrun::host::spec {

// Kinds and values of attrs.

// A shape as the value of an attr: an unknown rank, or sizes, of which -1 is unknown.
struct PartialShape {
  bool rank_known = false;
  std::vector<int64_t> dims;
  bool operator==(const PartialShape&) const = default;
};

// A tensor as the value of an attr: dense row-major bytes of `dtype` and `shape`. Elements of string tensors are in
// `strings` instead.
struct TensorValue {
  DType dtype = DType::kInvalid;
  std::vector<int64_t> shape;
  std::string bytes;
  std::vector<std::string> strings;
  bool operator==(const TensorValue&) const = default;
};

// The type of an attr. kind is OPSRUN_ATTR_* of c_api.h without the list bit.
struct AttrType {
  uint32_t kind = 0;
  bool list = false;
  bool operator==(const AttrType&) const = default;
};

// "int", "list(type)" ...
std::string AttrTypeName(AttrType type);

// The value of an attr. A scalar is stored as a list of one element. Elements are in the member of its kind: ints for
// int, bool and type; floats; strings for string and func; shapes; tensors. The other members are empty.
struct AttrValue {
  AttrType type;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::vector<PartialShape> shapes;
  std::vector<TensorValue> tensors;
  bool operator==(const AttrValue&) const = default;

  size_t size() const { return ints.size() + floats.size() + strings.size() + shapes.size() + tensors.size(); }
  std::vector<DType> Types() const;  // of a type or a list of types

  static AttrValue Int(int64_t value);
  static AttrValue Float(double value);
  static AttrValue Bool(bool value);
  static AttrValue String(std::string value);
  static AttrValue Type(DType value);
  static AttrValue TypeList(const std::vector<DType>& values);
};

// As written in a graph file: 3, [1, 2], 'text', float32, [2, -1].
std::string AttrValueText(const AttrValue& value);

// The member of that name; null if there is none.
template <typename T>
T* FindNamed(std::vector<T>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [name](const T& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}
template <typename T>
const T* FindNamed(const std::vector<T>& all, std::string_view name) {
  return FindNamed(const_cast<std::vector<T>&>(all), name);
}

template <typename T>
std::vector<std::string> NamesOf(const std::vector<T>& all) {
  std::vector<std::string> names;
  for (const T& each : all) names.push_back(each.name);
  return names;
}

// "to_zero: T". Exactly one of dtype, type_attr and type_list_attr is set.
struct ArgDef {
  std::string name;
  DType dtype = DType::kInvalid;
  std::string type_attr;
  std::string type_list_attr;
  std::string number_attr;  // N of "N * T", or empty
  bool is_ref = false;
  std::string doc;

  bool is_list() const { return !number_attr.empty() || !type_list_attr.empty(); }
  bool operator==(const ArgDef&) const = default;
};

// "T: {float, int32} = DT_FLOAT"
struct AttrDef {
  std::string name;
  AttrType type;
  std::optional<int64_t> minimum;  // of an int, or of the length of a list
  std::vector<DType> allowed_types;
  std::vector<std::string> allowed_strings;
  std::optional<AttrValue> default_value;
  std::string doc;
};

// "(m,k),(k,n)->(m,n)": for each argument the number of dimensions that the op works on. Those in front of them are a
// batch.
struct BatchDef {
  std::string text;
  std::vector<uint32_t> inputs, outputs;
};

struct OpDef {
  std::string name;
  std::vector<ArgDef> inputs;
  std::vector<ArgDef> outputs;
  std::vector<std::string> control_outputs;
  std::vector<AttrDef> attrs;
  std::string summary;
  std::string description;
  uint32_t flags = 0;  // OPSRUN_OP_*
  uint32_t deprecated_version = 0;
  std::string deprecated_text;
  std::optional<BatchDef> batch;  // with OPSRUN_OP_BROADCASTS in flags

  const AttrDef* FindAttr(std::string_view attr) const { return FindNamed(attrs, attr); }
  // The index of the value of `attr` in Signature::attrs. Requires: `attr` is one of `attrs`.
  size_t IndexOf(const AttrDef& attr) const { return static_cast<size_t>(&attr - attrs.data()); }
  bool stateful() const { return (flags & OPSRUN_OP_STATEFUL) != 0; }
};

// "ZeroOut(to_zero: T) -> (zeroed: T); T: {float32, int32}, preserve_index: int = 0"
std::string SignatureText(const OpDef& op);

struct AttrFault {
  enum class Kind { kWrongAttrKind, kRefTypeValue, kNotAType, kBelowMinimum, kNotAllowed };

  Kind kind = Kind::kWrongAttrKind;
  std::string message;  // a clause without subject: "float64 is not one of float32, int32"
};

// The first error of the value, or nothing. An empty list matches every list type.
std::optional<AttrFault> CheckAttrValue(const AttrDef& attr, const AttrValue& value);

// For messages: what the attr allows: "float32, int32", "'a', 'b'"; empty if any value is.
std::string AllowedText(const AttrDef& attr);

// The input that determines an attr; null if the graph sets it.
const ArgDef* InferredFrom(const OpDef& op, const std::string& attr);

// An attr in one line: "int, 1 or more; default 2", "list(type), 3 values or more, each one of int32, int64; given by
// input 'x'", "string; required".
std::string AttrText(const OpDef& op, const AttrDef& attr);

// The type of an argument: "float32", "T", "N * T, a list", "Tin, a list".
std::string ArgTypeText(const ArgDef& arg);

// The number of a reference type (a tensor that is a variable) is that of its base type plus 100. Reference types occur
// only in declarations and in the types of inputs and outputs that are declared as Ref(..).

inline constexpr int32_t kRefOffset = 100;

bool IsRefType(DType dtype);        // true for a reference type
DType RefType(DType dtype);         // the reference type of a data type
DType BaseType(DType dtype);        // the data type of a reference type; other values are unchanged
std::string TypeText(DType dtype);  // NumPy's name; "float32_ref" for a reference type

// "float", "float32", "float_ref".
std::optional<DType> TypeFromWord(std::string_view word);

// "DT_FLOAT", "DT_FLOAT_REF", "DT_INVALID".
std::optional<DType> TypeFromEnumWord(std::string_view word);

// "DT_FLOAT" for the result of TypeFromWord("float"). Requires: a data type, or its reference type.
std::string EnumWord(DType dtype);

// The members of "numbertype", "numerictype" (both 17), "realnumbertype", "realnumerictype" (both 12) and
// "quantizedtype" (5), ordered by number; null for other words.
const std::vector<DType>* TypeSetFromWord(std::string_view word);

// "numbertype", "realnumbertype" or "quantizedtype" if `types` are exactly its members; otherwise empty.
std::string_view TypeSetWord(const std::vector<DType>& types);

// All words for data types and for sets of them, for "did you mean".
const std::vector<std::string>& AllTypeWords();

// "MatMul" is "mat_mul", "Conv2D" is "conv2d", "MyLib>FftND" is "my_lib_fft_nd".
std::string SnakeCase(std::string_view camel);

// The setter of an attr in a C++ wrapper of class `op_class`: "use_bias_2" becomes "UseBias2". A '_' is appended if the
// name would be that of the class, or "Attrs".
std::string SetterName(std::string_view attr, std::string_view op_class = {});

// Keywords of Python 3.
bool IsPythonKeyword(std::string_view word);

// Whether a graph for one version of an op can run with another version.
//
// The rules are those of TensorFlow: inputs are identified by position and may be renamed; outputs may not be renamed.

// A difference between two versions.
struct OpChange {
  bool safe = false;
  std::string rule;     // a word, as listed below, which tests compare
  std::string message;  // a sentence
};

// All differences between an op and its next version. The unsafe ones come first, in this order: op_renamed; for each
// old attr attr_removed, attr_type_changed, allowed_stricter, minimum_raised; attr_added_without_default;
// input_signature, input_made_ref; output_signature, output_unref. Safe ones: attr_added_with_default, allowed_wider,
// minimum_lowered, attrs_reordered, inputs_by_default, input_renamed, input_not_ref, outputs_by_default,
// output_made_ref. CompareDefaults compares the values of defaults.
std::vector<OpChange> CompareOps(const OpDef& old_op, const OpDef& new_op);

// Compares the defaults of attrs that both have: default_removed, default_changed; safe: default_added.
std::vector<OpChange> CompareDefaults(const OpDef& old_op, const OpDef& new_op);

// What both find.
std::vector<OpChange> CompareVersions(const OpDef& old_op, const OpDef& new_op);

// Attrs that mid_op added must have the same default in new_op: added_without_default, added_default_removed,
// added_default_changed; all of them are unsafe.
std::vector<OpChange> CompareAddedDefaults(const OpDef& old_op, const OpDef& mid_op, const OpDef& new_op);

}  // namespace opsrun::host::spec
