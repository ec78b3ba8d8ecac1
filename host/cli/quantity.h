// host/cli/quantity.h: numbers with units, as the values of options.
//
// A quantity is a number above 0, possibly with a fraction, and a unit directly after it: "1.5G", "500ms". CLI11
// supports units as well; docs/decisions.md explains why they are not used.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace opsrun::host {

// Bytes: B (also without a unit), K or KiB, M, G, T. Nothing for any other text.
std::optional<uint64_t> ParseBytes(std::string_view text);

// Milliseconds: s (also without a unit), ms, m, h. Nothing for any other text.
std::optional<uint64_t> ParseMilliseconds(std::string_view text);

}  // namespace opsrun::host
