// host/spec/compat.cc: see compat.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/compat.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "host/spec/arg_signature.h"
#include "host/spec/check_attr.h"

namespace opsrun::host::spec {
namespace {

// True if `now` refuses a value that `before` allows. No set allows all.
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

// Of each part the type, or the name.
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

// Declared in other words, whatever they are called.
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
    if (old_.name != new_.name) Add(false, "op_renamed", fmt::format("op '{}' is '{}' now", old_.name, new_.name));
    for (const AttrDef& attr : old_.attrs) CompareAttr(attr);
    for (const AttrDef& attr : new_.attrs) LookAtNewAttr(attr);
    LookAtOrder();
    CompareInputs();
    CompareOutputs();
    std::stable_partition(changes_.begin(), changes_.end(), [](const OpChange& change) { return !change.safe; });
    return std::move(changes_);
  }

 private:
  void CompareAttr(const AttrDef& before) {
    const AttrDef* now = new_.FindAttr(before.name);
    if (now == nullptr) return Add(false, "attr_removed", fmt::format("attr '{}' is gone", before.name));
    if (before.type != now->type) {
      return Add(false, "attr_type_changed",
                 fmt::format("attr '{}' was of type {} and is of type {}", before.name, AttrTypeName(before.type),
                             AttrTypeName(now->type)));
    }
    CompareAllowed(before, *now);
    CompareMinimum(before, *now);
  }

  void CompareAllowed(const AttrDef& before, const AttrDef& now) {
    const bool stricter = IsStricter(before, now);
    if (!stricter && !IsStricter(now, before)) return;
    Add(!stricter, stricter ? "allowed_stricter" : "allowed_wider",
        fmt::format("attr '{}' allowed {} and allows {}", before.name, AllowedOrAll(before), AllowedOrAll(now)));
  }

  // No minimum is below every minimum, also below 0 of a list's length.
  void CompareMinimum(const AttrDef& before, const AttrDef& now) {
    if (before.minimum == now.minimum) return;
    const bool raised = now.minimum && (!before.minimum || *now.minimum > *before.minimum);
    Add(!raised, raised ? "minimum_raised" : "minimum_lowered",
        fmt::format("attr '{}' had {} and has {}", before.name, MinimumText(before), MinimumText(now)));
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
    if (common(old_, new_) != common(new_, old_)) Add(true, "attrs_reordered", "the attrs stand in another order");
  }

  void CompareInputs() {
    const std::vector<SignaturePart> before = ArgSignature(old_.inputs, old_, old_);
    const std::vector<SignaturePart> now = ArgSignature(new_.inputs, new_, old_);
    if (!Same(before, now, &SignaturePart::type)) {
      return Add(false, "input_signature",
                 fmt::format("the inputs were {} and are {}", TypesText(before), TypesText(now)));
    }
    CompareRefs(before, now, false);
    if (SameForm(old_.inputs, new_.inputs)) return LookAtInputNames(before, now);
    Add(true, "inputs_by_default",
        fmt::format("the inputs are {} by default; graph files have to group them as they are declared now",
                    TypesText(before)));
  }

  void CompareOutputs() {
    const std::vector<SignaturePart> before = ArgSignature(old_.outputs, old_, old_);
    const std::vector<SignaturePart> now = ArgSignature(new_.outputs, new_, old_);
    if (!Same(before, now, &SignaturePart::type)) {
      return Add(false, "output_signature",
                 fmt::format("the outputs were {} and are {}", TypesText(before), TypesText(now)));
    }
    if (!Same(before, now, &SignaturePart::name)) {
      return Add(false, "output_signature",
                 fmt::format("the outputs were called {} and are called {}", PartsText(before, &SignaturePart::name),
                             PartsText(now, &SignaturePart::name)));
    }
    CompareRefs(before, now, true);
    if (SameForm(old_.outputs, new_.outputs)) return;
    Add(true, "outputs_by_default",
        fmt::format("the outputs are {} by default; graph files have to name them as they are declared now",
                    TypesText(before)));
  }

  // Requires: as many parts.
  void CompareRefs(const std::vector<SignaturePart>& before, const std::vector<SignaturePart>& now, bool outputs) {
    for (size_t i = 0; i < now.size(); ++i) {
      if (before[i].is_ref == now[i].is_ref) continue;
      const char* rule = outputs ? (now[i].is_ref ? "output_made_ref" : "output_unref")
                                 : (now[i].is_ref ? "input_made_ref" : "input_not_ref");
      Add(outputs == now[i].is_ref, rule,
          fmt::format("{} '{}' is {} now", outputs ? "output" : "input", now[i].name,
                      now[i].is_ref ? "a reference" : "no reference"));
    }
  }

  void LookAtInputNames(const std::vector<SignaturePart>& before, const std::vector<SignaturePart>& now) {
    for (size_t i = 0; i < now.size(); ++i) {
      if (before[i].name == now[i].name) continue;
      Add(true, "input_renamed",
          fmt::format("input '{}' is called '{}' now; a graph that gives it by name must be changed", before[i].name,
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

bool AllSafe(const std::vector<OpChange>& changes) {
  return std::all_of(changes.begin(), changes.end(), [](const OpChange& change) { return change.safe; });
}

}  // namespace opsrun::host::spec
