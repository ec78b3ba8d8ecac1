// adapters/jax/native/describe.cc: writes descriptions.
// SPDX-License-Identifier: Apache-2.0
#include <cctype>
#include <cstdio>

#include "adapters/common/failure.h"
#include "description.h"
#include "types.h"

namespace opsrun_jax {
namespace {

std::string Hex(unsigned char byte) {
  char two[3];
  std::snprintf(two, sizeof(two), "%02x", byte);
  return two;
}

std::string Quoted(opsrun_str text) {
  std::string word;
  for (uint64_t i = 0; i < text.size; ++i) {
    const auto c = static_cast<unsigned char>(text.data[i]);
    const bool plain = c < 0x80 && (std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-');
    word += plain ? std::string(1, static_cast<char>(c)) : "%" + Hex(c);
  }
  return word;
}

std::string Float(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%a", value);
  return text;
}

std::string Sizes(int32_t rank, const int64_t* sizes) {
  if (rank < 0) return "[?]";
  std::string text = "[";
  for (int32_t i = 0; i < rank; ++i) text += (i == 0 ? "" : ",") + std::to_string(sizes[i]);
  return text + "]";
}

std::string Tensor(const opsrun_tensor& tensor) {
  const TypeNumbers* const type = FindType(tensor.dtype);
  if (type == nullptr) {
    throw opsrun_adapter::Failure(OPSRUN_UNIMPLEMENTED, "JAX has no type for the tensor of an attr");
  }
  size_t n = type->bytes();
  for (int32_t i = 0; i < tensor.rank; ++i) n *= static_cast<size_t>(tensor.shape[i]);
  std::string word = std::to_string(tensor.dtype) + Sizes(tensor.rank, tensor.shape) + "'";
  for (size_t i = 0; i < n; ++i) word += Hex(static_cast<const unsigned char*>(tensor.data)[i]);
  return word;
}

std::string Value(const opsrun_attr& attr, uint64_t i) {
  switch (attr.kind & ~OPSRUN_ATTR_LIST) {
    case OPSRUN_ATTR_FLOAT:
      return Float(opsrun_adapter::FloatOf(attr, i));
    case OPSRUN_ATTR_STRING:
    case OPSRUN_ATTR_FUNC:
      return "'" + Quoted(opsrun_adapter::StrOf(attr, i));
    case OPSRUN_ATTR_SHAPE:
      return Sizes(attr.v.shapes[i].rank, attr.v.shapes[i].dims);
    case OPSRUN_ATTR_TENSOR:
      return Tensor(*attr.v.tensors[i]);
    default:
      return std::to_string(opsrun_adapter::IntOf(attr, i));
  }
}

}  // namespace

std::string Describe(const opsrun_typed_op_info& op) {
  std::string text = Quoted(op.plugin) + "." + Quoted(op.name);
  for (uint32_t i = 0; i < op.n_in_args; ++i) {
    const opsrun_arg& arg = op.in_args[i];
    for (uint32_t k = arg.first; k < arg.first + arg.count; ++k) {
      text += "\nin " + Quoted(arg.name) + " " + std::to_string(op.in_types[k]) +
              ((arg.flags & OPSRUN_ARG_LIST) != 0 ? " 1" : " 0");
    }
    if (arg.count == 0) text += "\nin " + Quoted(arg.name) + " 0 2";
  }
  for (uint32_t i = 0; i < op.n_attrs; ++i) {
    const opsrun_attr& attr = op.attrs[i];
    text += "\nattr " + Quoted(attr.name) + " " + std::to_string(attr.kind);
    for (uint64_t k = 0; k < attr.count; ++k) text += " " + Value(attr, k);
  }
  return text;
}

}  // namespace opsrun_jax
