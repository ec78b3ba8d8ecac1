// absl/memory/memory.h: absl::make_unique and WrapUnique.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN
using std::make_unique;
template <typename T>
std::unique_ptr<T> WrapUnique(T* object) {
  return std::unique_ptr<T>(object);
}
template <typename T>
std::weak_ptr<T> WeakenPtr(const std::shared_ptr<T>& object) {
  return object;
}
OPSRUN_ABSL_END
