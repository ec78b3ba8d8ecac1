// host/base/file.cc: reads whole files, by the system's own calls.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "host/base/file_error.h"

namespace opsrun::host {
namespace {

std::string TooLarge(const std::string& path, size_t max_bytes) {
  return "cannot read '" + path + "': it is larger than " + std::to_string(max_bytes) + " bytes";
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
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

}  // namespace

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  if (HoldsNul(path)) return InvalidArgument("cannot read a file: its path holds a NUL character");
  // Without O_NONBLOCK the open of a pipe that nobody writes to would hang.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return CannotRead(path, errno);
  struct stat info;
  if (fstat(file.get(), &info) != 0) return CannotRead(path, errno);
  if (S_ISDIR(info.st_mode)) return FailedPrecondition("cannot read '" + path + "': it is a directory");
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("cannot read '" + path + "': it is not a regular file");
  const size_t size = static_cast<size_t>(info.st_size);
  if (size > max_bytes) return ResourceExhausted(TooLarge(path, max_bytes));
  return ReadToEnd(file.get(), path, size, max_bytes);
}

Result<std::string> ReadStandardInput(size_t max_bytes) {
  struct stat info;
  if (fstat(STDIN_FILENO, &info) == 0 && S_ISDIR(info.st_mode)) {
    return FailedPrecondition("cannot read standard input: it is a directory");
  }
  constexpr size_t kFirstBlock = size_t{1} << 16;
  return ReadToEnd(STDIN_FILENO, "-", kFirstBlock, max_bytes);
}

}  // namespace opsrun::host
