// host/base/abi_level.h: how much of each growing struct of the contract a level has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "opsrun/c_api.h"

namespace opsrun::host {

// What every plugin and every host has of a struct.
template <typename T>
inline constexpr uint32_t kLevel1Size = 0;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_resource> = OPSRUN_LEVEL_1_SIZE_RESOURCE;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_host> = OPSRUN_LEVEL_1_SIZE_HOST;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_call> = OPSRUN_LEVEL_1_SIZE_CALL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_create> = OPSRUN_LEVEL_1_SIZE_CREATE;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_shape_call> = OPSRUN_LEVEL_1_SIZE_SHAPE_CALL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_op> = OPSRUN_LEVEL_1_SIZE_OP;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_kernel> = OPSRUN_LEVEL_1_SIZE_KERNEL;
template <>
inline constexpr uint32_t kLevel1Size<opsrun_plugin> = OPSRUN_LEVEL_1_SIZE_PLUGIN;

// The size of a growing struct at a level, from 1 to OPSRUN_LEVEL: what a host of that level makes, shows and reads.
template <typename T>
constexpr uint32_t SizeAt(uint32_t level) {
  static_assert(kLevel1Size<T> != 0, "a growing struct of the contract");
  return level <= 1 ? kLevel1Size<T> : static_cast<uint32_t>(sizeof(T));
}

}  // namespace opsrun::host
