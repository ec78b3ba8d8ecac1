// SPDX-License-Identifier: Apache-2.0
#include "host/examine/explain_symbols.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "host/base/characters.h"
#include "host/base/number_text.h"

namespace opsrun::host {
namespace {

// The names from tf.sysconfig.get_link_flags() and from older build files.
bool IsOfTensorFlow(std::string_view library) {
  return library.starts_with("libtensorflow") || library.starts_with("_pywrap_tensorflow");
}

}  // namespace

Refusal ExplainMissing(std::string_view library, std::string_view needed_by) {
  std::string install =
      fmt::format("install the package that holds {}, or link the plugin with an -rpath that leads to it", library);
  if (!needed_by.empty())
    return {fmt::format("{} needs {}, which is not found", needed_by, library), std::move(install)};
  return {fmt::format("it needs the library {}, which is not found", library),
          IsOfTensorFlow(library)
              ? "link the plugin without it: the flags of 'opsrun sdk --cflags' are all that a plugin needs"
              : std::move(install)};
}

Refusal ExplainUnreadable(std::string_view library, std::string_view needed_by, int error) {
  const std::string needs = needed_by.empty() ? "it needs the library" : fmt::format("{} needs", needed_by);
  return RefusedBySystem(fmt::format("{} {}, which cannot be read", needs, library), error);
}

// The prefix or the namespace of a symbol shows the cause.

namespace {

std::optional<Refusal> OfSanitizer(std::string_view symbol) {
  struct Sanitizer {
    std::string_view prefix, name, flag;
  };
  constexpr Sanitizer kSanitizers[] = {{"__asan_", "AddressSanitizer", "address"},
                                       {"__tsan_", "ThreadSanitizer", "thread"},
                                       {"__msan_", "MemorySanitizer", "memory"},
                                       {"__ubsan_", "UndefinedBehaviorSanitizer", "undefined"}};
  for (const auto& [prefix, name, flag] : kSanitizers) {
    if (!symbol.starts_with(prefix)) continue;
    return Refusal{fmt::format("built with {}, but this program is not", name),
                   fmt::format("build it again without -fsanitize={}, or use a program that is built with it", flag)};
  }
  return std::nullopt;
}

std::string_view RemedyFor(std::string_view symbol) {
  for (const std::string_view name : {"tensorflow", "tsl", "xla", "stream_executor"}) {
    if (!IsOfNamespace(symbol, name)) continue;
    return "if it is the plugin's own, link the file that defines it, such as a .cu.cc file; if it is TensorFlow's, "
           "compile with the flags of 'opsrun sdk --cflags' and without TensorFlow's include paths: the compiler then "
           "reports what the SDK does not have";
  }
  if (IsOfNamespace(symbol, "absl")) {
    return "link the plugin with abseil, whose headers it was compiled with: 'opsrun sdk --cflags --absl' prints the "
           "flags, which must come after the sources; or compile it without abseil's include paths: the SDK's "
           "headers of that name need no library";
  }
  if (IsOfNamespace(symbol, "google::protobuf")) {
    return "link the plugin with protobuf, whose headers it was compiled with: 'pkg-config --libs protobuf' prints the "
           "flags";
  }
  return "link the plugin with the file or library that defines it";
}

}  // namespace

Refusal ExplainUndefined(std::string_view library, std::string_view symbol, size_t others) {
  if (library.empty()) {
    if (std::optional<Refusal> refusal = OfSanitizer(symbol)) return *std::move(refusal);
  }
  const std::string more = others > 0 ? fmt::format(", and {}", Several(others, "more symbol")) : "";
  return {fmt::format("{} uses the symbol {}{}, which no library that it is linked with defines",
                      library.empty() ? "it" : library, SymbolText(symbol), more),
          library.empty()
              ? std::string(RemedyFor(symbol))
              : "link the plugin with the library that defines it, or install another version of that file"};
}

// Names of the Itanium C++ ABI, within limits that __cxa_demangle does not have.

namespace {

constexpr size_t kLongestText = 300;

// A back reference takes three bytes and can stand for everything before it, so each link of a chain doubles the text:
// a symbol of 200 bytes can become gigabytes. With these limits, text stays within some megabytes, and only one in a
// thousand names of large libraries is refused.
constexpr size_t kLongestMangled = 1000;
constexpr int kMostReferences = 24;
constexpr int kMostExpansions = 1;  // parameter packs: each may repeat its pattern for every type

// "S_", "S1A_", "T_", "T0_". Counts them even within words, to be on the safe side.
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

// Removes the identifier ("4acme") from the front of `rest` and returns it; empty if there is none.
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

// "_ZN4acme4blurEi" without "_ZN" and without marks for type information, variables of a function and the like. Empty
// if no namespace follows.
std::string_view FromNamespaceOn(std::string_view symbol) {
  if (!symbol.starts_with("_Z")) return {};
  symbol.remove_prefix(2);
  for (const std::string_view special : {"TV", "TT", "TI", "TS", "GV", "GR"}) {
    if (symbol.starts_with(special)) symbol.remove_prefix(special.size());
  }
  symbol.remove_prefix(std::min(symbol.find_first_not_of('Z'), symbol.size()));  // a local entity of a function
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
  return !rest.empty() && rest.front() != 'E';  // something follows in the namespace
}

}  // namespace opsrun::host
