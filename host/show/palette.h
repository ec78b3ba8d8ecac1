// host/show/palette.h: the colors of a picture.
//
// Boxes are light with dark text; lines and text outside boxes are medium gray, and there is no background, so that the
// picture is readable on white and on black. The colors can be distinguished with any color vision (Okabe and Ito), and
// text repeats all information that they carry.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

struct Shade {
  std::string_view fill;
  std::string_view line;
};

inline constexpr std::string_view kWords = "#1f2328";       // in boxes
inline constexpr std::string_view kSmallWords = "#57606a";  // the same, less important
inline constexpr std::string_view kOutside = "#7d8590";     // lines, and text next to them

inline constexpr Shade kFeedShade = {"#f0f2f4", "#8b949e"};
inline constexpr Shade kOutputShade = {"#ffffff", "#57606a"};
inline constexpr Shade kUnknownShade = {"#f6f8fa", "#a0a8b0"};
inline constexpr Shade kMistakeShade = {"#fbd5cc", "#b3290a"};

}  // namespace opsrun::host
