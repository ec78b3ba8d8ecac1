// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>
#include <iterator>
#include <utility>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {
namespace {

// One tensor, or a list whose length or types are an attr of the older version.
struct SignaturePart {
  std::string type;  // "float32", "T", "N * T"
  std::string name;  // of the argument
  bool is_ref = false;
};

// Limits the length of a list, which a file can set to any number.
constexpr int64_t kMostParts = 1 << 16;

// The default that replaces the attr, or null if the attr is kept.
const AttrValue* Replacement(const std::string& name, uint32_t kind, const OpDef& op, const OpDef& known) {
  if (known.FindAttr(name) != nullptr) return nullptr;
  const AttrDef* attr = op.FindAttr(name);
  const bool has = attr != nullptr && attr->type.kind == kind && attr->default_value;
  return has ? &*attr->default_value : nullptr;
}

std::string TypeOfOne(const ArgDef& arg, const OpDef& op, const OpDef& known) {
  if (arg.type_attr.empty()) return TypeText(arg.dtype);
  const AttrValue* type = Replacement(arg.type_attr, OPSRUN_ATTR_TYPE, op, known);
  return type == nullptr ? arg.type_attr : TypeText(DTypeFromNumber(type->ints.at(0)));
}

std::vector<std::string> TypesOf(const ArgDef& arg, const OpDef& op, const OpDef& known) {
  if (!arg.type_list_attr.empty()) {
    const AttrValue* types = Replacement(arg.type_list_attr, OPSRUN_ATTR_TYPE, op, known);
    if (types == nullptr) return {arg.type_list_attr};
    std::vector<std::string> texts;
    for (const DType type : types->Types()) texts.push_back(TypeText(type));
    return texts;
  }
  const std::string type = TypeOfOne(arg, op, known);
  if (arg.number_attr.empty()) return {type};
  const AttrValue* count = Replacement(arg.number_attr, OPSRUN_ATTR_INT, op, known);
  if (count == nullptr || count->ints.at(0) > kMostParts) return {arg.number_attr + " * " + type};
  return std::vector<std::string>(static_cast<size_t>(std::max<int64_t>(count->ints.at(0), 0)), type);
}

// The inputs or outputs `args` of `op` as graphs for the older version `known` see them. Attrs of `known` are kept, and
// so are attrs without a default; others are replaced by their defaults: N * T with N = 2 becomes two parts, a list of
// types becomes one part for each type.
std::vector<SignaturePart> ArgSignature(const std::vector<ArgDef>& args, const OpDef& op, const OpDef& known) {
  std::vector<SignaturePart> parts;
  for (const ArgDef& arg : args) {
    for (std::string& type : TypesOf(arg, op, known)) parts.push_back({std::move(type), arg.name, arg.is_ref});
  }
  return parts;
}

// True if `now` refuses a value that `before` allows. An empty set allows all values.
template <typename T>
bool IsStricter(const std::vector<T>& before, const std::vector<T>& now) {
  if (now.empty()) return false;
  return before.empty() || !std::all_of(before.begin(), before.end(), [&](const T& value) {
           return std::find(now.begin(), now.end(), value) != now.end();
         });
}

bool IsStricter(const AttrDef& before, const AttrDef& now) {
  return IsStricter(before.allowed_types, now.allowed_types) || IsStricter(before.allowed_strings, now.allowed_strings);
}

std::string AllowedOrAll(const AttrDef& attr) {
  const std::string text = AllowedText(attr);
  return text.empty() ? "everything" : text;
}

std::string MinimumText(const AttrDef& attr) {
  return attr.minimum ? fmt::format("the minimum {}", *attr.minimum) : "no minimum";
}

// Selects the type or the name of each part.
using PartText = std::string SignaturePart::*;

bool Same(const std::vector<SignaturePart>& a, const std::vector<SignaturePart>& b, PartText text) {
  return std::ranges::equal(a, b, {}, text, text);
}

// "(float32, N * T)"
std::string PartsText(const std::vector<SignaturePart>& parts, PartText text) {
  std::string texts;
  for (const SignaturePart& part : parts) texts += (texts.empty() ? "" : ", ") + part.*text;
  return "(" + texts + ")";
}

std::string TypesText(const std::vector<SignaturePart>& parts) {
  return PartsText(parts, &SignaturePart::type);
}

// True if the arguments are declared in the same words, apart from their names.
bool SameForm(const std::vector<ArgDef>& a, const std::vector<ArgDef>& b) {
  return std::ranges::equal(a, b, [](const ArgDef& x, const ArgDef& y) {
    return x.dtype == y.dtype && x.type_attr == y.type_attr && x.type_list_attr == y.type_list_attr &&
           x.number_attr == y.number_attr;
  });
}

class Comparison {
 public:
  Comparison(const OpDef& old_op, const OpDef& new_op) : old_(old_op), new_(new_op) {}

  std::vector<OpChange> Compare() {
    if (old_.name != new_.name) Add(false, "op_renamed", fmt::format("op '{}' is now '{}'", old_.name, new_.name));
    for (const AttrDef& attr : old_.attrs) CompareAttr(attr);
    for (const AttrDef& attr : new_.attrs) LookAtNewAttr(attr);
    LookAtOrder();
    CompareArgs("input", &OpDef::inputs);
    CompareArgs("output", &OpDef::outputs);
    std::stable_partition(changes_.begin(), changes_.end(), [](const OpChange& change) { return !change.safe; });
    return std::move(changes_);
  }

 private:
  void CompareAttr(const AttrDef& before) {
    const AttrDef* now = new_.FindAttr(before.name);
    if (now == nullptr) return Add(false, "attr_removed", fmt::format("attr '{}' was removed", before.name));
    if (before.type != now->type) {
      return Add(false, "attr_type_changed",
                 fmt::format("attr '{}' was of type {} and is now of type {}", before.name, AttrTypeName(before.type),
                             AttrTypeName(now->type)));
    }
    CompareAllowed(before, *now);
    CompareMinimum(before, *now);
  }

  void CompareAllowed(const AttrDef& before, const AttrDef& now) {
    const bool stricter = IsStricter(before, now);
    if (!stricter && !IsStricter(now, before)) return;
    Add(!stricter, stricter ? "allowed_stricter" : "allowed_wider",
        fmt::format("attr '{}' allowed {} and now allows {}", before.name, AllowedOrAll(before), AllowedOrAll(now)));
  }

  // A missing minimum is less than every minimum, even than 0 for the length of a list.
  void CompareMinimum(const AttrDef& before, const AttrDef& now) {
    if (before.minimum == now.minimum) return;
    const bool raised = now.minimum && (!before.minimum || *now.minimum > *before.minimum);
    Add(!raised, raised ? "minimum_raised" : "minimum_lowered",
        fmt::format("attr '{}' had {} and now has {}", before.name, MinimumText(before), MinimumText(now)));
  }

  void LookAtNewAttr(const AttrDef& attr) {
    if (old_.FindAttr(attr.name) != nullptr) return;
    if (attr.default_value) {
      return Add(true, "attr_added_with_default",
                 fmt::format("attr '{}' is new; its default is {}", attr.name, AttrValueText(*attr.default_value)));
    }
    Add(false, "attr_added_without_default", fmt::format("attr '{}' is new and has no default", attr.name));
  }

  void LookAtOrder() {
    auto common = [](const OpDef& op, const OpDef& other) {
      std::vector<std::string> names;
      for (const AttrDef& attr : op.attrs) {
        if (other.FindAttr(attr.name) != nullptr) names.push_back(attr.name);
      }
      return names;
    };
    if (common(old_, new_) != common(new_, old_)) Add(true, "attrs_reordered", "the order of the attrs changed");
  }

  void CompareArgs(const std::string& side, std::vector<ArgDef> OpDef::*args) {
    const bool outputs = args == &OpDef::outputs;
    const std::vector<SignaturePart> before = ArgSignature(old_.*args, old_, old_);
    const std::vector<SignaturePart> now = ArgSignature(new_.*args, new_, old_);
    if (!Same(before, now, &SignaturePart::type)) {
      return Add(false, side + "_signature",
                 fmt::format("the {}s were {} and are {}", side, TypesText(before), TypesText(now)));
    }
    if (outputs && !Same(before, now, &SignaturePart::name)) {
      return Add(false, "output_signature",
                 fmt::format("the outputs were called {} and are now called {}",
                             PartsText(before, &SignaturePart::name), PartsText(now, &SignaturePart::name)));
    }
    CompareRefs(before, now, outputs);
    if (!SameForm(old_.*args, new_.*args)) {
      return Add(true, side + "s_by_default",
                 fmt::format("the {}s are {} by default; graph files must {} them as they are now declared", side,
                             TypesText(before), outputs ? "name" : "group"));
    }
    if (!outputs) LookAtInputNames(before, now);
  }

  // Requires: equally many parts.
  void CompareRefs(const std::vector<SignaturePart>& before, const std::vector<SignaturePart>& now, bool outputs) {
    for (size_t i = 0; i < now.size(); ++i) {
      if (before[i].is_ref == now[i].is_ref) continue;
      const char* rule = outputs ? (now[i].is_ref ? "output_made_ref" : "output_unref")
                                 : (now[i].is_ref ? "input_made_ref" : "input_not_ref");
      Add(outputs == now[i].is_ref, rule,
          fmt::format("{} '{}' is now {}", outputs ? "output" : "input", now[i].name,
                      now[i].is_ref ? "a reference" : "not a reference"));
    }
  }

  void LookAtInputNames(const std::vector<SignaturePart>& before, const std::vector<SignaturePart>& now) {
    for (size_t i = 0; i < now.size(); ++i) {
      if (before[i].name == now[i].name) continue;
      Add(true, "input_renamed",
          fmt::format("input '{}' is now called '{}'; graphs that pass it by name must be changed", before[i].name,
                      now[i].name));
    }
  }

  void Add(bool safe, std::string rule, std::string message) {
    changes_.push_back({safe, std::move(rule), std::move(message)});
  }

  const OpDef& old_;
  const OpDef& new_;
  std::vector<OpChange> changes_;
};

}  // namespace

std::vector<OpChange> CompareOps(const OpDef& old_op, const OpDef& new_op) {
  return Comparison(old_op, new_op).Compare();
}

// Changes of defaults from version to version.

namespace {

// Compares what was written: NaN equals NaN, and 0 differs from -0.
bool SameFloats(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return (x != x && y != y) || std::bit_cast<uint64_t>(x) == std::bit_cast<uint64_t>(y);
  });
}

bool Same(AttrValue a, AttrValue b) {
  if (!SameFloats(a.floats, b.floats)) return false;
  a.floats.clear();
  b.floats.clear();
  return a == b;
}

std::string ChangedText(const std::string& attr, const AttrValue& before, const AttrValue& now) {
  return fmt::format("the default of attr '{}' was {} and is now {}", attr, AttrValueText(before), AttrValueText(now));
}

std::optional<OpChange> CompareDefault(const AttrDef& before, const AttrDef& now) {
  if (!before.default_value && !now.default_value) return std::nullopt;
  if (!before.default_value) {
    return OpChange{true, "default_added",
                    fmt::format("attr '{}' now has the default {}", now.name, AttrValueText(*now.default_value))};
  }
  if (!now.default_value) {
    return OpChange{false, "default_removed",
                    fmt::format("attr '{}' had the default {} and now has none", before.name,
                                AttrValueText(*before.default_value))};
  }
  if (Same(*before.default_value, *now.default_value)) return std::nullopt;
  return OpChange{false, "default_changed", ChangedText(before.name, *before.default_value, *now.default_value)};
}

std::optional<OpChange> CompareAddedDefault(const AttrDef& added, const AttrDef* now) {
  if (!added.default_value) {
    return OpChange{false, "added_without_default",
                    fmt::format("attr '{}' was added without a default in the version between", added.name)};
  }
  if (now == nullptr || !now->default_value) {
    return OpChange{false, "added_default_removed",
                    fmt::format("attr '{}' was added with the default {} in the version between, and now has none",
                                added.name, AttrValueText(*added.default_value))};
  }
  if (Same(*added.default_value, *now->default_value)) return std::nullopt;
  return OpChange{false, "added_default_changed",
                  ChangedText(added.name, *added.default_value, *now->default_value) + " since the version between"};
}

}  // namespace

std::vector<OpChange> CompareDefaults(const OpDef& old_op, const OpDef& new_op) {
  std::vector<OpChange> changes;
  for (const AttrDef& attr : old_op.attrs) {
    const AttrDef* now = new_op.FindAttr(attr.name);
    if (now == nullptr) continue;
    if (std::optional<OpChange> change = CompareDefault(attr, *now)) changes.push_back(*std::move(change));
  }
  return changes;
}

std::vector<OpChange> CompareVersions(const OpDef& old_op, const OpDef& new_op) {
  std::vector<OpChange> changes = CompareOps(old_op, new_op);
  std::ranges::move(CompareDefaults(old_op, new_op), std::back_inserter(changes));
  return changes;
}

std::vector<OpChange> CompareAddedDefaults(const OpDef& old_op, const OpDef& mid_op, const OpDef& new_op) {
  std::vector<OpChange> changes;
  for (const AttrDef& attr : mid_op.attrs) {
    if (old_op.FindAttr(attr.name) != nullptr) continue;
    if (auto change = CompareAddedDefault(attr, new_op.FindAttr(attr.name))) changes.push_back(*std::move(change));
  }
  return changes;
}

}  // namespace opsrun::host::spec
