// host/show/palette.h: the colors of a picture.
//
// Boxes are light with dark words in them; lines and the words beside them are of a middle gray, and there is no
// background: so the picture can be read on white and on black. The hues are those that people with any color vision
// tell apart (Okabe and Ito), and no color says what is not said in words too.
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
inline constexpr std::string_view kOutside = "#7d8590";     // lines, and words beside them

inline constexpr Shade kFeedShade = {"#f0f2f4", "#8b949e"};
inline constexpr Shade kOutputShade = {"#ffffff", "#57606a"};
inline constexpr Shade kUnknownShade = {"#f6f8fa", "#a0a8b0"};
inline constexpr Shade kMistakeShade = {"#fbd5cc", "#b3290a"};

}  // namespace opsrun::host
