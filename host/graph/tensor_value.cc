// host/graph/tensor_value.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/tensor_value.h"

#include <algorithm>
#include <string>

#include "host/tensor/exact_text.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

// Elements from *place on, as lists in lists from dimension `axis` on; moves *place behind them.
Value ElementsFrom(const Tensor& tensor, size_t axis, int64_t* place, const Span& span) {
  if (axis == tensor.shape().size()) return ElementValue(tensor, (*place)++, span);
  Value list = ListValue(span);
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) list.items.push_back(ElementsFrom(tensor, axis + 1, place, span));
  return list;
}

// A list of no elements does not say the sizes that come after it.
bool ListsSayItsShape(const Shape& shape) {
  return shape.empty() || std::find(shape.begin(), shape.end() - 1, 0) == shape.end() - 1;
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

}  // namespace opsrun::host
