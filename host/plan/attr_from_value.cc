// host/plan/attr_from_value.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/attr_from_value.h"

#include <fmt/format.h>

#include "host/base/near_names.h"
#include "host/plan/attr_tensor.h"
#include "host/plan/explain/attr_help.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

using spec::AttrDef;
using spec::AttrType;
using spec::AttrValue;

std::string Shown(const Value& value) {
  if (value.kind != Value::Kind::kScalar) return KindText(value);
  return fmt::format("{}'{}'", value.quoted ? "the string " : "", value.text);
}

class Converter {
 public:
  Converter(const AttrDef& attr, AttrMistake* mistake) : attr_(attr), mistake_(mistake) { out_.type = attr.type; }

  std::optional<AttrValue> Convert(const Value& value) {
    if (!attr_.type.list) return Add(value) ? std::optional(std::move(out_)) : std::nullopt;
    if (value.kind != Value::Kind::kList) {
      Wants(value, fmt::format("write a list, such as [{}]", value.kind == Value::Kind::kScalar ? value.text : ".."));
      return std::nullopt;
    }
    for (const Value& item : value.items) {
      if (!Add(item)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  bool Wants(const Value& value, std::string help) {
    *mistake_ = {value.span, fmt::format("attr '{}' is {}, not {}", attr_.name, KindOfAttr(attr_), Shown(value)),
                 std::move(help)};
    return false;
  }

  bool Add(const Value& value) {
    switch (attr_.type.kind) {
      case OPSRUN_ATTR_INT:
        return Keep(AsInt(value), out_.ints, value, "write a whole number that fits 64 bits");
      case OPSRUN_ATTR_FLOAT:
        return Keep(AsFloat(value), out_.floats, value, "write a number");
      case OPSRUN_ATTR_BOOL:
        return Keep(AsBool(value), out_.ints, value, "write true or false");
      case OPSRUN_ATTR_STRING:
        return Keep(AsString(value), out_.strings, value, fmt::format("put it in quotes: '{}'", value.text));
      case OPSRUN_ATTR_TYPE:
        return AddType(value);
      case OPSRUN_ATTR_SHAPE:
        return AddShape(value);
      case OPSRUN_ATTR_FUNC:
        return Keep(AsString(value), out_.strings, value, "write the name of a function");
      default:
        return AddTensor(value);
    }
  }

  template <typename T, typename List>
  bool Keep(const std::optional<T>& converted, List& list, const Value& value, std::string help) {
    if (!converted) return Wants(value, std::move(help));
    list.push_back(*converted);
    return true;
  }

  bool AddType(const Value& value) {
    const std::optional<DType> dtype = value.kind == Value::Kind::kScalar ? DTypeFromName(value.text) : std::nullopt;
    const std::vector<std::string> allowed = AllowedWords(attr_);
    if (!dtype)
      return Wants(value, DidYouMean(value.text, allowed.empty() ? FeedableDTypeNames() : allowed, "data types"));
    out_.ints.push_back(DTypeNumber(*dtype));
    return true;
  }

  bool AddShape(const Value& value) {
    if (value.kind != Value::Kind::kList) return Wants(value, "write a list of sizes, such as [2, -1]; -1 is unknown");
    spec::PartialShape shape{true, {}};
    for (const Value& item : value.items) {
      const std::optional<int64_t> size = AsInt(item);
      if (!size || *size < -1) return Wants(item, "a size is a whole number from 0 on, or -1 for an unknown one");
      shape.dims.push_back(*size);
    }
    if (shape.dims.size() > OPSRUN_MAX_RANK)
      return Wants(value, fmt::format("a shape has at most {} sizes", OPSRUN_MAX_RANK));
    out_.shapes.push_back(std::move(shape));
    return true;
  }

  bool AddTensor(const Value& value) {
    std::optional<spec::TensorValue> tensor = AttrTensorFromValue(value, mistake_);
    if (!tensor) {
      mistake_->message = fmt::format("attr '{}' is a tensor: {}", attr_.name, mistake_->message);
      return false;
    }
    out_.tensors.push_back(*std::move(tensor));
    return true;
  }

  const AttrDef& attr_;
  AttrMistake* mistake_;
  AttrValue out_;
};

}  // namespace

std::optional<AttrValue> AttrFromValue(const AttrDef& attr, const Value& value, AttrMistake* mistake) {
  return Converter(attr, mistake).Convert(value);
}

}  // namespace opsrun::host
