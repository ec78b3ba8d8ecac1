// host/show/paint.h: the colours of a terminal, or none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

enum class Ink { kPlain, kStrong, kError, kWarning, kGood, kPlace };

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}

  std::string operator()(Ink ink, std::string_view text) const {
    if (!on_ || ink == Ink::kPlain || text.empty()) return std::string(text);
    return std::string(Escape(ink)).append(text).append("\x1b[0m");
  }

 private:
  static const char* Escape(Ink ink) {
    switch (ink) {
      case Ink::kError:
        return "\x1b[1;31m";
      case Ink::kWarning:
        return "\x1b[1;33m";
      case Ink::kGood:
        return "\x1b[1;32m";
      case Ink::kPlace:
        return "\x1b[1;34m";
      default:
        return "\x1b[1m";
    }
  }

  bool on_;
};

}  // namespace opsrun::host
