// tests/host/run/one_host.h: the host table of tests that need no engine around it, and rows of int32 as tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "host/device/device.h"
#include "host/run/host_table.h"

namespace opsrun::host {

inline const opsrun_host* HostTable() {
  static const std::shared_ptr<const opsrun_host> table = MakeHostTable(OpenCpuDevice());
  return table.get();
}

inline Tensor TensorOf(const std::vector<int32_t>& row) {
  return *Tensor::CopyOf(DType::kInt32, {static_cast<int64_t>(row.size())}, row.data());
}
inline std::vector<int32_t> ValuesOf(const Result<Tensor>& tensor) {
  const auto* data = static_cast<const int32_t*>(tensor->data());
  return {data, data + tensor->num_elements()};
}

}  // namespace opsrun::host
