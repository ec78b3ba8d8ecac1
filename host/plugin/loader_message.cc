// host/plugin/loader_message.cc: glibc's sentences, taken apart. What does not fit any of them is passed on.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/loader_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>

#include "host/elf/missing_library.h"
#include "host/elf/undefined_symbol.h"

namespace opsrun::host {
namespace {

// What the system said, with which the linker ends its sentence; 0 if there is nothing of that kind.
int ErrnoOf(std::string_view message) {
  for (const int error : {EACCES, EPERM, EMFILE, ENFILE, ENOMEM, EIO, ESTALE, ELOOP, ETIMEDOUT, EHOSTDOWN, ENOTCONN}) {
    if (message.ends_with(std::string(": ") + std::strerror(error))) return error;
  }
  return 0;
}

// "libx.so.1: cannot open shared object file: No such file or directory"
std::optional<Refusal> MissingLibrary(std::string_view message, std::string_view path,
                                      const std::vector<std::string>& needed) {
  size_t end = message.find(": cannot open shared object file");
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view library = message.substr(0, end);
  const bool direct = std::find(needed.begin(), needed.end(), library) != needed.end();
  const std::string_view needed_by = direct ? "" : "a library that it needs";
  const int error = ErrnoOf(message);
  if (library == path) return RefusedBySystem("it cannot be read", error == 0 ? ENOENT : error);
  return error == 0 ? ExplainMissing(library, needed_by) : ExplainUnreadable(library, needed_by, error);
}

// "FILE: undefined symbol: NAME" with ", version V" behind it for some
std::optional<Refusal> UndefinedSymbol(std::string_view message, std::string_view path) {
  constexpr std::string_view kMark = ": undefined symbol: ";
  size_t at = message.find(kMark);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view file = message.substr(0, at);
  std::string_view symbol = message.substr(at + kMark.size());
  symbol = symbol.substr(0, symbol.find(','));
  return ExplainUndefined(file == path ? std::string_view() : file, symbol, 0);
}

// "FILE: version `V' not found (required by USER)"
std::optional<Refusal> MissingVersion(std::string_view message) {
  constexpr std::string_view kMark = ": version `";
  size_t at = message.find(kMark);
  size_t end = message.find('\'', at == std::string_view::npos ? 0 : at + kMark.size());
  if (at == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  std::string_view version = message.substr(at + kMark.size(), end - at - kMark.size());
  bool of_compiler = version.starts_with("GLIBCXX") || version.starts_with("CXXABI");
  return Refusal{fmt::format("it needs {}, which this machine's {} does not have", version, message.substr(0, at)),
                 of_compiler ? "build it with an older compiler or with -static-libstdc++, or use a newer system"
                             : "build it on an older system, or use a newer one"};
}

}  // namespace

Refusal ExplainLoaderMessage(std::string_view message, std::string_view path, const std::vector<std::string>& needed) {
  if (auto refusal = MissingLibrary(message, path, needed)) return *std::move(refusal);
  if (auto refusal = UndefinedSymbol(message, path)) return *std::move(refusal);
  if (auto refusal = MissingVersion(message)) return *std::move(refusal);
  Refusal refusal{fmt::format("the dynamic linker says: {}", message), "build it again, or copy it again"};
  if (const int error = ErrnoOf(message)) {
    Refusal by_system = RefusedBySystem("", error);
    refusal.remedy = std::move(by_system.remedy);
    refusal.out_of_memory = by_system.out_of_memory;
  }
  return refusal;
}

}  // namespace opsrun::host
