// host/examine/foreign_file.cc: recognizes formats by their first bytes, as file(1) does.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/foreign_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/base/characters.h"

namespace opsrun::host {
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
#include <cstdlib>

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
