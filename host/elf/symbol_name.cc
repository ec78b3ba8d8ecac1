// host/elf/symbol_name.cc: names of the C++ ABI of Itanium, within limits that the library's function does not have.
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/symbol_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "host/base/utf8.h"

namespace opsrun::host {
namespace {

constexpr size_t kLongestText = 300;

// A back reference takes three bytes and may stand for everything before it, so a chain of them doubles the text with
// each link: 200 bytes of a symbol can become gigabytes. These limits admit all but one of a thousand names of large
// libraries, and no text beyond some megabytes.
constexpr size_t kLongestMangled = 1000;
constexpr int kMostReferences = 24;
constexpr int kMostExpansions = 1;  // of parameter packs: each may repeat its pattern for every type of the pack

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// "S_", "S1A_", "T_", "T0_": also where they are a part of a word, which is on the safe side.
bool IsReference(std::string_view text) {
  if (text[0] != 'S' && text[0] != 'T') return false;
  const size_t end = text.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
  return end != std::string_view::npos && text[end] == '_';
}

bool IsModest(std::string_view mangled) {
  if (mangled.size() > kLongestMangled) return false;
  int references = 0, expansions = 0;
  for (size_t at = 0; at < mangled.size(); ++at) {
    const std::string_view rest = mangled.substr(at);
    references += IsReference(rest);
    expansions += rest.starts_with("Dp") || rest.starts_with("sp");
  }
  return references <= kMostReferences && expansions <= kMostExpansions;
}

std::string Cut(std::string_view text) {
  if (text.size() <= kLongestText) return std::string(text);
  size_t end = kLongestText;
  while (end > 0 && IsContinuationByte(text[end])) --end;
  return std::string(text.substr(0, end)) + "...";
}

// The identifier at the beginning of `rest`, "4acme", which it loses; empty if there is none.
std::string_view TakeIdentifier(std::string_view& rest) {
  size_t size = 0, at = 0;
  for (; at < rest.size() && IsDigit(rest[at]); ++at) {
    size = size * 10 + static_cast<size_t>(rest[at] - '0');
    if (size > rest.size()) return {};
  }
  if (size > rest.size() - at) return {};
  const std::string_view identifier = rest.substr(at, size);
  rest.remove_prefix(at + size);
  return identifier;
}

// "_ZN4acme4blurEi" without "_ZN", and without what says that it is the type information of a class, a variable of a
// function or the like. Empty if no namespace follows.
std::string_view FromNamespaceOn(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return {};
  symbol.remove_prefix(2);
  for (const std::string_view special : {"TV", "TT", "TI", "TS", "GV", "GR"}) {
    if (symbol.starts_with(special)) symbol.remove_prefix(special.size());
  }
  symbol.remove_prefix(std::min(symbol.find_first_not_of('Z'), symbol.size()));  // of a function, something local
  if (!symbol.starts_with('N')) return {};
  return symbol.substr(std::min(symbol.find_first_not_of("rVKRO", 1), symbol.size()));
}

}  // namespace

std::string SymbolText(std::string_view symbol) {
  if (!symbol.starts_with("_Z") || !IsModest(symbol)) return Cut(symbol);
  int failed = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &failed), &std::free);
  return Cut(text == nullptr ? symbol : std::string_view(text.get()));
}

bool IsOfNamespace(std::string_view symbol, std::string_view name) {
  std::string_view rest = FromNamespaceOn(symbol);
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find("::"));
    if (TakeIdentifier(rest) != part) return false;
    name.remove_prefix(std::min(part.size() + 2, name.size()));
  }
  return !rest.empty() && rest.front() != 'E';  // something is in it
}

}  // namespace opsrun::host
