// SPDX-License-Identifier: Apache-2.0
#include "host/spec/infer_attrs.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "host/base/display_text.h"

namespace opsrun::host::spec {
namespace {

const AttrValue* Find(const OpDef& op, const std::vector<AttrValue>& attrs, const std::string& name) {
  const AttrDef* attr = op.FindAttr(name);
  return attr == nullptr ? nullptr : &attrs[op.IndexOf(*attr)];
}

// Empty if the types are unknown.
std::vector<DType> TypesOf(const OpDef& op, const std::vector<AttrValue>& attrs, const std::string& name) {
  const AttrValue* value = Find(op, attrs, name);
  return value == nullptr ? std::vector<DType>() : value->Types();
}

std::vector<DType> BaseTypesOf(const OpDef& op, const std::vector<AttrValue>& attrs, const ArgDef& arg) {
  if (!arg.type_list_attr.empty()) {
    return TypesOf(op, attrs, arg.type_list_attr);
  }
  DType dtype = arg.dtype;
  if (!arg.type_attr.empty()) {
    const std::vector<DType> type = TypesOf(op, attrs, arg.type_attr);
    dtype = type.empty() ? DType::kInvalid : type[0];
  }
  if (arg.number_attr.empty()) return {dtype};
  const AttrValue* count = Find(op, attrs, arg.number_attr);
  return std::vector<DType>(count == nullptr || count->ints.empty() ? 0 : static_cast<size_t>(count->ints[0]), dtype);
}

void AppendArg(const ArgDef& arg, std::vector<DType> base_types, std::vector<ArgRange>* ranges,
               std::vector<DType>* types) {
  ranges->push_back(
      {arg.name, static_cast<uint32_t>(types->size()), static_cast<uint32_t>(base_types.size()), arg.is_list()});
  for (DType dtype : base_types) types->push_back(arg.is_ref && IsDType(dtype) ? RefType(dtype) : dtype);
}

// attrs: as OpDef::attrs, each of its declared type, or of kind 0 if the value is unknown.
Signature MakeSignature(const OpDef& op, std::vector<AttrValue> attrs) {
  Signature made;
  for (const ArgDef& arg : op.inputs) AppendArg(arg, BaseTypesOf(op, attrs, arg), &made.in_args, &made.in_types);
  for (const ArgDef& arg : op.outputs) AppendArg(arg, BaseTypesOf(op, attrs, arg), &made.out_args, &made.out_types);
  made.attrs = std::move(attrs);
  return made;
}

// What is known about one attr of the node.
struct Slot {
  std::optional<AttrValue> value;
  std::string inferred_from;  // name of an input; empty if the node sets the value
  bool doubtful = false;      // unknown because of an earlier error: neither report it as missing nor use its default
};

// " of type int", ", a data type"
std::string KindText(AttrType type) {
  if (type.kind != OPSRUN_ATTR_TYPE) return " of type " + AttrTypeName(type);
  return type.list ? ", a list of data types" : ", a data type";
}

class Inferrer {
 public:
  Inferrer(const OpDef& op, const std::vector<std::optional<InputTypes>>& inputs,
           const std::map<std::string, AttrValue>& given)
      : op_(op), inputs_(inputs), given_(given), slots_(op.attrs.size()) {}

  Inference Infer() {
    TakeGiven();
    CheckInputCount();
    for (size_t i = 0; i < op_.inputs.size(); ++i) TakeInput(op_.inputs[i], i);
    CheckNames();
    CheckValues();
    FillDefaults();
    CheckLengths();
    return {MakeSignature(op_, Values()), std::move(errors_)};
  }

 private:
  using Kind = InferError::Kind;

  void TakeGiven() {
    for (const auto& [name, value] : given_) {
      if (Slot* slot = SlotOf(name)) slot->value = value;
    }
  }

  void CheckInputCount() {
    const size_t takes = op_.inputs.size();
    if (inputs_.size() == takes) return;
    std::string message = fmt::format("op '{}' takes {}, found {}", op_.name, Several(takes, "input"), inputs_.size());
    if (inputs_.size() > takes) {
      Error(Kind::kTooManyInputs, "", std::move(message));
      return;
    }
    const std::string& missing = op_.inputs[inputs_.size()].name;
    Error(Kind::kTooFewInputs, "input:" + missing, message + fmt::format(": '{}' is missing", missing));
  }

  void CheckNames() {
    for (const auto& [name, value] : given_) {
      if (op_.FindAttr(name) == nullptr) {
        Error(Kind::kUnknownAttr, "attr:" + name, fmt::format("op '{}' has no attr '{}'", op_.name, name));
      }
    }
  }

  void CheckValues() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      if (!slot.value) continue;
      std::optional<AttrFault> fault = CheckAttrValue(op_.attrs[i], *slot.value);
      if (!fault) {
        slot.value->type = op_.attrs[i].type;  // an empty list may have been read as another kind of list
        continue;
      }
      AddFault(op_.attrs[i], slot, *fault);
      DoubtInput(slot.inferred_from);
      slot = {.value = std::nullopt, .inferred_from = {}, .doubtful = true};
    }
  }

  void FillDefaults() {
    for (size_t i = 0; i < slots_.size(); ++i) {
      Slot& slot = slots_[i];
      const AttrDef& attr = op_.attrs[i];
      if (slot.value || slot.doubtful) continue;
      slot.value = attr.default_value;
      if (slot.value) continue;
      Error(Kind::kMissingAttr, "attr:" + attr.name,
            fmt::format("op '{}' needs attr '{}'{}", op_.name, attr.name, KindText(attr.type)));
    }
  }

  void CheckLengths() {
    auto check = [this](const ArgDef& arg) {
      Slot* slot = SlotOf(arg.number_attr);
      if (slot == nullptr || !slot->value || slot->value->ints[0] <= kMaxListLength) return;
      Error(Kind::kAboveMaximum, "attr:" + arg.number_attr,
            fmt::format("attr '{}' is {}, but no list holds more than {} tensors", arg.number_attr,
                        slot->value->ints[0], kMaxListLength));
      *slot = {.value = std::nullopt, .inferred_from = {}, .doubtful = true};
    };
    std::for_each(op_.inputs.begin(), op_.inputs.end(), check);
    std::for_each(op_.outputs.begin(), op_.outputs.end(), check);
  }

  std::vector<AttrValue> Values() {
    std::vector<AttrValue> values;
    for (Slot& slot : slots_) values.push_back(slot.value ? *std::move(slot.value) : AttrValue());
    return values;
  }

  void TakeInput(const ArgDef& arg, size_t i) {
    if (i >= inputs_.size() || !inputs_[i]) return Doubt(arg);
    const InputTypes& given = *inputs_[i];
    if (arg.is_list() && !given.list) {
      Error(Kind::kListExpected, "input:" + arg.name,
            fmt::format("input '{}' must be a list of tensors, found a single tensor", arg.name));
      return Doubt(arg);
    }
    if (!arg.is_list() && (given.list || given.types.size() != 1)) {
      Error(Kind::kSingleExpected, "input:" + arg.name,
            fmt::format("input '{}' must be one tensor, found a list", arg.name));
      return Doubt(arg);
    }
    if (!arg.number_attr.empty()) return TakeRepeated(arg, given.types);
    if (!arg.type_list_attr.empty()) return TakeTypeList(arg, given.types);
    TakeSingle(arg, given.types[0]);
  }

  void TakeSingle(const ArgDef& arg, DType dtype) {
    if (arg.type_attr.empty()) return CheckType(arg, arg.dtype, dtype, 0);
    CheckIsRef(arg, dtype, 0);
    InferAttr(arg.type_attr, AttrValue::Type(BaseType(dtype)), arg);
  }

  // N * float, N * T: the first tensor determines T, so an empty list does not.
  void TakeRepeated(const ArgDef& arg, const std::vector<DType>& types) {
    InferAttr(arg.number_attr, AttrValue::Int(static_cast<int64_t>(types.size())), arg);
    if (types.empty()) return;
    const DType wanted = arg.type_attr.empty() ? arg.dtype : BaseType(types[0]);
    if (!arg.type_attr.empty()) InferAttr(arg.type_attr, AttrValue::Type(wanted), arg);
    for (size_t i = 0; i < types.size(); ++i) CheckType(arg, wanted, types[i], static_cast<int>(i));
  }

  void TakeTypeList(const ArgDef& arg, const std::vector<DType>& types) {
    std::vector<DType> base_types;
    for (size_t i = 0; i < types.size(); ++i) {
      CheckIsRef(arg, types[i], static_cast<int>(i));
      base_types.push_back(BaseType(types[i]));
    }
    InferAttr(arg.type_list_attr, AttrValue::TypeList(std::move(base_types)), arg);
  }

  // A reference can be passed where a value is expected, but not the other way round.
  void CheckType(const ArgDef& arg, DType wanted, DType dtype, int index) {
    const bool fits = arg.is_ref ? dtype == RefType(wanted) : BaseType(dtype) == wanted;
    if (fits) return;
    const DType takes = arg.is_ref ? RefType(wanted) : wanted;
    const std::string found = arg.is_list() ? fmt::format("but its tensor {} is", index) : "found";
    Error(Kind::kWrongInputType, "input:" + arg.name,
          fmt::format("input '{}' must be {}, {} {}", arg.name, TypeText(takes), found, TypeText(dtype)))
        .input_index = index;
  }

  void CheckIsRef(const ArgDef& arg, DType dtype, int index) {
    if (!arg.is_ref || IsRefType(dtype)) return;
    Error(
        Kind::kRefExpected, "input:" + arg.name,
        fmt::format("input '{}' must be a reference to a variable, found a plain {} tensor", arg.name, TypeText(dtype)))
        .input_index = index;
  }

  // Attrs that depend on the types of this argument cannot be known.
  void Doubt(const ArgDef& arg) {
    for (const std::string* name : {&arg.number_attr, &arg.type_attr, &arg.type_list_attr}) {
      if (Slot* slot = SlotOf(*name)) slot->doubtful = true;
    }
  }

  void InferAttr(const std::string& name, AttrValue value, const ArgDef& arg) {
    Slot* slot = SlotOf(name);
    if (slot == nullptr) return;
    if (!slot->value) {
      slot->value = std::move(value);
      slot->inferred_from = arg.name;
    } else if (*slot->value != value) {
      Inconsistent(op_.attrs[static_cast<size_t>(slot - slots_.data())], *slot, value, arg);
    }
  }

  void Inconsistent(const AttrDef& attr, const Slot& slot, const AttrValue& value, const ArgDef& arg) {
    const std::string found = AttrValueText(value);
    const std::string before = AttrValueText(*slot.value);
    const bool given = slot.inferred_from.empty();
    InferError& error =
        given ? Error(Kind::kInconsistentAttr, "attr:" + attr.name,
                      fmt::format("attr '{}' is {}, but input '{}' makes it {}", attr.name, before, arg.name, found))
              : Error(Kind::kInconsistentAttr, "input:" + arg.name,
                      fmt::format("input '{}' makes attr '{}' {}, but input '{}' makes it {}", arg.name, attr.name,
                                  found, slot.inferred_from, before));
    error.inferred_from = given ? arg.name : slot.inferred_from;
    error.length = attr.type.kind == OPSRUN_ATTR_INT;
  }

  // "attr 'T' is bool", "input 'x' makes attr 'T' bool", "input 'xs' has 0 tensors".
  std::string FoundText(const AttrDef& attr, const Slot& slot) const {
    const std::string value = AttrValueText(*slot.value);
    if (slot.inferred_from.empty()) return fmt::format("attr '{}' is {}", attr.name, value);
    if (attr.type.kind != OPSRUN_ATTR_INT) {
      return fmt::format("input '{}' makes attr '{}' {}", slot.inferred_from, attr.name, value);
    }
    return fmt::format("input '{}' has {}", slot.inferred_from,
                       Several(static_cast<size_t>(slot.value->ints[0]), "tensor"));
  }

  void AddFault(const AttrDef& attr, const Slot& slot, const AttrFault& fault) {
    const std::string is = FoundText(attr, slot) + fmt::format(", but op '{}' ", op_.name);
    Kind kind = Kind::kWrongAttrKind;
    std::string message;
    if (fault.kind == AttrFault::Kind::kNotAllowed) {
      kind = Kind::kNotAllowed;
      message = is + "allows " + AllowedText(attr);
    } else if (fault.kind == AttrFault::Kind::kBelowMinimum) {
      kind = Kind::kBelowMinimum;
      message = is + fmt::format("requires {}at least {}", attr.type.list ? "a length of " : "", *attr.minimum);
    } else {
      message = fmt::format("attr '{}' must be {}, but {}", attr.name, AttrTypeName(attr.type), fault.message);
    }
    InferError& error = Error(kind, "attr:" + attr.name, std::move(message));
    error.inferred_from = slot.inferred_from;
    error.length = attr.type.kind == OPSRUN_ATTR_INT && !slot.inferred_from.empty();
  }

  // A list of the wrong length also explains why its type is unknown.
  void DoubtInput(const std::string& name) {
    for (const ArgDef& arg : op_.inputs) {
      if (arg.name == name) Doubt(arg);
    }
  }

  Slot* SlotOf(const std::string& name) {
    const AttrDef* attr = op_.FindAttr(name);
    return attr == nullptr ? nullptr : &slots_[op_.IndexOf(*attr)];
  }

  InferError& Error(Kind kind, std::string subject, std::string message) {
    return errors_.emplace_back(InferError{kind, std::move(subject), std::move(message), {}});
  }

  const OpDef& op_;
  const std::vector<std::optional<InputTypes>>& inputs_;
  const std::map<std::string, AttrValue>& given_;
  std::vector<Slot> slots_;
  std::vector<InferError> errors_;
};

}  // namespace

const ArgRange& ArgOf(const std::vector<ArgRange>& args, size_t i) {
  return *std::find_if(args.begin(), args.end(), [i](const ArgRange& arg) { return i - arg.first < arg.count; });
}

Inference InferAttrs(const OpDef& op, const std::vector<std::optional<InputTypes>>& inputs,
                     const std::map<std::string, AttrValue>& given) {
  return Inferrer(op, inputs, given).Infer();
}

namespace {

// Unlike the numbers themselves, their bits distinguish 0.0 and -0.0.
bool SameAttrs(const std::map<std::string, AttrValue>& a, const std::map<std::string, AttrValue>& b) {
  const auto bits = [](double number) { return std::bit_cast<uint64_t>(number); };
  return std::ranges::equal(a, b, [&](const auto& x, const auto& y) {
    return x == y && std::ranges::equal(x.second.floats, y.second.floats, {}, bits, bits);
  });
}

}  // namespace

std::shared_ptr<const Signature> SharedSignatures::Infer(const OpDef& op, std::vector<std::optional<InputTypes>> inputs,
                                                         std::map<std::string, AttrValue> given,
                                                         std::vector<InferError>* errors) {
  OfOp& of_op = ops_[&op];
  const auto same = [&](const Known& known) { return known.inputs == inputs && SameAttrs(known.given, given); };
  if (const auto found = std::ranges::find_if(of_op.known, same); found != of_op.known.end()) return found->signature;
  Inference inference = InferAttrs(op, inputs, given);
  *errors = std::move(inference.errors);
  if (!errors->empty()) return nullptr;
  const auto signature = std::make_shared<const Signature>(std::move(inference.signature));
  if (of_op.known.size() < kMost) of_op.known.emplace_back();
  of_op.known[of_op.next++ % kMost] = {std::move(inputs), std::move(given), signature};
  return signature;
}

}  // namespace opsrun::host::spec
