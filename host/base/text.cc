// SPDX-License-Identifier: Apache-2.0
#include "host/base/text.h"

#include <array>
#include <cmath>
#include <limits>

namespace opsrun::host {
namespace {

constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};  // smallest code of each sequence length

// Length in bytes of a sequence that begins with `lead`; 0 if none does.
size_t SequenceSize(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  return lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
}

}  // namespace

Utf8Character DecodeUtf8(std::string_view text) {
  const auto lead = static_cast<uint8_t>(text.empty() ? 0x80 : text[0]);
  const size_t size = SequenceSize(lead);
  if (size <= 1) return {lead, size};
  if (size > text.size()) return {};
  uint32_t code = lead & (0x7Fu >> size);
  for (const char c : text.substr(1, size - 1)) {
    if (!IsContinuationByte(c)) return {};
    code = code << 6 | (static_cast<uint8_t>(c) & 0x3F);
  }
  return code >= kSmallest[size] && IsUnicode(code) ? Utf8Character{code, size} : Utf8Character{};
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t size = DecodeUtf8(text).size;
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

void AppendUtf8(uint32_t code, std::string* text) {
  const auto put = [text](uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  if (code < 0x80) return put(code);
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  put((0xFF00u >> (more + 1) & 0xFF) | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i) put(0x80 | (code >> (6 * i) & 0x3F));
}

bool TakeSign(std::string_view& text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return false;
  const bool minus = text[0] == '-';
  text.remove_prefix(1);
  return minus;
}

namespace {

std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// 0.digits * 10^power, without leading or trailing zeros; no digits for 0.
struct Digits {
  std::string digits;
  int64_t power = 0;
};

// Requires: digits with an optional sign. Clamps to 2^60, which is beyond any exponent that matters.
int64_t ExponentOf(std::string_view text) {
  constexpr int64_t kHuge = int64_t{1} << 60;
  const bool minus = TakeSign(text);
  int64_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec != std::errc() || exponent > kHuge) exponent = kHuge;
  return minus ? -exponent : exponent;
}

Digits DigitsOf(std::string_view text) {
  TakeSign(text);
  Digits number;
  number.digits = TakeDigits(text);
  number.power = static_cast<int64_t>(number.digits.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.digits += TakeDigits(text);
  }
  if (!text.empty()) number.power += ExponentOf(text.substr(1));
  const size_t first = std::min(number.digits.find_first_not_of('0'), number.digits.size());
  number.digits.erase(0, first);
  number.digits.resize(number.digits.find_last_not_of('0') + 1);
  number.power = number.digits.empty() ? 0 : number.power - static_cast<int64_t>(first);
  return number;
}

// from_chars does not distinguish overflow from underflow.
double Extreme(std::string_view text) {
  const double magnitude = DigitsOf(text).power > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return text[0] == '-' ? -magnitude : magnitude;
}

}  // namespace

bool IsDecimalText(std::string_view text) {
  TakeSign(text);
  size_t digits = TakeDigits(text).size();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += TakeDigits(text).size();
  }
  if (digits == 0 || text.empty()) return digits > 0;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  TakeSign(text);
  return !TakeDigits(text).empty() && text.empty();
}

double NearestDouble(std::string_view text) {
  if (text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? number : Extreme(text);
}

int CompareMagnitudes(std::string_view text, double number) {
  constexpr int kMostDigits = 767;  // digits of a double, written out exactly
  std::array<char, kMostDigits + 16> room;
  const auto written = std::to_chars(room.data(), room.data() + room.size(), std::abs(number),
                                     std::chars_format::scientific, kMostDigits - 1);
  const Digits one = DigitsOf(text);
  const Digits other = DigitsOf({room.data(), static_cast<size_t>(written.ptr - room.data())});
  if (one.digits.empty() || other.digits.empty()) return (other.digits.empty() ? 1 : 0) - (one.digits.empty() ? 1 : 0);
  if (one.power != other.power) return one.power < other.power ? -1 : 1;
  return one.digits.compare(other.digits);
}

namespace {

constexpr std::string_view kSixBits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kBlanks = " \t\r\n";

std::string PlaceText(size_t at) {
  return at == 0 ? "at the beginning" : "after " + std::to_string(at) + (at == 1 ? " character" : " characters");
}

// Checks what follows the last character that encodes bits. Requires: all earlier groups are complete.
Status CheckEnd(std::string_view rest, size_t at, size_t in_group, uint32_t bits) {
  size_t signs = 0;
  for (const char c : rest) {
    if (kBlanks.find(c) != std::string_view::npos) continue;
    if (c != '=') return InvalidArgument("invalid base64 " + PlaceText(at));
    ++signs;
  }
  if (in_group == 1 || (in_group + signs) % 4 != 0 || (in_group == 0 && signs > 0) || signs > 2) {
    return InvalidArgument("invalid base64: the last group of four characters is incomplete");
  }
  const uint32_t unused = in_group == 2 ? 0xf : in_group == 3 ? 0x3 : 0;
  return (bits & unused) == 0 ? OkStatus()
                              : InvalidArgument("invalid base64: the last character has unused bits that are not zero");
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; ++i) bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0);
    for (size_t i = 0; i < 4; ++i) text += i > group.size() ? '=' : kSixBits[bits >> (18 - 6 * i) & 0x3f];
  }
  return text;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string bytes;
  uint32_t bits = 0;
  size_t in_group = 0, at = 0;
  for (; at < text.size(); ++at) {
    if (kBlanks.find(text[at]) != std::string_view::npos) continue;
    const size_t six = kSixBits.find(text[at]);
    if (six == std::string_view::npos) break;
    bits = bits << 6 | static_cast<uint32_t>(six);
    in_group = (in_group + 1) % 4;
    if (in_group != 1) bytes += static_cast<char>(bits >> (in_group == 2 ? 4 : in_group == 3 ? 2 : 0));
  }
  if (Status status = CheckEnd(text.substr(at), at, in_group, bits); !status.ok()) return status;
  return bytes;
}

}  // namespace opsrun::host
