// host/base/wire.h: numbers and texts as bytes: keys, and messages between two processes of one build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace opsrun::host {

class WireWriter {
 public:
  explicit WireWriter(std::string& bytes) : bytes_(bytes) {}

  template <typename T>
  void Number(T number) {
    const auto bits = static_cast<uint64_t>(number);
    bytes_.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
  void Text(std::string_view text) {
    Number(text.size());
    bytes_ += text;
  }
  template <typename List, typename Write>
  void Each(const List& list, Write write) {
    Number(list.size());
    for (const auto& one : list) write(one);
  }
  void Texts(const std::vector<std::string>& texts) {
    Each(texts, [this](const std::string& text) { Text(text); });
  }

 private:
  std::string& bytes_;
};

// Reads what WireWriter wrote. The bytes may be anything: after the first mistake, all numbers are 0 and all texts and
// lists empty.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : left_(bytes) {}

  // False after a mistake.
  bool ok() const { return ok_; }
  // True if all bytes were read, without a mistake.
  bool Ends() const { return ok_ && left_.empty(); }
  bool Fail() {
    left_ = {};
    return ok_ = false;
  }

  template <typename T = uint64_t>
  T Number() {
    uint64_t bits = 0;
    if (left_.size() < sizeof(bits)) {
      Fail();
      return T{};
    }
    std::memcpy(&bits, left_.data(), sizeof(bits));
    left_.remove_prefix(sizeof(bits));
    return static_cast<T>(bits);
  }
  bool Flag() { return Number() != 0; }
  std::string_view View() {
    const auto size = Number();
    if (size > left_.size()) {
      Fail();
      return {};
    }
    const std::string_view text = left_.substr(0, size);
    left_.remove_prefix(size);
    return text;
  }
  std::string Text() { return std::string(View()); }
  // Calls read() for each element. Each of them takes 8 bytes or more, so a wrong number of them ends soon.
  template <typename Read>
  void Each(Read read) {
    const auto count = Number();
    if (count > left_.size() / sizeof(uint64_t)) Fail();
    for (uint64_t i = 0; i < count && ok_; ++i) read();
  }
  std::vector<std::string> Texts() {
    std::vector<std::string> texts;
    Each([&] { texts.push_back(Text()); });
    return texts;
  }

 private:
  std::string_view left_;
  bool ok_ = true;
};

}  // namespace opsrun::host
