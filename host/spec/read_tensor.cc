// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <type_traits>

#include "host/spec/op_def.h"
#include "host/spec/parse_op.h"

namespace opsrun::host::spec {
namespace {

constexpr uint64_t kMostBytes = uint64_t{16} << 20;
constexpr uint64_t kMostStrings = uint64_t{1} << 16;

// The fields of a tensor, as given. Values of all fields are stored as numbers or strings; `field` is their field.
struct GivenTensor {
  DType dtype = DType::kInvalid;
  PartialShape shape{.rank_known = true, .dims = {}};
  std::string_view field;
  std::vector<uint64_t> numbers;  // the low bytes of each are those of an element
  std::vector<std::string> strings;
  std::optional<std::string> content;
};

// The field for the values of a data type; empty if they cannot be written as text.
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
    default:  // the other integers
      return IsFloat8(dtype) ? "float8_val" : DTypeSize(dtype) != 0 ? "int_val" : "";
  }
}

// The numbers as elements of `dtype`, for a little-endian machine.
std::string ValueBytes(const GivenTensor& text) {
  const size_t size = DTypeSize(text.dtype) / (IsComplex(text.dtype) ? 2 : 1);
  std::string bytes;
  for (const uint64_t& number : text.numbers) bytes.append(reinterpret_cast<const char*>(&number), size);
  return bytes;
}

// Nothing for a shape that is not fully known, or that has more than `most` elements.
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

// Repeats the last value until there are `elements`. Returns an error, or an empty text.
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
  if (size == 0 || content.size() != elements * size) return "tensor_content does not have the size of this tensor";
  tensor->bytes = content;
  return {};
}

// Makes the tensor that `text` describes. Returns an error, or an empty text.
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

// A repeated field with values of type T, which are added to *text.
template <typename T>
MessageField Values(std::string_view name, bool (*read)(TextCursor*, T*), GivenTensor* text) {
  auto one = [=](TextCursor* cursor) {
    if (!text->field.empty() && text->field != name) {
      return cursor->Refuse("this tensor has values in " + std::string(text->field) + " already");
    }
    text->field = name;
    T value{};
    if (!read(cursor, &value)) return false;
    if constexpr (std::is_same_v<T, std::string>) {
      text->strings.push_back(std::move(value));
    } else {
      std::memcpy(&text->numbers.emplace_back(0), &value, sizeof value);
    }
    return true;
  };
  return {name, false, true, one};
}

// All numbers are in one string, one byte each.
bool ReadFloat8s(TextCursor* cursor, GivenTensor* text) {
  std::string bytes;
  if (!text->field.empty()) {
    return cursor->Refuse("this tensor has values in " + std::string(text->field) + " already");
  }
  if (!ReadString(cursor, &bytes)) return false;
  text->field = "float8_val";
  for (const char byte : bytes) text->numbers.push_back(static_cast<unsigned char>(byte));
  return true;
}

std::vector<MessageField> TensorFields(GivenTensor* text, int32_t* version) {
  return {
      {"dtype", false, false, [=](TextCursor* cursor) { return ReadType(cursor, &text->dtype); }},
      {"tensor_shape", true, false, [=](TextCursor* cursor) { return ReadShape(cursor, &text->shape); }},
      {"version_number", false, false, [=](TextCursor* cursor) { return ReadInt(cursor, version); }},
      {"tensor_content", false, false,
       [=](TextCursor* cursor) { return ReadString(cursor, &text->content.emplace()); }},
      Values("int_val", ReadInt<int32_t>, text),
      Values("half_val", ReadInt<int32_t>, text),
      Values("int64_val", ReadInt<int64_t>, text),
      Values("uint32_val", ReadInt<uint32_t>, text),
      Values("uint64_val", ReadInt<uint64_t>, text),
      Values("float_val", ReadFloat<float>, text),
      Values("scomplex_val", ReadFloat<float>, text),
      Values("double_val", ReadFloat<double>, text),
      Values("dcomplex_val", ReadFloat<double>, text),
      Values("bool_val", ReadBool, text),
      Values("string_val", ReadString, text),
      {"float8_val", false, false, [=](TextCursor* cursor) { return ReadFloat8s(cursor, text); }},
  };
}

// { size: 2 name: 'rows' }. The size of a dim without one is 0; names are ignored.
bool ReadDim(TextCursor* cursor, int64_t* size) {
  std::string name;
  return ReadMessage(cursor, {{"size", false, false, [=](TextCursor* c) { return ReadIntFrom(int64_t{-1}, c, size); }},
                              {"name", false, false, [&](TextCursor* c) { return ReadString(c, &name); }}});
}

}  // namespace

bool ReadShape(TextCursor* cursor, PartialShape* shape) {
  const size_t begin = cursor->offset();
  PartialShape read;
  bool unknown_rank = false;
  auto dim = [&](TextCursor* c) { return ReadDim(c, &read.dims.emplace_back(0)); };
  auto rank = [&](TextCursor* c) { return ReadBool(c, &unknown_rank); };
  if (!ReadMessage(cursor, {{"dim", true, true, dim}, {"unknown_rank", false, false, rank}})) return false;
  read.rank_known = !unknown_rank;
  if (read.dims.size() > OPSRUN_MAX_RANK) return cursor->RefuseAt(begin, "this shape has more than 64 dims");
  if (unknown_rank && !read.dims.empty()) return cursor->RefuseAt(begin, "a shape of unknown rank has no dims");
  *shape = std::move(read);
  return true;
}

bool ReadTensor(TextCursor* cursor, TensorValue* tensor) {
  const size_t begin = cursor->offset();
  GivenTensor text;
  int32_t version = 0;
  if (!ReadMessage(cursor, TensorFields(&text, &version))) return false;
  const std::string problem = MakeTensor(std::move(text), tensor);
  return problem.empty() || cursor->RefuseAt(begin, problem);
}

}  // namespace opsrun::host::spec
