// host/elf/opened_bytes.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/elf/opened_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace opsrun::host {

// O_NONBLOCK: opening a FIFO would wait for a writer.
OpenedBytes::OpenedBytes(const std::string& path)
    : fd_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) {
  if (fd_ < 0) {
    error_ = errno;
    return;
  }
  struct stat status = {};
  if (fstat(fd_, &status) != 0) error_ = errno;
  is_directory_ = S_ISDIR(status.st_mode);
  if (S_ISREG(status.st_mode)) bytes_.emplace(fd_, static_cast<uint64_t>(status.st_size));
}

OpenedBytes::~OpenedBytes() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace opsrun::host
