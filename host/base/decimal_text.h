// host/base/decimal_text.h: numbers as decimal text, read the same whatever the locale of the process is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool IsDecimalText(std::string_view text);

// The double nearest to the text, ties to even; infinite if that is too large. Requires: IsDecimalText(text).
double NearestDouble(std::string_view text);

// Below 0, 0 or above 0: how the magnitude of the text compares with that of the number, exactly. Takes microseconds.
// Requires: IsDecimalText(text); a finite number.
int CompareMagnitudes(std::string_view text, double number);

}  // namespace opsrun::host
