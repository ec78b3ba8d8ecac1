// host/base/file.cc: reads whole files, with system calls.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <system_error>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

constexpr size_t kFirstBlock = size_t{1} << 16;    // if the size is unknown
constexpr size_t kMostFromPipe = size_t{1} << 30;  // a pipe may have no end
constexpr int kMostWaitMs = 10'000;                // for the first bytes from a named pipe

std::string TooLarge(const std::string& path, size_t max_bytes) {
  return "cannot read '" + path + "': it is larger than " + std::to_string(max_bytes) + " bytes";
}

// Reads to the end, which may not be where fstat said. Reads one byte more than the limit to detect larger files.
Result<std::string> ReadToEnd(int fd, const std::string& path, size_t expected, size_t max_bytes) {
  std::string content;
  content.resize(std::min(expected, max_bytes) + 1);
  size_t used = 0;
  for (;;) {
    ssize_t n = read(fd, content.data() + used, content.size() - used);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) {
      pollfd ready = {fd, POLLIN, 0};
      poll(&ready, 1, -1);
      continue;
    }
    if (n < 0) return CannotRead(path, errno);
    if (n == 0) break;
    used += static_cast<size_t>(n);
    if (used > max_bytes) return ResourceExhausted(TooLarge(path, max_bytes));
    if (used == content.size()) content.resize(content.size() + std::min(content.size(), max_bytes - used + 1));
  }
  content.resize(used);
  return content;
}

// Without O_NONBLOCK, opening a pipe without a writer would block.
Status Open(const std::string& path, Descriptor& file, struct stat& info) {
  if (HoldsNul(path)) return InvalidArgument("cannot read a file: its path holds a NUL character");
  file = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0 || fstat(file.get(), &info) != 0) return CannotRead(path, errno);
  if (S_ISDIR(info.st_mode)) return FailedPrecondition("cannot read '" + path + "': it is a directory");
  return OkStatus();
}

Result<std::string> ReadRegular(int fd, const std::string& path, off_t bytes, size_t max_bytes) {
  const auto size = static_cast<size_t>(bytes);
  return size > max_bytes ? ResourceExhausted(TooLarge(path, max_bytes)) : ReadToEnd(fd, path, size, max_bytes);
}

// True for a named pipe, which a writer may still open: reading it gives the same result before its first writer as
// after its last one.
bool HasName(int fd) {
  struct statfs system;
  return fstatfs(fd, &system) == 0 && system.f_type != PIPEFS_MAGIC;
}

Result<std::string> ReadPipe(int fd, const std::string& path, size_t max_bytes) {
  pollfd ready = {fd, POLLIN, 0};
  const bool silent = HasName(fd) && poll(&ready, 1, kMostWaitMs) == 0;
  Result<std::string> content = ReadToEnd(fd, path, kFirstBlock, std::min(max_bytes, kMostFromPipe));
  if (!silent || !content.ok() || !content->empty()) return content;
  return FailedPrecondition("cannot read '" + path + "': nothing was written to this pipe for " +
                            std::to_string(kMostWaitMs / 1000) + " seconds");
}

}  // namespace

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

Result<std::string> ReadFile(const std::string& path, size_t max_bytes,
                             const std::function<Status(const Descriptor& file)>& judge) {
  Descriptor file;
  struct stat info;
  if (Status status = Open(path, file, info); !status.ok()) return status;
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("cannot read '" + path + "': it is not a regular file");
  if (Status status = judge ? judge(file) : OkStatus(); !status.ok()) return status;
  return ReadRegular(file.get(), path, info.st_size, max_bytes);
}

Result<std::string> ReadFileOrPipe(const std::string& path, size_t max_bytes) {
  Descriptor file;
  struct stat info;
  if (Status status = Open(path, file, info); !status.ok()) return status;
  if (S_ISREG(info.st_mode)) return ReadRegular(file.get(), path, info.st_size, max_bytes);
  if (S_ISFIFO(info.st_mode) || isatty(file.get()) != 0) return ReadPipe(file.get(), path, max_bytes);
  return FailedPrecondition("cannot read '" + path + "': it is neither a regular file nor a pipe");
}

Result<std::string> ReadStandardInput(size_t max_bytes) {
  struct stat info;
  if (fstat(STDIN_FILENO, &info) == 0 && S_ISDIR(info.st_mode)) {
    return FailedPrecondition("cannot read standard input: it is a directory");
  }
  return ReadToEnd(STDIN_FILENO, "-", kFirstBlock, max_bytes);
}

namespace {

int CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return OPSRUN_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
      return OPSRUN_PERMISSION_DENIED;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return OPSRUN_RESOURCE_EXHAUSTED;
    case EISDIR:
    case ELOOP:
      return OPSRUN_FAILED_PRECONDITION;
    case ENAMETOOLONG:
      return OPSRUN_INVALID_ARGUMENT;
    default:
      return OPSRUN_UNKNOWN;
  }
}

}  // namespace

Status CannotRead(const std::string& path, int error) {
  return {CodeOfErrno(error), "cannot read '" + path + "': " + ErrnoText(error)};
}

Status CannotWrite(const std::string& path, int error) {
  return {CodeOfErrno(error), "cannot write '" + path + "': " + ErrnoText(error)};
}

constexpr int64_t kNanoseconds = 1'000'000'000;

static FileState StateFrom(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<uint64_t>(status.st_size),
          int64_t{status.st_mtim.tv_sec} * kNanoseconds + status.st_mtim.tv_nsec};
}

std::optional<FileState> StateOf(const char* path) {
  struct stat status = {};
  return stat(path, &status) == 0 ? std::optional(StateFrom(status)) : std::nullopt;
}

std::optional<FileState> StateOf(const Descriptor& file) {
  struct stat status = {};
  return fstat(file.get(), &status) == 0 ? std::optional(StateFrom(status)) : std::nullopt;
}

std::string StateText(const FileState& state) {
  const time_t seconds = state.time / kNanoseconds;
  tm local = {};
  char time[32] = "";
  if (localtime_r(&seconds, &local) != nullptr) std::strftime(time, sizeof(time), "%F %T", &local);
  return fmt::format("{} bytes of {}", state.size, time);
}

namespace {

namespace fs = std::filesystem;

// /proc/self/maps writes a line break as "\012" but does not escape these four characters, so only the link of the
// mapping is exact. Source: proc(5).
fs::path ExactPath(const std::string& line, const std::string& path) {
  if (path.find("\\012") == std::string::npos) return path;
  std::error_code error;
  return fs::read_symlink("/proc/self/map_files/" + line.substr(0, line.find(' ')), error);
}

// True for directories such as /tmp, where others can add files but not replace ours. Whoever can replace this program
// needs no planted files.
bool OthersAddTo(const fs::path& folder) {
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0) return true;
  return (status.st_mode & S_ISVTX) != 0 && (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

}  // namespace

std::string FileOfMapping(std::string_view line, uintptr_t address) {
  char* end = nullptr;
  const std::string text(line);
  const uintptr_t first = std::strtoull(text.c_str(), &end, 16);
  if (*end != '-') return "";
  const uintptr_t behind = std::strtoull(end + 1, &end, 16);
  if (address < first || address >= behind) return "";
  const size_t path = line.find('/', static_cast<size_t>(end - text.c_str()));
  return path == std::string_view::npos ? "" : std::string(line.substr(path));
}

fs::path OwnFile() {
  std::ifstream mappings("/proc/self/maps");
  for (std::string line; std::getline(mappings, line);) {
    const std::string path = FileOfMapping(line, reinterpret_cast<uintptr_t>(&OwnFile));
    if (!path.empty()) return ExactPath(line, path);
  }
  return {};
}

fs::path AboveOwnFolder(int levels) {
  fs::path folder = OwnFile().parent_path();
  for (int i = 0; i < levels; ++i) folder = folder.parent_path();
  return folder.empty() || OthersAddTo(folder) ? fs::path() : folder;
}

std::string FindOwnProgram(std::string_view name) {
  for (const int levels : {1, 2}) {
    const fs::path prefix = AboveOwnFolder(levels);
    const fs::path program = prefix / "libexec/opsrun" / name;
    if (!prefix.empty() && access(program.c_str(), X_OK) == 0) return program.string();
  }
  return "";
}

}  // namespace opsrun::host
