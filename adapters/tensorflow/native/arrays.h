// adapters/tensorflow/native/arrays.h: TensorFlow tensors as opsrun_array.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <vector>

#include "opsrun/embed.h"
#include "tensorflow/core/framework/tensor.h"
#include "types.h"

namespace opsrun_tf {

class Arrays {
 public:
  Arrays() = default;
  Arrays(const Arrays&) = delete;

  // Null if opsrun does not have the type. Valid as long as this object and the tensor.
  const opsrun_array* Add(const tensorflow::Tensor& tensor, int32_t dtype) {
    if (FindType(dtype) == nullptr || dtype == OPSRUN_DT_RESOURCE) return nullptr;
    std::vector<int64_t>& sizes = sizes_.emplace_back();
    for (int i = 0; i < tensor.dims(); ++i) sizes.push_back(tensor.dim_size(i));
    void* data = tensor.data();
    if (dtype == OPSRUN_DT_STRING) {
      std::vector<opsrun_str>& texts = texts_.emplace_back();
      const auto flat = tensor.unaligned_flat<tensorflow::tstring>();
      for (int64_t k = 0; k < flat.size(); ++k) texts.push_back({flat(k).data(), flat(k).size()});
      data = texts.data();
    }
    return &arrays_.emplace_back(opsrun_array{data, sizes.data(), nullptr, dtype, static_cast<int32_t>(sizes.size())});
  }

 private:
  std::deque<std::vector<int64_t>> sizes_;
  std::deque<std::vector<opsrun_str>> texts_;
  std::deque<opsrun_array> arrays_;
};

}  // namespace opsrun_tf
