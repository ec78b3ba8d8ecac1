// host/spec/op_def.h: an op, parsed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/spec/attr_value.h"

namespace opsrun::host::spec {

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
  std::optional<int64_t> minimum;  // of an int; of a list's length
  std::vector<DType> allowed_types;
  std::vector<std::string> allowed_strings;
  std::optional<AttrValue> default_value;
  std::string doc;
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

  const AttrDef* FindAttr(std::string_view attr) const;
  // The index in Signature::attrs of the value of `attr`, which must be one of `attrs`.
  size_t IndexOf(const AttrDef& attr) const { return static_cast<size_t>(&attr - attrs.data()); }
  bool stateful() const { return (flags & OPSRUN_OP_STATEFUL) != 0; }
};

// "ZeroOut(to_zero: T) -> (zeroed: T); T: {float32, int32}, preserve_index: int = 0"
std::string SignatureText(const OpDef& op);

}  // namespace opsrun::host::spec
