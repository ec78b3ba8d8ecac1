// host/plugin/why_not_mapped.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/why_not_mapped.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>

namespace opsrun::host {
namespace {

bool ForbidsExecuting(const std::string& file) {
  struct statvfs system = {};
  return statvfs(file.c_str(), &system) == 0 && (system.f_flag & ST_NOEXEC) != 0;
}

// An errno; 0 if it works now.
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

}  // namespace

std::optional<Refusal> WhyNotMapped(std::string_view message, const std::string& path) {
  const size_t end = message.find(": failed to map segment from shared object");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string file(message.substr(0, end));
  const std::string which = file == path ? "it" : fmt::format("the library {}, which it needs,", file);
  if (ForbidsExecuting(file)) {
    return Refusal{
        fmt::format("{} is on a file system that does not allow to execute files (mount option noexec)", which),
        "copy it to another file system, or mount this one without noexec"};
  }
  // Its memory is larger than its file, so it may be too large although the file is not.
  const int error = TryToMap(file);
  return RefusedBySystem(fmt::format("{} cannot be mapped into memory", which), error == 0 ? ENOMEM : error);
}

}  // namespace opsrun::host
