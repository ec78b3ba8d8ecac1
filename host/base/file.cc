// host/base/file.cc: reads whole files, by the system's own calls.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "host/base/file_error.h"

namespace opsrun::host {
namespace {

constexpr size_t kFirstBlock = size_t{1} << 16;    // of what has no size
constexpr size_t kMostFromPipe = size_t{1} << 30;  // what writes to a pipe may have no end
constexpr int kMostWaitMs = 10'000;                // for the first writer of a pipe with a name

std::string TooLarge(const std::string& path, size_t max_bytes) {
  return "cannot read '" + path + "': it is larger than " + std::to_string(max_bytes) + " bytes";
}

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&& from) noexcept {
    std::swap(fd_, from.fd_);
    return *this;
  }
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Reads to the end, which need not be where fstat said. One byte over the limit is enough to know.
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

// The file, opened, and what it is. Without O_NONBLOCK the open of a pipe that nobody writes to would hang.
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

// Whether somebody may still open it: to read, a pipe with a name looks the same before its first writer and after its
// last.
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

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  Descriptor file;
  struct stat info;
  if (Status status = Open(path, file, info); !status.ok()) return status;
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("cannot read '" + path + "': it is not a regular file");
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

}  // namespace opsrun::host
