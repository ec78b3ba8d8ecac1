// host/examine/file_bytes.cc: checked reads.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace opsrun::host {

// Returns the number of bytes read; fewer than n at the end of the file or after an error.
size_t FileBytes::ReadAt(uint64_t offset, size_t n, char* to) const {
  size_t done = 0;
  while (done < n) {
    ssize_t got = pread(fd_, to + done, n - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error_ = errno;
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

FileBytes::FileBytes(std::string_view memory) : size_(memory.size()), memory_(memory) {}

FileBytes::FileBytes(int fd, uint64_t size) : fd_(fd), size_(size) {
  head_size_ = ReadAt(0, std::min<uint64_t>(size, head_.size()), head_.data());
}

bool FileBytes::Read(uint64_t offset, size_t n, void* to) const {
  if (!Holds(offset, n)) return false;
  if (n == 0) return true;
  if (fd_ < 0) {
    std::memcpy(to, memory_.data() + offset, n);
    return true;
  }
  if (offset + n <= head_size_) {
    std::memcpy(to, head_.data() + offset, n);
    return true;
  }
  return ReadAt(offset, n, static_cast<char*>(to)) == n;
}

bool FileBytes::Read(uint64_t offset, size_t n, std::string* to) const {
  if (!Holds(offset, n)) return false;
  to->resize(n);
  return Read(offset, n, to->data());
}

std::string FileBytes::ReadText(uint64_t offset, size_t max) const {
  std::string text;
  if (offset >= size_ || !Read(offset, std::min<uint64_t>(max, size_ - offset), &text)) return {};
  size_t end = text.find('\0');
  return end == std::string::npos ? std::string() : text.substr(0, end);
}

// Without O_NONBLOCK, opening a FIFO would wait for a writer.
OpenedBytes::OpenedBytes(const std::string& path)
    : file_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (file_.get() < 0) {
    error_ = errno;
    return;
  }
  struct stat status = {};
  if (fstat(file_.get(), &status) != 0) error_ = errno;
  is_directory_ = S_ISDIR(status.st_mode);
  if (S_ISREG(status.st_mode)) bytes_.emplace(file_.get(), static_cast<uint64_t>(status.st_size));
}

}  // namespace opsrun::host
