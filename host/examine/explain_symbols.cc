// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/examine/judge_library.h"

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

namespace {

using std::string_view_literals::operator""sv;

constexpr char kLink[] = "link it with -shared";
constexpr char kForLinux[] = "build it for Linux";
constexpr char kUnpack[] = "unpack it, and copy the library that is in it";
constexpr char kCopyWhole[] = "copy it again, or build it again";
constexpr char kDownload[] = "copy or download the library itself";

struct Format {
  std::string_view begin;
  const char* name;
  const char* remedy;
};
constexpr Format kFormats[] = {
    {"version https:", "a Git LFS pointer", "get the file itself: git lfs pull"},
    {"!<arch>\n", "a static library", kLink},
    {"!<thin>\n", "a static library", kLink},
    {"BC\xC0\xDE", "LLVM bitcode", kLink},
    {"/* GNU ld script", "a linker script", "copy the library that it names"},
    {"INPUT", "a linker script", "copy the library that it names"},
    {"GROUP", "a linker script", "copy the library that it names"},
    {"MZ", "a Windows program or library", kForLinux},
    {"\xCF\xFA\xED\xFE", "a macOS library", kForLinux},
    {"\xCE\xFA\xED\xFE", "a macOS library", kForLinux},
    {"\xFE\xED\xFA\xCF", "a macOS library", kForLinux},
    {"\xFE\xED\xFA\xCE", "a macOS library", kForLinux},
    {"\xCA\xFE\xBA\xBE", "a macOS library", kForLinux},
    {"\0asm"sv, "WebAssembly", kForLinux},
    {"\x1F\x8B", "compressed (gzip)", kUnpack},
    {"BZh", "compressed (bzip2)", kUnpack},
    {"\xFD"
     "7zXZ",
     "compressed (xz)", kUnpack},
    {"\x28\xB5\x2F\xFD", "compressed (zstd)", kUnpack},
    {"7z\xBC\xAF", "an archive (7z)", kUnpack},
    {"PK\x03\x04", "an archive (zip)", kUnpack},
    {"<!doctype html", "a web page", kDownload},
    {"<html", "a web page", kDownload},
};

bool StartsWith(std::string_view text, std::string_view begin) {
  const bool ignores_case = begin.starts_with('<');
  return text.size() >= begin.size() && std::equal(begin.begin(), begin.end(), text.begin(),
                                                   [&](char a, char b) { return a == (ignores_case ? Lower(b) : b); });
}

// The first line, shortened; empty if it is not text.
std::string FirstLine(std::string_view text) {
  constexpr size_t kShown = 40;
  const bool is_text =
      std::all_of(text.begin(), text.end(), [](char c) { return IsBlank(c) || (c >= ' ' && c <= '~'); });
  if (!is_text) return "";
  const std::string_view line = text.substr(0, std::min(text.find_first_of("\r\n"), kShown));
  return fmt::format("'{}{}'", line, line.size() == kShown ? "..." : "");
}

Refusal Unknown(std::string_view head) {
  if (head.find_first_not_of('\0') == std::string_view::npos)
    return {"it begins with zeros only, like an interrupted copy", kCopyWhole};
  if (const std::string line = FirstLine(head); !line.empty())
    return {fmt::format("it is text that begins with {}, not a shared library", line), kDownload};
  std::string first;
  for (const char c : head.substr(0, SELFMAG)) first += fmt::format(" {:02x}", static_cast<unsigned char>(c));
  return {fmt::format("it is not a shared library: it begins with the bytes{}", first), kCopyWhole};
}

}  // namespace

Refusal ExplainForeign(const FileBytes& bytes) {
  constexpr size_t kRead = 512;
  constexpr std::string_view kMarkOfOrder = "\xEF\xBB\xBF";  // byte order mark, written by editors on Windows
  std::string read;
  bytes.Read(0, std::min<uint64_t>(bytes.size(), kRead), &read);
  std::string_view head = read;
  if (head.empty()) return {"it is empty", kCopyWhole};
  if (std::string_view(ELFMAG).starts_with(head))
    return {"the file is truncated: it ends within its first word", kCopyWhole};
  if (head.starts_with(kMarkOfOrder)) head.remove_prefix(kMarkOfOrder.size());
  while (!head.empty() && IsBlank(head.front())) head.remove_prefix(1);
  for (const Format& format : kFormats) {
    if (StartsWith(head, format.begin))
      return {fmt::format("it is {}, not a shared library", format.name), format.remedy};
  }
  return Unknown(head);
}

}  // namespace opsrun::host

#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif

#include <bit>

namespace opsrun::host {
namespace {

// The levels of the x86-64 psABI, section "micro-architecture levels".
uint32_t X86Isa() {
#if defined(__x86_64__)
  const bool v2 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return 1u | (v2 ? 2u : 0) | (v3 ? 4u : 0) | (v4 ? 8u : 0);
#else
  return 0;
#endif
}

}  // namespace

Machine MachineHere() {
  Machine machine;
  machine.x86_isa = X86Isa();
#if defined(__GLIBC__)
  machine.glibc = gnu_get_libc_version();
#endif
  return machine;
}

std::string HighestIsa(uint32_t bits) {
  return bits <= 1 ? "x86-64" : fmt::format("x86-64-v{}", std::bit_width(bits));
}

bool IsOlder(const std::string& version, const std::string& than) {
  const char *a = version.c_str(), *b = than.c_str();
  while (*a != '\0' || *b != '\0') {
    char *after_a = nullptr, *after_b = nullptr;
    const unsigned long left = std::strtoul(a, &after_a, 10), right = std::strtoul(b, &after_b, 10);
    if (left != right) return left < right;
    if (after_a == a && after_b == b) return false;
    a = after_a + (*after_a == '.');
    b = after_b + (*after_b == '.');
  }
  return false;
}

}  // namespace opsrun::host
