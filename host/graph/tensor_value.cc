// SPDX-License-Identifier: Apache-2.0
#include "host/graph/tensor_value.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/tensor/number_type.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// The elements from *place on, as nested lists from dimension `axis` on. Advances *place past them.
Value ElementsFrom(const Tensor& tensor, size_t axis, int64_t* place, const Span& span) {
  if (axis == tensor.shape().size()) return ElementValue(tensor, (*place)++, span);
  Value list = ListValue(span);
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) list.items.push_back(ElementsFrom(tensor, axis + 1, place, span));
  return list;
}

constexpr int64_t kMostEmptyLists = 64;

// An empty list does not show the sizes of later dimensions. A tensor without elements can have any number of them.
bool ListsSayItsShape(const Shape& shape) {
  if (shape.empty() || shape.back() != 0) return std::find(shape.begin(), shape.end(), 0) == shape.end();
  const std::optional<int64_t> lists = NumElements(Shape(shape.begin(), shape.end() - 1));
  return lists && *lists > 0 && *lists <= kMostEmptyLists;
}

}  // namespace

Value SizesValue(const int64_t* sizes, size_t rank) {
  Value list = ListValue();
  for (size_t i = 0; i < rank; ++i) list.items.push_back(PlainValue(std::to_string(sizes[i])));
  return list;
}

Value ElementValue(const Tensor& tensor, int64_t place, const Span& span) {
  if (tensor.dtype() == DType::kString) return StringValue(std::string(tensor.string(place)), span);
  return PlainValue(ExactText(tensor, place), span);
}

Value FillValue(const Tensor& tensor) {
  if (tensor.num_elements() > 0) return ElementValue(tensor, 0);
  const Result<Tensor> zero = Tensor::Create(tensor.dtype(), {});
  return zero.ok() ? ElementValue(*zero, 0) : PlainValue("0");
}

Value WholeTensorValue(const Tensor& tensor) {
  Value map = MapValue();
  if (ListsSayItsShape(tensor.shape())) {
    AddEntry(map, "value", ElementsValue(tensor));
  } else {
    AddEntry(map, "fill", FillValue(tensor));
    AddEntry(map, "shape", SizesValue(tensor.shape().data(), tensor.shape().size()));
  }
  AddEntry(map, "dtype", StringValue(DTypeName(tensor.dtype())));
  return map;
}

Value ElementsValue(const Tensor& tensor, const Span& span) {
  int64_t place = 0;
  return ElementsFrom(tensor, 0, &place, span);
}

// Reading tensors written in the graph.

namespace {

// A list of a million strings is one mistake, so reports only a few errors.
constexpr int kMaxErrors = 5;

constexpr std::array<DType, 4> kWidening = {DType::kBool, DType::kInt64, DType::kFloat64, DType::kComplex128};

// Nested lists as a shape and the elements in row-major order.
class Flattener {
 public:
  explicit Flattener(Reporter& reporter) : reporter_(reporter) {}

  bool Flatten(const Value& value) {
    for (const Value* at = &value; at->kind == Value::Kind::kList; at = &at->items[0]) {
      shape_.push_back(static_cast<int64_t>(at->items.size()));
      first_.push_back(at);
      if (at->items.empty()) break;
    }
    if (shape_.size() > OPSRUN_MAX_RANK) {
      return Refuse(value.span, fmt::format("a value of rank {} is too high, at most {} is supported", shape_.size(),
                                            OPSRUN_MAX_RANK));
    }
    return Collect(value, 0);
  }

  const Shape& shape() const { return shape_; }
  const std::vector<const Value*>& elements() const { return elements_; }

 private:
  bool Collect(const Value& value, size_t axis) {
    if (axis == shape_.size()) return CollectElement(value);
    const size_t expected = static_cast<size_t>(shape_[axis]);
    if (value.kind != Value::Kind::kList) {
      return Refuse(value.span,
                    fmt::format("expected a list of {1}, found {0}", FoundText(value), Several(expected, "value")),
                    first_[axis]);
    }
    if (value.items.size() != expected) {
      return Refuse(value.span,
                    fmt::format("this list has {}, expected {}", Several(value.items.size(), "value"), expected),
                    first_[axis]);
    }
    return std::all_of(value.items.begin(), value.items.end(),
                       [&](const Value& item) { return Collect(item, axis + 1); });
  }

  bool CollectElement(const Value& value) {
    if (value.kind == Value::Kind::kList) {
      return Refuse(value.span,
                    fmt::format("expected a number, found a list of {}", Several(value.items.size(), "value")));
    }
    elements_.push_back(&value);
    return true;
  }

  bool Refuse(const Span& where, std::string message, const Value* example = nullptr) {
    Diagnostic& error = reporter_.Error("F105", where, std::move(message));
    error.help.push_back("all lists at one level must have the same length, and only the innermost lists hold values");
    if (example != nullptr)
      error.also.push_back({example->span, fmt::format("{} here", Several(example->items.size(), "value"))});
    return false;
  }

  Reporter& reporter_;
  Shape shape_;
  std::vector<const Value*> first_;  // per level, the list that determined the size
  std::vector<const Value*> elements_;
};

bool IsQuoted(const Value* value) {
  return value->quoted;
}

// The data type of a number, or of a word that is a number in other languages, such as nan.
std::optional<DType> MeantDType(const Value& element) {
  const std::optional<DType> natural = NaturalDType(element);
  if (natural || element.kind != Value::Kind::kScalar || element.quoted) return natural;
  const std::string meant = NumberMeantBy(element.text);
  return meant.empty() ? std::nullopt : NaturalDType(PlainValue(meant));
}

// Only quoted text counts as strings: an unquoted word is more often a misspelled number.
DType InferDType(const std::vector<const Value*>& elements) {
  if (elements.empty()) return DType::kFloat64;
  if (std::all_of(elements.begin(), elements.end(), IsQuoted)) return DType::kString;
  auto widest = kWidening.begin();
  bool any = false;
  for (const Value* element : elements) {
    const std::optional<DType> natural = MeantDType(*element);
    if (!natural) continue;
    any = true;
    widest = std::max(widest, std::find(kWidening.begin(), kWidening.end(), *natural));
  }
  return any ? *widest : DType::kFloat64;
}

void ReportNumber(const Value& value, DType dtype, const Status& status, Reporter& reporter) {
  reporter.Refuse("F106", value.span, status.message(), NumberHelp(value, dtype));
}

bool ReportNoMemory(const Span& where, const Status& status, Reporter& reporter) {
  return reporter.Refuse("D001", where, status.message(), "make it smaller, or use a machine with more memory");
}

// Fills `bytes` with copies of one element: copies what is already there, in pieces that stay in the cache.
void Repeat(const char* element, size_t size, char* to, size_t bytes) {
  constexpr size_t kPiece = 1 << 16;
  if (bytes == 0) return;
  std::memcpy(to, element, size);
  for (size_t done = size, n = 0; done < bytes; done += n) {
    n = std::min({done, kPiece, bytes - done});
    std::memcpy(to + done, to, n);
  }
}

bool CheckText(const Value& element, Reporter& reporter) {
  return element.kind == Value::Kind::kScalar || element.kind == Value::Kind::kBytes ||
         reporter.Refuse("F106", element.span, fmt::format("expected a string, found {}", KindText(element)),
                         "write a text in quotes");
}

// The dtype is string, so unquoted words and numbers are also text.
bool StoreStrings(const std::vector<const Value*>& elements, Tensor& tensor, Reporter& reporter) {
  for (size_t i = 0; i < elements.size(); ++i) {
    const Value& element = *elements[i];
    if (!CheckText(element, reporter)) return false;
    const Status status = tensor.SetString(static_cast<int64_t>(i), element.text);
    if (!status.ok()) return ReportNoMemory(element.span, status, reporter);
  }
  return true;
}

bool StoreNumbers(const std::vector<const Value*>& elements, Tensor& tensor, Reporter& reporter) {
  int errors = 0;
  char* to = static_cast<char*>(tensor.mutable_data());
  for (const Value* element : elements) {
    const Status status = StoreNumber(*element, tensor.dtype(), to);
    to += DTypeSize(tensor.dtype());
    if (status.ok()) continue;
    ReportNumber(*element, tensor.dtype(), status, reporter);
    if (++errors == kMaxErrors) break;
  }
  return errors == 0;
}

std::optional<Tensor> TensorOrNoMemory(Result<Tensor> tensor, const Span& where, Reporter& reporter) {
  if (tensor.ok()) return *std::move(tensor);
  ReportNoMemory(where, tensor.status(), reporter);
  return std::nullopt;
}

std::optional<Tensor> FillWithText(const Value& text, const Located<Shape>& shape, Reporter& reporter) {
  if (!CheckText(text, reporter)) return std::nullopt;
  return TensorOrNoMemory(Tensor::OfStrings(shape.value, text.text), shape.span, reporter);
}

}  // namespace

std::optional<Tensor> MakeTensor(DType dtype, const Shape& shape, const Span& where, Reporter& reporter) {
  return TensorOrNoMemory(Tensor::Create(dtype, shape), where, reporter);
}

std::optional<Tensor> ReadTensorValue(const Value& value, std::optional<DType> dtype, Reporter& reporter) {
  Flattener flat(reporter);
  if (!flat.Flatten(value)) return std::nullopt;
  const DType type = dtype ? *dtype : InferDType(flat.elements());
  std::optional<Tensor> tensor = MakeTensor(type, flat.shape(), value.span, reporter);
  const auto store = type == DType::kString ? StoreStrings : StoreNumbers;
  return tensor && store(flat.elements(), *tensor, reporter) ? tensor : std::nullopt;
}

std::optional<Tensor> ReadFillValue(const Value& number, std::optional<DType> dtype, const Located<Shape>& shape,
                                    Reporter& reporter) {
  const DType type = dtype ? *dtype : InferDType({&number});
  std::array<char, 16> element{};
  if (const Status status = type == DType::kString ? OkStatus() : StoreNumber(number, type, element.data());
      !status.ok()) {
    ReportNumber(number, type, status, reporter);
    return std::nullopt;
  }
  if (type == DType::kString) return FillWithText(number, shape, reporter);
  std::optional<Tensor> tensor = MakeTensor(type, shape.value, shape.span, reporter);
  if (!tensor) return std::nullopt;
  // Fresh memory is zero, and untouched pages cost nothing.
  if (element != std::array<char, 16>{}) {
    Repeat(element.data(), DTypeSize(type), static_cast<char*>(tensor->mutable_data()), tensor->num_bytes());
  }
  return tensor;
}

// Reading data types and shapes.

namespace {

constexpr const char* kWriteAll = "specify every size";

ErrorReported RefuseShape(const Span& where, std::string message, Reporter& reporter,
                          std::string help = "a shape is a list of sizes such as [2, 3]; -1 is an unknown size") {
  return reporter.Refuse("F104", where, std::move(message), std::move(help));
}

// Python's None, which is null in JSON.
bool MeansUnknown(const Value& item) {
  return item.kind == Value::Kind::kNull || item.text == "None";
}

}  // namespace

std::optional<Located<DType>> ReadDType(const Value& value, Reporter& reporter) {
  const std::vector<std::string>& names = FeedableDTypeNames();
  const std::optional<std::string> text = AsString(value);
  const std::optional<DType> dtype = text ? DTypeFromName(*text) : std::nullopt;
  if (!dtype) {
    Diagnostic& error =
        reporter.Error("F103", value.span, fmt::format("expected a data type, found {}", FoundText(value)));
    SuggestName(error, text.value_or(""), names, "data types");
    return std::nullopt;
  }
  if (IsSmallerThanAByte(*dtype)) {
    return reporter.Refuse("F103", value.span, NoTensorsText(*dtype), DidYouMean("", names, "data types"));
  }
  if (std::find(names.begin(), names.end(), DTypeName(*dtype)) == names.end()) {
    return reporter.Refuse(
        "F103", value.span,
        fmt::format("a feed cannot be {}: such values exist only while a graph runs", DTypeName(*dtype)),
        DidYouMean("", names, "data types"));
  }
  return Located<DType>{*dtype, value.span};
}

std::optional<Located<Shape>> ReadShape(const Value& value, Reporter& reporter, bool whole) {
  if (value.kind != Value::Kind::kList) {
    return RefuseShape(value.span, fmt::format("expected a shape, found {}", FoundText(value)), reporter);
  }
  if (value.items.size() > OPSRUN_MAX_RANK) {
    return RefuseShape(
        value.span,
        fmt::format("a shape of rank {} is too high, at most {} is supported", value.items.size(), OPSRUN_MAX_RANK),
        reporter);
  }
  Located<Shape> shape{{}, value.span};
  for (const Value& item : value.items) {
    const std::optional<int64_t> size = AsInt(item);
    const std::string message = fmt::format("expected a size, found {}", FoundText(item));
    if (!size && MeansUnknown(item)) {
      return RefuseShape(item.span, message, reporter, whole ? kWriteAll : "write -1 for a size that is not known");
    }
    if (!size || *size < -1) return RefuseShape(item.span, message, reporter);
    shape.value.push_back(*size);
  }
  return shape;
}

bool CheckWhole(const Located<Shape>& shape, const std::string& what, Reporter& reporter) {
  return IsWhole(shape.value) ||
         reporter.Refuse("F104", shape.span,
                         fmt::format("'{}' needs a shape without -1, found {}", what, ShapeText(shape.value)),
                         kWriteAll);
}

bool ShapeAllows(const Shape& declared, std::span<const int64_t> found) {
  return std::equal(declared.begin(), declared.end(), found.begin(), found.end(),
                    [](int64_t wanted, int64_t size) { return wanted == -1 || wanted == size; });
}

}  // namespace opsrun::host
