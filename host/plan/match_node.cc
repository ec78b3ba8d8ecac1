// SPDX-License-Identifier: Apache-2.0
#include "host/plan/match_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "host/base/display_text.h"
#include "host/graph/read_graph.h"
#include "host/graph/tensor_value.h"
#include "host/plan/explain/explain.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

void ReportUnknownInput(const Located<std::string>& name, const spec::OpDef& op, Reporter& reporter) {
  Diagnostic& error = reporter.Error("G210", name.span, fmt::format("op '{}' has no input '{}'", op.name, name.value));
  if (op.FindAttr(name.value) != nullptr) {
    error.help.push_back(fmt::format("'{}' is an attr: write it under 'attrs'", name.value));
  } else {
    SuggestName(error, name.value, spec::NamesOf(op.inputs), "inputs");
  }
}

void ReportUnknownAttr(const Located<std::string>& name, const spec::OpDef& op, Reporter& reporter) {
  Diagnostic& error = reporter.Error("G212", name.span, fmt::format("op '{}' has no attr '{}'", op.name, name.value));
  if (spec::FindNamed(op.inputs, name.value) != nullptr) {
    error.help.push_back(fmt::format("'{}' is an input: write it under 'in'", name.value));
  } else {
    SuggestName(error, name.value, spec::NamesOf(op.attrs), "attrs");
  }
}

}  // namespace

// A single list argument takes all inputs by position.
std::vector<MatchedInput> MatchInputs(const Node& node, const spec::OpDef& op, Reporter& reporter) {
  const std::vector<spec::ArgDef>& args = op.inputs;
  const auto all = [&] { return fmt::format("inputs: {}", fmt::join(spec::NamesOf(args), ", ")); };
  const bool one_list = args.size() == 1 && args[0].is_list() &&
                        std::none_of(node.inputs.begin(), node.inputs.end(), [](const NodeInput& i) { return i.list; });
  std::vector<MatchedInput> matched;
  std::vector<bool> given(args.size());
  bool unknown = false;  // such a name is probably that of a missing input, misspelled
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const NodeInput& input = node.inputs[i];
    const bool by_position = input.arg.value.empty();
    const spec::ArgDef* const named = by_position ? nullptr : spec::FindNamed(args, input.arg.value);
    const size_t arg = named != nullptr ? static_cast<size_t>(named - args.data()) : one_list ? 0 : i;
    if (!by_position && named == nullptr) {
      ReportUnknownInput(input.arg, op, reporter);
      unknown = true;
    } else if (arg < args.size()) {
      matched.push_back({&input, arg, by_position && one_list});
      given[arg] = true;
    } else {
      Diagnostic& error = reporter.Error("G211", input.span,
                                         fmt::format("op '{}' has {}, but this node gives {}", op.name,
                                                     Several(args.size(), "input"), node.inputs.size()));
      error.label = "one too many";
      error.help.push_back(args.empty() ? "remove 'in'" : all());
      return matched;
    }
  }
  std::vector<std::string> missing;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!given[i]) missing.push_back(args[i].name);
  }
  if (missing.empty() || unknown) return matched;
  reporter.Refuse("G211", node.inputs.empty() ? node.op.span : node.inputs_span,
                  fmt::format("{} '{}' of op '{}' {} missing", missing.size() == 1 ? "input" : "inputs",
                              fmt::join(missing, "', '"), op.name, missing.size() == 1 ? "is" : "are"),
                  all());
  return matched;
}

std::map<std::string, spec::AttrValue> ConvertAttrs(const Node& node, const spec::OpDef& op, Reporter& reporter,
                                                    std::vector<std::string>* refused) {
  std::map<std::string, spec::AttrValue> attrs;
  for (const NodeAttr& given : node.attrs) {
    const spec::AttrDef* const attr = op.FindAttr(given.name.value);
    if (attr == nullptr) {
      ReportUnknownAttr(given.name, op, reporter);
      continue;
    }
    AttrMistake mistake;
    if (std::optional<spec::AttrValue> value = AttrFromValue(*attr, given.value, &mistake)) {
      attrs.emplace(attr->name, *std::move(value));
      continue;
    }
    refused->push_back(attr->name);
    Diagnostic& error = reporter.Error("G214", mistake.where, std::move(mistake.message));
    if (!mistake.help.empty()) error.help.push_back(std::move(mistake.help));
  }
  return attrs;
}

std::optional<size_t> FindOutput(const Reference& reference, const spec::OpDef& op, Reporter& reporter) {
  if (reference.output.empty() && op.outputs.size() == 1) return 0;
  const spec::ArgDef* const named = reference.output.empty() ? nullptr : spec::FindNamed(op.outputs, reference.output);
  if (named != nullptr) return static_cast<size_t>(named - op.outputs.data());
  const std::vector<std::string> names = spec::NamesOf(op.outputs);
  if (reference.output.empty()) {
    if (names.empty()) {
      return reporter.Refuse("G209", reference.span,
                             fmt::format("node '{}' has no output, because op '{}' has none", reference.name, op.name),
                             fmt::format("to run after it without using an output, write after: [{}]", reference.name));
    }
    return reporter.Refuse(
        "G207", reference.span, fmt::format("node '{}' has {} outputs", reference.name, names.size()),
        fmt::format("write '{}.{}'", reference.name, fmt::join(names, fmt::format("' or '{}.", reference.name))));
  }
  Diagnostic& error = reporter.Error("G206", reference.span,
                                     fmt::format("node '{}' has no output '{}'", reference.name, reference.output));
  SuggestName(error, reference.output, names, "outputs", reference.name + ".");
  if (reference.index >= 0 && !error.suggestion.empty()) error.suggestion += fmt::format(".{}", reference.index);
  return std::nullopt;
}

// Attrs to and from the values of a graph file.

namespace {

std::optional<Value> TensorYaml(const spec::TensorValue& value) {
  Result<Tensor> tensor = Tensor::Create(value.dtype, value.shape);
  if (!tensor.ok()) return std::nullopt;
  for (size_t i = 0; i < value.strings.size(); ++i) {
    if (!tensor->SetString(static_cast<int64_t>(i), value.strings[i]).ok()) return std::nullopt;
  }
  if (!value.bytes.empty()) {
    std::memcpy(tensor->mutable_data(), value.bytes.data(), std::min(value.bytes.size(), tensor->num_bytes()));
  }
  return WholeTensorValue(*tensor);
}

// Most floats are written as float32, for which fewer digits are enough.
Value FloatYaml(double value) {
  const float narrow = static_cast<float>(value);
  return PlainValue(double{narrow} == value ? ExactText(narrow) : ExactText(value));
}

std::optional<Value> ElementYaml(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return PlainValue(std::to_string(value.ints[i]));
    case OPSRUN_ATTR_BOOL:
      return PlainValue(value.ints[i] != 0 ? "true" : "false");
    case OPSRUN_ATTR_FLOAT:
      return FloatYaml(value.floats[i]);
    case OPSRUN_ATTR_TYPE:
      return StringValue(DTypeName(DTypeFromNumber(value.ints[i])));
    case OPSRUN_ATTR_SHAPE: {
      const spec::PartialShape& shape = value.shapes[i];
      return shape.rank_known ? std::optional(SizesValue(shape.dims.data(), shape.dims.size())) : std::nullopt;
    }
    case OPSRUN_ATTR_TENSOR:
      return TensorYaml(value.tensors[i]);
    default:
      return StringValue(value.strings[i]);
  }
}

}  // namespace

std::optional<Value> AttrYaml(const spec::AttrValue& value) {
  if (!value.type.list) return ElementYaml(value, 0);
  Value list = ListValue();
  for (size_t i = 0; i < value.size(); ++i) {
    std::optional<Value> element = ElementYaml(value, i);
    if (!element) return std::nullopt;
    list.items.push_back(*std::move(element));
  }
  return list;
}

namespace {

using spec::AttrDef;
using spec::AttrType;
using spec::AttrValue;

std::string Shown(const Value& value) {
  if (value.kind != Value::Kind::kScalar) return KindText(value);
  return fmt::format("{}'{}'", value.quoted ? "the string " : "", value.text);
}

spec::TensorValue ToAttr(const Tensor& tensor) {
  spec::TensorValue value{tensor.dtype(), tensor.shape(), {}, {}};
  if (tensor.dtype() != DType::kString) {
    value.bytes.assign(static_cast<const char*>(tensor.data()), tensor.num_bytes());
    return value;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) value.strings.emplace_back(tensor.string(i));
  return value;
}

std::optional<Tensor> ReadAttrTensor(const Value& value, Reporter& reporter) {
  if (value.kind != Value::Kind::kMap) return ReadTensorValue(value, std::nullopt, reporter);
  CheckKeys(value, {"a tensor", {"value", "fill", "shape", "dtype"}, {}}, reporter);
  std::optional<DType> dtype;
  if (const Value* const word = value.Find("dtype")) {
    const std::optional<Located<DType>> read = ReadDType(*word, reporter);
    if (!read) return std::nullopt;
    dtype = read->value;
  }
  const Value* const elements = value.Find("value");
  const Value* const fill = value.Find("fill");
  const Value* const shape = value.Find("shape");
  if (elements != nullptr && fill == nullptr && shape == nullptr) return ReadTensorValue(*elements, dtype, reporter);
  if (elements == nullptr && fill != nullptr && shape != nullptr) {
    const std::optional<Located<Shape>> sizes = ReadShape(*shape, reporter, /*whole=*/true);
    if (!sizes || !CheckWhole(*sizes, "fill", reporter)) return std::nullopt;
    return ReadFillValue(*fill, dtype, *sizes, reporter);
  }
  reporter.Error("G214", value.span, "this tensor needs a value, or a fill and a shape")
      .help.push_back("write {value: [1, 2], dtype: int32} or {fill: 0, shape: [2, 3], dtype: int32}");
  return std::nullopt;
}

// Written like the value of a feed: 1.5, [[1, 2], [3, 4]], {value: [1, 2], dtype: int32}, {fill: 0, shape: [0, 2]}.
std::optional<spec::TensorValue> AttrTensorFromValue(const Value& value, AttrMistake* mistake) {
  const SourceFile nameless{};
  Diagnostics diagnostics;
  Reporter reporter(nameless, diagnostics);
  const std::optional<Tensor> tensor = ReadAttrTensor(value, reporter);
  if (diagnostics.all().empty() && tensor) return ToAttr(*tensor);
  const Diagnostic& first = diagnostics.all().front();
  *mistake = {first.where, first.message, first.help.empty() ? "" : first.help.front()};
  return std::nullopt;
}

// Help for a word that is a number in other languages; `otherwise` for others. whole: only integers are allowed.
std::string NumberHelpOr(const Value& value, bool whole, std::string otherwise) {
  const bool word = value.kind == Value::Kind::kScalar && !value.quoted;
  const std::string meant = word ? NumberMeantBy(value.text) : std::string();
  if (meant.empty() || (whole && !AsInt(PlainValue(meant)))) return otherwise;
  return fmt::format("write {}", meant);
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
    *mistake_ = {value.span, fmt::format("attr '{}' must be {}, found {}", attr_.name, KindOfAttr(attr_), Shown(value)),
                 std::move(help)};
    return false;
  }

  bool Add(const Value& value) {
    switch (attr_.type.kind) {
      case OPSRUN_ATTR_INT:
        return Keep(AsInt(value), out_.ints, value,
                    NumberHelpOr(value, true, "write a whole number that fits 64 bits"));
      case OPSRUN_ATTR_FLOAT:
        return Keep(ReadFloatAttr(value), out_.floats, value, NumberHelpOr(value, false, "write a number"));
      case OPSRUN_ATTR_BOOL:
        return Keep(AsBool(value), out_.ints, value, "write true or false");
      case OPSRUN_ATTR_STRING:
        return Keep(AsBytes(value), out_.strings, value, fmt::format("put it in quotes: '{}'", value.text));
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
