// host/elf/undefined_symbol.cc: a namespace tells which mistake it was.
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/undefined_symbol.h"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "host/base/units.h"
#include "host/elf/symbol_name.h"

namespace opsrun::host {
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
    return Refusal{fmt::format("built with {}, this program is not", name),
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
           "flags, which must stand behind the sources; or compile it without abseil's include paths: the SDK's "
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

}  // namespace opsrun::host
