// opsrun_compat/op_def.h: OpDef, the registration of an op as an object, without default values and serialization.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/signature.h"
#include "opsrun/op.h"
#include "opsrun_compat/basics.h"
#include "opsrun_compat/numbers.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
// An attr, such as "T: {float, double}". Its type is "int", "type", "list(string)" and the like.
class OpDef_AttrDef {
 public:
  OPSRUN_COLD explicit OpDef_AttrDef(std::string_view spec) {
    const size_t colon = std::min(spec.find(':'), spec.size());
    name_ = internal::WithoutBlanks(spec.substr(0, colon));
    std::string_view type = internal::WithoutBlanks(spec.substr(std::min(colon + 1, spec.size())));
    const bool is_list = type.substr(0, 5) == "list(";
    if (is_list) type = internal::WithoutBlanks(type.substr(5));
    if (type.empty()) return;
    if (type[0] == '{') {
      type_ = type.find_first_of("'\"") == std::string_view::npos ? "type" : "string";
    } else {
      const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
      type_ = std::string(type.begin(), std::find_if_not(type.begin(), type.end(), is_letter));
      if (type_.size() > 4 && type_.substr(type_.size() - 4) == "type") type_ = "type";  // "numbertype" and similar
    }
    if (is_list) type_ = "list(" + type_ + ")";
  }

  const std::string& name() const { return name_; }
  const std::string& type() const { return type_; }

 private:
  std::string name_, type_;
};

// An input or output, such as "values: N * T". It has a type, or the name of the attr that determines it.
class OpDef_ArgDef {
 public:
  OPSRUN_COLD OpDef_ArgDef(std::string_view spec, const std::vector<OpDef_AttrDef>& attrs) {
    const size_t colon = std::min(spec.find(':'), spec.size());
    name_ = internal::WithoutBlanks(spec.substr(0, colon));
    std::string_view type = internal::WithoutBlanks(spec.substr(std::min(colon + 1, spec.size())));
    is_ref_ = type.substr(0, 4) == "Ref(";
    if (is_ref_) type = internal::WithoutBlanks(type.substr(4, type.find(')') - 4));
    const size_t star = type.find('*');
    if (star != std::string_view::npos) {
      number_attr_ = internal::WithoutBlanks(type.substr(0, star));
      type = internal::WithoutBlanks(type.substr(star + 1));
    }
    for (int i = 1; i < internal::kDataTypeCount && type_ == DT_INVALID; ++i) {
      if (type == DataTypeString(static_cast<DataType>(i))) type_ = static_cast<DataType>(i);
    }
    if (type_ != DT_INVALID) return;
    const auto is_list = [type](const OpDef_AttrDef& attr) {
      return attr.name() == type && attr.type() == "list(type)";
    };
    (std::any_of(attrs.begin(), attrs.end(), is_list) ? type_list_attr_ : type_attr_) = type;
  }

  const std::string& name() const { return name_; }
  DataType type() const { return type_; }
  const std::string& type_attr() const { return type_attr_; }
  const std::string& number_attr() const { return number_attr_; }
  const std::string& type_list_attr() const { return type_list_attr_; }
  bool is_ref() const { return is_ref_; }

 private:
  std::string name_, type_attr_, number_attr_, type_list_attr_;
  DataType type_ = DT_INVALID;
  bool is_ref_ = false;
};

class OpDef {
 public:
  typedef OpDef_ArgDef ArgDef;
  typedef OpDef_AttrDef AttrDef;

  OPSRUN_COLD explicit OpDef(const opsrun_op& op) : name_(internal::TextOf(op.name)), flags_(op.flags) {
    for (uint32_t i = 0; i < op.n_attrs; ++i) attrs_.emplace_back(internal::TextOf(op.attrs[i]));
    for (uint32_t i = 0; i < op.n_inputs; ++i) inputs_.emplace_back(internal::TextOf(op.inputs[i]), attrs_);
    for (uint32_t i = 0; i < op.n_outputs; ++i) outputs_.emplace_back(internal::TextOf(op.outputs[i]), attrs_);
  }

  const std::string& name() const { return name_; }
  int input_arg_size() const { return static_cast<int>(inputs_.size()); }
  const ArgDef& input_arg(int i) const { return inputs_[static_cast<size_t>(i)]; }
  const std::vector<ArgDef>& input_arg() const { return inputs_; }
  int output_arg_size() const { return static_cast<int>(outputs_.size()); }
  const ArgDef& output_arg(int i) const { return outputs_[static_cast<size_t>(i)]; }
  const std::vector<ArgDef>& output_arg() const { return outputs_; }
  int attr_size() const { return static_cast<int>(attrs_.size()); }
  const AttrDef& attr(int i) const { return attrs_[static_cast<size_t>(i)]; }
  const std::vector<AttrDef>& attr() const { return attrs_; }
  bool is_stateful() const { return (flags_ & OPSRUN_OP_STATEFUL) != 0; }
  bool is_commutative() const { return (flags_ & OPSRUN_OP_COMMUTATIVE) != 0; }
  bool is_aggregate() const { return (flags_ & OPSRUN_OP_AGGREGATE) != 0; }

 private:
  std::string name_;
  uint32_t flags_;
  std::vector<AttrDef> attrs_;
  std::vector<ArgDef> inputs_, outputs_;
};

// OpRegistry: the ops that this plugin registers, by name.

struct OpRegistrationData {
  OpDef op_def;
};

class OpRegistry {
 public:
  static OpRegistry* Global() {
    static OpRegistry registry;
    return &registry;
  }

  // *data lives as long as the process. NOT_FOUND: this plugin does not have the op.
  ReturnedStatus LookUp(const std::string& name, const OpRegistrationData** data) const {
    for (const OpRegistrationData& op : ops_) {
      *data = &op;
      if (op.op_def.name() == name) return Status();
    }
    return errors::NotFound("Op type not registered '", name, "' in this plugin");
  }
  ReturnedStatus LookUpOpDef(const std::string& name, const OpDef** def) const {
    const OpRegistrationData* data = nullptr;
    TF_RETURN_IF_ERROR(LookUp(name, &data));
    *def = &data->op_def;
    return Status();
  }
  // One name per line.
  std::string DebugString(bool /*include_internal*/) const {
    std::string names;
    for (const OpRegistrationData& op : ops_) names += op.op_def.name() + "\n";
    return names;
  }

 private:
  OpRegistry() {
    for (const auto* at = opsrun_sdk_registrations; at != nullptr; at = at->next) {
      if (at->op != nullptr) ops_.push_back({OpDef(*at->op)});
    }
  }

  std::vector<OpRegistrationData> ops_;
};

}  // namespace OPSRUN_HIDDEN
