// host/plugin/table_reader.cc: the checks that need no type.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/table_reader.h"

#include <fmt/format.h>

#include "host/plugin/plain_text.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kMaxText = 1 << 20;
constexpr uint64_t kMaxTexts = 1024;

}  // namespace

bool TableReader::Fail(const std::string& where, std::string_view what) {
  if (problem_.empty()) problem_ = fmt::format("{}: {}", where, what);
  return false;
}

bool TableReader::FailUnreadable(const std::string& where, std::string_view field) {
  return Fail(where, fmt::format("{}{}points to memory that cannot be read", field, field.empty() ? "" : " "));
}

bool TableReader::CheckSize(uint32_t size, size_t least, const std::string& where) {
  if (size >= least) return true;
  return Fail(where, fmt::format("size is {}, level 1 has {}", size, least));
}

bool TableReader::CheckArray(const void* from, uint64_t n, uint64_t most, const std::string& where,
                             std::string_view field) {
  if (n > most) return Fail(where, fmt::format("n_{} is {}, opsrun takes {} at most", field, n, most));
  if (from == nullptr) return Fail(where, fmt::format("{} is NULL but n_{} is {}", field, field, n));
  return true;
}

bool TableReader::Spend(uint64_t n, const std::string& where) {
  if (n > budget_) return Fail(where, "the table takes more than 64 MiB up to here");
  budget_ -= n;
  return true;
}

bool TableReader::Bytes(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to) {
  if (from.size == 0) return true;
  if (from.data == nullptr) return Fail(where, fmt::format("{} is NULL but has size {}", field, from.size));
  if (from.size > kMaxText)
    return Fail(where, fmt::format("{} has {} bytes, opsrun takes {} at most", field, from.size, kMaxText));
  if (!Spend(from.size, where)) return false;
  to->resize(from.size);
  return CheckedRead(from.data, from.size, to->data()) || FailUnreadable(where, field);
}

bool TableReader::Text(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to) {
  if (!Bytes(from, where, field, to)) return false;
  if (IsPlainText(*to)) return true;
  return Fail(where, fmt::format("{} is not UTF-8 text without control characters", field));
}

bool TableReader::Name(const opsrun_str& from, const std::string& where, std::string_view field, std::string* to) {
  if (from.size == 0) return Fail(where, fmt::format("{} is empty", field));
  if (!Text(from, where, field, to)) return false;
  return IsPlainName(*to) || Fail(where, fmt::format("{} is not one line", field));
}

bool TableReader::Texts(const opsrun_str* from, uint32_t n, const std::string& where, std::string_view field,
                        std::vector<std::string>* to) {
  std::vector<opsrun_str> slots;
  if (!Array(from, n, kMaxTexts, where, field, &slots)) return false;
  to->resize(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!Text(slots[i], where, fmt::format("{}[{}]", field, i), &(*to)[i])) return false;
  }
  return true;
}

bool TableReader::CheckCode(uintptr_t address, const std::string& where, std::string_view field) {
  if (address == 0) return Fail(where, fmt::format("{} is NULL", field));
  if (file_.HoldsCode(address)) return true;
  return Fail(where, fmt::format("{} is not a function of this file", field));
}

}  // namespace opsrun::host
