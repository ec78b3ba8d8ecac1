// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/base/plugin_code.h"
#include "host/base/status.h"
#include "host/examine/judge_library.h"
#include "host/plugin/load.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kMaxFailText = 64 * 1024;

// Why the entry that is running on this thread fails; null if none is running. Per thread, because the contract does
// not give entries an object to pass to fail and log.
struct EntryFailure {
  bool recorded = false;
  int32_t code = OPSRUN_OK;
  std::string text;
};
thread_local EntryFailure* running_entry = nullptr;

// Needed because dlsym also searches the libraries that this one needs.
std::optional<Refusal> CheckOwner(void* handle, opsrun_entry_fn entry) {
  link_map* own = nullptr;
  link_map* owner = nullptr;
  Dl_info info = {};
  bool known = dlinfo(handle, RTLD_DI_LINKMAP, &own) == 0 &&
               dladdr1(reinterpret_cast<void*>(entry), &info, reinterpret_cast<void**>(&owner), RTLD_DL_LINKMAP) != 0;
  if (known && own == owner) return std::nullopt;
  return Refusal{
      fmt::format("it has no entry {} of its own; the one found belongs to {}", OPSRUN_ENTRY_NAME,
                  info.dli_fname != nullptr ? info.dli_fname : "another file"),
      "do not hide the entry with a version script, or link the files that include the SDK into this library"};
}

std::optional<Refusal> FindEntry(void* handle, OpenedLibrary* library) {
  library->entry = reinterpret_cast<opsrun_entry_fn>(dlsym(handle, OPSRUN_ENTRY_NAME));
  if (library->entry == nullptr) {
    return Refusal{fmt::format("it does not export {}", OPSRUN_ENTRY_NAME),
                   "do not hide the entry with a version script, and define it if the plugin is written in C"};
  }
  if (auto refusal = CheckOwner(handle, library->entry)) return refusal;
  library->segments = SegmentsAround(reinterpret_cast<void*>(library->entry));
  if (library->segments.HoldsCode(reinterpret_cast<uintptr_t>(library->entry))) return std::nullopt;
  return Refusal{fmt::format("its {} is not a function", OPSRUN_ENTRY_NAME),
                 "call nothing else by that name, and build it again with the opsrun SDK"};
}

Refusal Refused(std::string_view thrower, Thrown thrown) {
  if (!IsPlainText(thrown.text)) thrown.text.clear();
  return {fmt::format("{} {}", thrower, thrown.Sentence()),
          "report it to the plugin's author: no exception may leave a plugin"};
}

Refusal EntryFailed(const EntryFailure& failure) {
  if (!failure.recorded) {
    return {"its entry returned no table and no reason",
            "report it to the plugin's author: the entry must call host->fail before it returns NULL"};
  }
  return {fmt::format("it refuses to start: {} ({})", failure.text, CodeName(failure.code)), "follow its message"};
}

bool ForbidsExecuting(const std::string& file) {
  struct statvfs system = {};
  return statvfs(file.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0;
}

// Returns an errno, or 0 if mapping succeeds now.
int TryToMap(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  struct stat status = {};
  const size_t size = fstat(fd, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  const int error = memory == MAP_FAILED ? errno : 0;
  if (error == 0) munmap(memory, size);
  close(fd);
  return error;
}

// Why the system cannot map a library, which the dynamic linker does not say; nothing if `message`, from dlerror, is
// about something else. Maps the file again to learn the reason, so it must be called in the process that failed. path:
// of the opened file; the message may name one that it needs.
std::optional<Refusal> WhyNotMapped(std::string_view message, const std::string& path) {
  const size_t end = message.find(": failed to map segment from shared object");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string file(message.substr(0, end));
  const std::string which = file == path ? "it" : fmt::format("the library {}, which it needs,", file);
  if (ForbidsExecuting(file)) {
    return Refusal{fmt::format("{} is on a file system where files cannot be executed (mount option noexec)", which),
                   "copy it to another file system, or mount this one without noexec"};
  }
  // Its memory is larger than its file, so it may not fit although the file does.
  const int error = TryToMap(file);
  return RefusedBySystem(fmt::format("{} cannot be mapped into memory", which), error == 0 ? ENOMEM : error);
}

}  // namespace

std::optional<Refusal> OpenLibrary(const std::string& path, const std::vector<std::string>& needed,
                                   OpenedLibrary* library) {
  // The C library declares that dlopen throws nothing, but static constructors may: the compiler must not know the
  // callee.
  void* (*volatile const open_file)(const char*, int) = dlopen;
  void* handle = nullptr;  // which is never closed
  const std::optional<Thrown> thrown =
      CatchThrown([&] { handle = open_file(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); });
  if (thrown) return Refused("its static constructors", *thrown);
  if (handle != nullptr) return FindEntry(handle, library);
  const char* const message = dlerror();
  const std::string_view why = message == nullptr ? "" : message;
  const std::optional<Refusal> refusal = WhyNotMapped(why, path);
  return refusal ? refusal : ExplainLoaderMessage(why, path, needed);
}

std::optional<Refusal> CallEntry(opsrun_entry_fn entry, const opsrun_host* host, const opsrun_plugin** table) {
  EntryFailure failure;
  EntryFailure* outer = std::exchange(running_entry, &failure);
  const std::optional<Thrown> thrown = CatchThrown([&] { *table = entry(host); });
  running_entry = outer;
  if (thrown) return Refused("its entry", *thrown);
  if (*table == nullptr) return EntryFailed(failure);
  return std::nullopt;
}

int32_t FailEntry(int32_t code, opsrun_str text) {
  if (code == OPSRUN_OK) code = OPSRUN_UNKNOWN;
  if (running_entry == nullptr || running_entry->recorded) return code;
  std::string copy(std::min(text.size, kMaxFailText), '\0');
  bool readable = CheckedRead(text.data, copy.size(), copy.data()) && IsPlainText(copy);
  *running_entry = {true, code, readable ? std::move(copy) : "(its text cannot be read)"};
  return code;
}

// Parses glibc's messages. Those of unknown form are passed on.

namespace {

// The system error at the end of a message of the linker; 0 if there is none.
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

// "FILE: undefined symbol: NAME", sometimes followed by ", version V"
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
  return Refusal{fmt::format("it needs {}, which this machine's {} does not provide", version, message.substr(0, at)),
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
