// host/show/paint.h: the colours of a terminal, or none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

// The escape sequence of a color.
struct Ink {
  static constexpr std::string_view kStrong = "\x1b[1m", kError = "\x1b[1;31m", kWarning = "\x1b[1;33m",
                                    kGood = "\x1b[1;32m", kPlace = "\x1b[1;34m";
};

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}

  std::string operator()(std::string_view ink, std::string_view text) const {
    if (!on_ || text.empty()) return std::string(text);
    return std::string(ink).append(text).append("\x1b[0m");
  }

 private:
  bool on_;
};

}  // namespace opsrun::host
