// host/spec/spec_error.cc: see spec_error.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/spec_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/utf8.h"

namespace opsrun::host::spec {
namespace {

constexpr size_t kShownBefore = 60;  // bytes around the fault: a doc or a hostile spec may be long
constexpr size_t kShownAfter = 40;

// One character as it looks on one line of a terminal.
std::string Visible(char c) {
  if (c == '\n') return "\\n";
  if (c == '\t') return "\\t";
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return std::string(1, c);
}

std::string Visible(std::string_view text) {
  std::string visible;
  for (char c : text) visible += Visible(c);
  return visible;
}

// Columns of visible text: UTF-8 characters count once.
size_t Width(std::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), IsContinuationByte));
}

// The part of the spec around the fault, and a caret under it.
std::string Excerpt(const SpecError& error) {
  const std::string_view spec = error.spec;
  const size_t fault = std::min(error.offset, spec.size());
  size_t begin = fault > kShownBefore ? fault - kShownBefore : 0;
  size_t end = std::min(spec.size(), fault + kShownAfter);
  while (begin > 0 && IsContinuationByte(spec[begin])) --begin;
  while (end < spec.size() && IsContinuationByte(spec[end])) ++end;

  const std::string before = (begin > 0 ? "..." : "") + Visible(spec.substr(begin, fault - begin));
  const std::string after = Visible(spec.substr(fault, end - fault)) + (end < spec.size() ? "..." : "");
  return "    " + before + after + "\n    " + std::string(Width(before), ' ') + "^\n";
}

}  // namespace

std::string SpecErrorsText(const std::string& op, const std::vector<SpecError>& errors) {
  std::string text;
  for (const SpecError& error : errors) {
    const bool of_name = error.what == "op";
    text += fmt::format("op '{}'{}: {}\n", Visible(op), of_name ? "" : ", " + error.what, error.message);
    text += Excerpt(error);
  }
  return text;
}

}  // namespace opsrun::host::spec
