// host/elf/undefined_symbol.h: why a library cannot be loaded that uses a symbol which nobody defines. Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "host/base/refusal.h"

namespace opsrun::host {

// library: of those that the plugin needs, the one that uses the symbol; empty: the plugin itself does. others: how
// many more are not defined. The remedy depends on whose symbol it is: the plugin's own, TensorFlow's, abseil's,
// protobuf's, or a sanitizer's.
Refusal ExplainUndefined(std::string_view library, std::string_view symbol, size_t others);

}  // namespace opsrun::host
