// host/spec/read_tensor.cc: see read_tensor.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/read_tensor.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "host/spec/read_literal.h"
#include "host/spec/read_message.h"
#include "host/spec/read_shape.h"
#include "host/spec/type_words.h"

namespace opsrun::host::spec {
namespace {

constexpr uint64_t kMostBytes = uint64_t{16} << 20;
constexpr uint64_t kMostStrings = uint64_t{1} << 16;

// The fields of a tensor, as given. Values of whatever field end up here as numbers or strings; `field` is where they
// stood.
struct GivenTensor {
  DType dtype = DType::kInvalid;
  PartialShape shape{.rank_known = true, .dims = {}};
  std::string_view field;
  std::vector<int64_t> ints;
  std::vector<uint64_t> uints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::optional<std::string> content;
};

// The field that holds the values of a data type; empty for one that has no values in text.
std::string_view FieldOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "float_val";
    case DType::kFloat64:
      return "double_val";
    case DType::kInt64:
      return "int64_val";
    case DType::kBool:
      return "bool_val";
    case DType::kString:
      return "string_val";
    case DType::kComplex64:
      return "scomplex_val";
    case DType::kComplex128:
      return "dcomplex_val";
    case DType::kFloat16:
    case DType::kBFloat16:
      return "half_val";
    case DType::kUInt32:
      return "uint32_val";
    case DType::kUInt64:
      return "uint64_val";
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kQInt8:
    case DType::kQInt16:
    case DType::kQInt32:
    case DType::kQUInt8:
    case DType::kQUInt16:
      return "int_val";
    case DType::kInvalid:
    case DType::kResource:
    case DType::kVariant:
      break;
  }
  return {};
}

template <typename T>
void AppendBytes(T value, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The low bytes of a number, as the (little-endian) machine stores an integer of `size` bytes.
void AppendInteger(uint64_t value, size_t size, std::string* bytes) {
  bytes->append(reinterpret_cast<const char*>(&value), size);
}

// The given values as elements of `dtype`.
std::string ValueBytes(const GivenTensor& text) {
  const bool is_complex = text.dtype == DType::kComplex64 || text.dtype == DType::kComplex128;
  const size_t size = DTypeSize(text.dtype) / (is_complex ? 2 : 1);
  std::string bytes;
  for (int64_t value : text.ints) AppendInteger(static_cast<uint64_t>(value), size, &bytes);
  for (uint64_t value : text.uints) AppendInteger(value, size, &bytes);
  for (double value : text.floats) {
    if (size == sizeof(float)) {
      AppendBytes(static_cast<float>(value), &bytes);
    } else {
      AppendBytes(value, &bytes);
    }
  }
  return bytes;
}

// Nothing for a shape that is not fully known, or too large to hold.
std::optional<uint64_t> Elements(const PartialShape& shape, uint64_t most) {
  if (!shape.rank_known) return std::nullopt;
  const bool empty = std::count(shape.dims.begin(), shape.dims.end(), 0) > 0;
  uint64_t elements = empty ? 0 : 1;
  for (int64_t dim : shape.dims) {
    if (dim < 0) return std::nullopt;
    if (empty) continue;
    if (static_cast<uint64_t>(dim) > most / elements) return std::nullopt;
    elements *= static_cast<uint64_t>(dim);
  }
  return elements;
}

// Repeats the last value until there are `elements`. Empty text: all is well.
std::string FillStrings(std::vector<std::string> given, uint64_t elements, TensorValue* tensor) {
  if (given.size() > elements) return "this tensor has more values than elements";
  std::string last = given.empty() ? std::string() : given.back();
  given.resize(elements, last);
  tensor->strings = std::move(given);
  return {};
}

std::string FillBytes(std::string given, uint64_t elements, TensorValue* tensor) {
  const size_t size = DTypeSize(tensor->dtype);
  if (given.size() % size != 0) return "a complex number is two values";
  if (given.size() > elements * size) return "this tensor has more values than elements";
  const std::string last = given.empty() ? std::string(size, '\0') : given.substr(given.size() - size);
  given.reserve(elements * size);
  while (given.size() < elements * size) given += last;
  tensor->bytes = std::move(given);
  return {};
}

std::string FillFromContent(const std::string& content, uint64_t elements, TensorValue* tensor) {
  const size_t size = DTypeSize(tensor->dtype);
  if (size == 0 || content.size() != elements * size) return "tensor_content has not the size of this tensor";
  tensor->bytes = content;
  return {};
}

// What is wrong with the tensor that `text` describes, or empty.
std::string MakeTensor(GivenTensor text, TensorValue* tensor) {
  if (!IsDType(text.dtype)) return "this tensor has no dtype";
  const std::string_view field = FieldOf(text.dtype);
  if (field.empty()) return "a tensor of " + TypeText(text.dtype) + " has no text";
  if (!text.field.empty() && text.field != field) {
    return "values of " + TypeText(text.dtype) + " stand in " + std::string(field) + ", not in " +
           std::string(text.field);
  }
  const size_t size = DTypeSize(text.dtype);
  std::optional<uint64_t> elements = Elements(text.shape, size == 0 ? kMostStrings : kMostBytes / size);
  if (!elements) return "the shape of this tensor is not known in full, or it is larger than 16 MiB";
  tensor->dtype = text.dtype;
  tensor->shape = text.shape.dims;
  if (text.content && !text.field.empty()) return "a tensor has tensor_content or values, not both";
  if (text.content) return FillFromContent(*text.content, *elements, tensor);
  if (text.dtype == DType::kString) return FillStrings(std::move(text.strings), *elements, tensor);
  return FillBytes(ValueBytes(text), *elements, tensor);
}

// A repeated field of values; `read` appends one to *text.
template <typename Read>
MessageField Values(std::string_view name, GivenTensor* text, Read read) {
  auto one = [name, text, read](TextCursor* cursor, std::string* problem) {
    if (!text->field.empty() && text->field != name) {
      *problem = "this tensor has values in " + std::string(text->field) + " already";
      return false;
    }
    text->field = name;
    return read(cursor, problem);
  };
  return {name, false, true, one};
}

MessageField Ints(std::string_view name, int64_t lowest, int64_t highest, GivenTensor* text) {
  return Values(name, text, [=](TextCursor* c, std::string* p) {
    return ReadInt(c, lowest, highest, &text->ints.emplace_back(), p);
  });
}

MessageField Uints(std::string_view name, uint64_t highest, GivenTensor* text) {
  return Values(name, text,
                [=](TextCursor* c, std::string* p) { return ReadUint(c, highest, &text->uints.emplace_back(), p); });
}

MessageField Doubles(std::string_view name, GivenTensor* text) {
  return Values(name, text,
                [=](TextCursor* c, std::string* p) { return ReadDouble(c, &text->floats.emplace_back(), p); });
}

MessageField Floats(std::string_view name, GivenTensor* text) {
  return Values(name, text, [=](TextCursor* c, std::string* p) {
    float value = 0;
    if (!ReadFloat(c, &value, p)) return false;
    text->floats.push_back(value);
    return true;
  });
}

MessageField Bools(std::string_view name, GivenTensor* text) {
  return Values(name, text, [=](TextCursor* c, std::string* p) {
    bool value = false;
    if (!ReadBool(c, &value, p)) return false;
    text->ints.push_back(value ? 1 : 0);
    return true;
  });
}

MessageField Strings(std::string_view name, GivenTensor* text) {
  return Values(name, text,
                [=](TextCursor* c, std::string* p) { return ReadString(c, &text->strings.emplace_back(), p); });
}

std::vector<MessageField> TensorFields(GivenTensor* text, int64_t* version) {
  using Int32 = std::numeric_limits<int32_t>;
  using Int64 = std::numeric_limits<int64_t>;
  return {
      {"dtype", false, false, [=](TextCursor* c, std::string* p) { return ReadType(c, &text->dtype, p); }},
      {"tensor_shape", true, false, [=](TextCursor* c, std::string* p) { return ReadShape(c, &text->shape, p); }},
      {"version_number", false, false,
       [=](TextCursor* c, std::string* p) { return ReadInt(c, Int32::min(), Int32::max(), version, p); }},
      {"tensor_content", false, false,
       [=](TextCursor* c, std::string* p) { return ReadString(c, &text->content.emplace(), p); }},
      Ints("int_val", Int32::min(), Int32::max(), text),
      Ints("half_val", Int32::min(), Int32::max(), text),
      Ints("int64_val", Int64::min(), Int64::max(), text),
      Uints("uint32_val", std::numeric_limits<uint32_t>::max(), text),
      Uints("uint64_val", std::numeric_limits<uint64_t>::max(), text),
      Floats("float_val", text),
      Floats("scomplex_val", text),
      Doubles("double_val", text),
      Doubles("dcomplex_val", text),
      Bools("bool_val", text),
      Strings("string_val", text),
  };
}

}  // namespace

bool ReadTensor(TextCursor* cursor, TensorValue* tensor, std::string* problem) {
  const size_t begin = cursor->offset();
  GivenTensor text;
  int64_t version = 0;
  if (!ReadMessage(cursor, TensorFields(&text, &version), problem)) return false;
  *problem = MakeTensor(std::move(text), tensor);
  if (problem->empty()) return true;
  cursor->MoveTo(begin);
  return false;
}

}  // namespace opsrun::host::spec
