// host/base/file.cc: whole files, by the system's own calls.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/file.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "host/base/errno_text.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

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

Status CannotRead(const std::string& path, int error) {
  return {CodeOfErrno(error), "cannot read '" + path + "': " + ErrnoText(error)};
}

Status CannotWrite(const std::string& path, int error) {
  return {CodeOfErrno(error), "cannot write '" + path + "': " + ErrnoText(error)};
}

// Such a path would be cut short by the system, and name another file.
bool HoldsNul(const std::string& path) {
  return path.find('\0') != std::string::npos;
}

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
    if (n < 0) return CannotRead(path, errno);
    if (n == 0) break;
    used += static_cast<size_t>(n);
    if (used > max_bytes) return ResourceExhausted(TooLarge(path, max_bytes));
    if (used == content.size()) content.resize(content.size() + std::min(content.size(), max_bytes - used + 1));
  }
  content.resize(used);
  return content;
}

// The file that `path` means: what its symbolic links lead to, also if that does not exist yet. A rename onto the link
// itself would replace the link.
Result<fs::path> FollowLinks(const std::string& path) {
  constexpr int kMostLinks = 40;
  fs::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (fs::symlink_status(target, error).type() != fs::file_type::symlink) return target;
    fs::path next = fs::read_symlink(target, error);
    if (error) return CannotWrite(path, error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return CannotWrite(path, ELOOP);
}

// OK if nothing is at `target`, or a regular file that may be replaced. *mode is that file's, or -1.
Status CheckReplaceable(const std::string& path, const std::string& target, int* mode) {
  *mode = -1;
  struct stat info;
  if (stat(target.c_str(), &info) != 0) return errno == ENOENT ? OkStatus() : CannotWrite(path, errno);
  if (S_ISDIR(info.st_mode)) return FailedPrecondition("cannot write '" + path + "': it is a directory");
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("cannot write '" + path + "': it is no regular file");
  // rename asks only for the directory's permission, and would replace a file that is read-only on purpose.
  if (faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) return CannotWrite(path, errno);
  *mode = static_cast<int>(info.st_mode & 0777);
  return OkStatus();
}

std::string RandomName() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) < 0) number = static_cast<uint64_t>(getpid());
  char name[40];
  std::snprintf(name, sizeof name, ".opsrun-%016llx.tmp", static_cast<unsigned long long>(number));
  return name;
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
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("cannot read '" + path + "': it is no regular file");
  const size_t size = static_cast<size_t>(info.st_size);
  if (size > max_bytes) return ResourceExhausted(TooLarge(path, max_bytes));
  return ReadToEnd(file.get(), path, size, max_bytes);
}

std::string FileIdentity(const std::string& path) {
  const Result<fs::path> target = FollowLinks(path);
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(target.ok() ? *target : fs::path(path), error), error);
  return error ? path : whole.string();
}

AtomicFile::AtomicFile(std::string path, std::string target, std::string temporary, int fd)
    : path_(std::move(path)), target_(std::move(target)), temporary_(std::move(temporary)), fd_(fd) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      end_(other.end_) {}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) close(fd_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::Create(const std::string& path) {
  if (HoldsNul(path)) return InvalidArgument("cannot write a file: its path holds a NUL character");
  Result<fs::path> target = FollowLinks(path);
  if (!target.ok()) return target.status();
  int mode = -1;
  if (Status status = CheckReplaceable(path, *target, &mode); !status.ok()) return status;
  if (!target->has_filename()) return FailedPrecondition("cannot write '" + path + "': it names no file");

  const std::string temporary = target->parent_path() / RandomName();
  int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0 && errno == ENOENT) {
    return NotFound("cannot write '" + path + "': there is no directory '" + target->parent_path().string() + "'");
  }
  if (fd < 0) return CannotWrite(path, errno);
  AtomicFile file(path, *target, temporary, fd);
  if (mode >= 0 && fchmod(fd, static_cast<mode_t>(mode)) != 0) return CannotWrite(path, errno);
  return file;
}

Status AtomicFile::Write(const void* data, size_t size) {
  return WriteAt(std::exchange(end_, end_ + size), data, size);
}

Status AtomicFile::WriteAt(uint64_t offset, const void* data, size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    ssize_t n = pwrite(fd_, next, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return CannotWrite(path_, errno);
    next += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<size_t>(n);
  }
  return OkStatus();
}

Status AtomicFile::Flush() {
  if (fsync(fd_) != 0) return CannotWrite(path_, errno);
  if (close(std::exchange(fd_, -1)) != 0) return CannotWrite(path_, errno);
  return OkStatus();
}

Status AtomicFile::Commit() {
  if (fd_ >= 0) {
    if (Status status = Flush(); !status.ok()) return status;
  }
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return CannotWrite(path_, errno);
  temporary_.clear();
  return OkStatus();
}

}  // namespace opsrun::host
