// host/testing/test_node.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/test_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/base/near_names.h"
#include "host/plan/attr_yaml.h"
#include "host/testing/test_values.h"

namespace opsrun::host {
namespace {

using spec::ArgDef;
using Given = std::map<std::string, spec::AttrValue>;

class Types {
 public:
  Types(const spec::OpDef& op, const Given& given, const std::vector<DType>& value_types)
      : op_(op), given_(given), value_types_(value_types) {}

  // One entry per argument, as InferAttrs expects.
  Result<std::vector<std::optional<spec::InputTypes>>> OfAll() {
    const Result<std::vector<int64_t>> lengths = Lengths();
    if (!lengths.ok()) return lengths.status();
    std::vector<std::optional<spec::InputTypes>> types;
    size_t first = 0;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const auto length = static_cast<size_t>((*lengths)[i]);
      types.emplace_back(spec::InputTypes{op_.inputs[i].is_list(), OfArg(op_.inputs[i], first, length)});
      first += length;
    }
    return types;
  }

 private:
  // How many tensors each argument takes. If one length attr is unset, its value follows from the number of inputs; all
  // arguments that use it share that.
  Result<std::vector<int64_t>> Lengths() const {
    std::vector<int64_t> lengths;
    std::string open;  // the attr that is not set
    int64_t rest = static_cast<int64_t>(value_types_.size()), shares = 0;
    for (const ArgDef& arg : op_.inputs) {
      lengths.push_back(LengthOf(arg));
      if (lengths.back() >= 0) {
        rest -= lengths.back();
        continue;
      }
      const std::string& attr = LengthAttr(arg);
      if (!open.empty() && open != attr) return TwoOpen(open, attr);
      open = attr;
      ++shares;
    }
    if (rest < 0 || (shares == 0 ? rest != 0 : rest % shares != 0)) return WrongCount();
    std::replace(lengths.begin(), lengths.end(), int64_t{-1}, shares == 0 ? 0 : rest / shares);
    return lengths;
  }

  static const std::string& LengthAttr(const ArgDef& arg) {
    return arg.number_attr.empty() ? arg.type_list_attr : arg.number_attr;
  }

  // -1: not set.
  int64_t LengthOf(const ArgDef& arg) const {
    if (!arg.is_list()) return 1;
    const auto set = given_.find(LengthAttr(arg));
    if (set == given_.end()) return -1;
    return arg.number_attr.empty() ? static_cast<int64_t>(set->second.ints.size())
                                   : std::clamp<int64_t>(set->second.ints[0], 0, spec::kMaxListLength);
  }

  Status TwoOpen(const std::string& a, const std::string& b) const {
    return InvalidArgument(
        fmt::format("how long the lists of op '{}' are is not known: set attr '{}' or '{}'", op_.name, a, b));
  }
  Status WrongCount() const {
    std::vector<std::string> names;
    for (const ArgDef& arg : op_.inputs) names.push_back(arg.is_list() ? arg.name + " (a list)" : arg.name);
    return InvalidArgument(fmt::format("the test gives {} shapes, which do not fit the inputs of op '{}': {}",
                                       value_types_.size(), op_.name, fmt::join(names, ", ")));
  }

  std::vector<DType> OfArg(const ArgDef& arg, size_t first, size_t length) {
    std::vector<DType> types;
    for (size_t i = first; i < first + length; ++i) types.push_back(OfInput(arg, i, i - first));
    return types;
  }

  DType OfInput(const ArgDef& arg, size_t input, size_t element) {
    if (value_types_[input] != DType::kInvalid) return value_types_[input];  // a wrong type is reported later
    if (arg.dtype != DType::kInvalid) return arg.dtype;
    const std::string& attr = arg.type_attr.empty() ? arg.type_list_attr : arg.type_attr;
    if (const auto set = given_.find(attr); set != given_.end() && !set->second.ints.empty()) {
      return DTypeFromNumber(set->second.ints[arg.type_attr.empty() ? element : 0]);
    }
    return arg.type_attr.empty() ? Allowed(*op_.FindAttr(attr)) : OfAttr(attr);
  }

  // The type of the first value among all inputs of the attr's type, otherwise its default, otherwise an allowed one.
  DType OfAttr(const std::string& attr) {
    const auto known = of_attr_.find(attr);
    if (known != of_attr_.end()) return known->second;
    const spec::AttrDef& def = *op_.FindAttr(attr);
    DType type = ValueTypeOf(attr);
    if (type == DType::kInvalid) {
      type = def.default_value ? DTypeFromNumber(def.default_value->ints[0]) : Allowed(def);
    }
    return of_attr_[attr] = type;
  }

  DType ValueTypeOf(const std::string& attr) const {
    const Result<std::vector<int64_t>> lengths = Lengths();
    size_t at = 0;
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      for (int64_t element = 0; element < (*lengths)[i]; ++element, ++at) {
        if (op_.inputs[i].type_attr == attr && value_types_[at] != DType::kInvalid) return value_types_[at];
      }
    }
    return DType::kInvalid;
  }

  static DType Allowed(const spec::AttrDef& def) {
    const std::vector<DType>& allowed = def.allowed_types;
    const bool any = allowed.empty() || std::find(allowed.begin(), allowed.end(), DType::kFloat32) != allowed.end();
    return any ? DType::kFloat32 : allowed.front();
  }

  const spec::OpDef& op_;
  const Given& given_;
  const std::vector<DType>& value_types_;
  std::map<std::string, DType> of_attr_;
};

std::vector<std::string> AttrNames(const spec::OpDef& op) {
  std::vector<std::string> names;
  for (const spec::AttrDef& attr : op.attrs) names.push_back(attr.name);
  return names;
}

}  // namespace

Result<Given> ConvertAttrs(const spec::OpDef& op, const TestAttrs& attrs) {
  Given given;
  for (const auto& [name, value] : attrs) {
    const spec::AttrDef* const attr = op.FindAttr(name);
    if (attr == nullptr) {
      return InvalidArgument(
          fmt::format("op '{}' has no attr '{}'\n  help: {}", op.name, name, DidYouMean(name, AttrNames(op), "attrs")));
    }
    AttrMistake mistake;
    std::optional<spec::AttrValue> converted = AttrFromValue(*attr, ToValue(value, {}), &mistake);
    if (!converted) return InvalidArgument(mistake.message + "\n  help: " + mistake.help, "attr:" + name);
    given.emplace(name, *std::move(converted));
  }
  return given;
}

Result<spec::Signature> SignatureOf(const spec::OpDef& op, const TestAttrs& attrs,
                                    const std::vector<DType>& value_types) {
  const Result<Given> given = ConvertAttrs(op, attrs);
  if (!given.ok()) return given.status();
  const Result<std::vector<std::optional<spec::InputTypes>>> types = Types(op, *given, value_types).OfAll();
  if (!types.ok()) return types.status();
  spec::Inference inference = spec::InferAttrs(op, *types, *given);
  if (inference.ok()) return std::move(inference.signature);
  const spec::InferError& first = inference.errors.front();
  return InvalidArgument(first.message, first.subject);
}

}  // namespace opsrun::host
