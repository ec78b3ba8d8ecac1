// host/graph/tensor_value.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/tensor_value.h"

#include <string>

#include "host/tensor/exact_text.h"
#include "host/yaml/build_value.h"

namespace opsrun::host {
namespace {

// Elements from *place on, as lists in lists from dimension `axis` on; moves *place behind them.
Value ElementsFrom(const Tensor& tensor, size_t axis, int64_t* place, const Span& span) {
  if (axis == tensor.shape().size()) return ElementValue(tensor, (*place)++, span);
  Value list = ListValue(span);
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) list.items.push_back(ElementsFrom(tensor, axis + 1, place, span));
  return list;
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

Value ElementsValue(const Tensor& tensor, const Span& span) {
  int64_t place = 0;
  return ElementsFrom(tensor, 0, &place, span);
}

}  // namespace opsrun::host
