// adapters/tensorflow/native/status.h: errors of opsrun as TensorFlow statuses, which have the same codes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "adapters/common/failure.h"

namespace opsrun_tf {

inline absl::Status StatusOf(const opsrun_adapter::Failure& failure) {
  return absl::Status(static_cast<absl::StatusCode>(failure.code), failure.what());
}

// Throws Failure unless it is OK.
inline void Require(const absl::Status& status) {
  if (!status.ok()) throw opsrun_adapter::Failure(static_cast<int32_t>(status.code()), std::string(status.message()));
}

}  // namespace opsrun_tf
