// plugins/median_pool/run_network.h: a network on a stretch of columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "network.h"

namespace median_pool {

// How many values more than it asks for a stretch may touch, since vectors are whole.
inline constexpr int64_t kOverrun = 32;

// The network for `count` values side by side. Columns are `channels` values apart. Slot i begins at slots + i * pitch.
// Requires: pitch >= count + (network.columns - 1) * channels + kOverrun. What NaNs lead to is any value.
void RunNetwork(const Network& network, float* slots, int64_t pitch, int64_t channels, int64_t count);
void RunNetwork(const Network& network, uint8_t* slots, int64_t pitch, int64_t channels, int64_t count);

}  // namespace median_pool
