// host/base/atomic_file.cc: Linux's O_TMPFILE, or a file under a temporary name.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "host/base/file.h"
#include "host/base/text.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

// Unnamed files stay open until they are renamed. From this descriptor number on, files get a temporary name and are
// closed, so that a graph can have more outputs than a process may have open files.
int MostOpen() {
  rlimit limit = {};
  const rlim_t allowed = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur / 2 : 0;
  return static_cast<int>(std::min<rlim_t>(allowed, 256));
}

// The descriptor that a path such as /dev/fd/3 or /proc/self/fd/3 names; -1 for other paths.
int DescriptorOf(const fs::path& path) {
  const std::optional<int> number = ParseInteger<int>(path.filename().string());
  if (!number || *number < 0) return -1;
  std::error_code error;
  const fs::path directory = fs::canonical(path.parent_path(), error);
  // Accepts only inherited descriptors: those that this process opened itself have FD_CLOEXEC.
  const int flags = fcntl(*number, F_GETFD);
  if (flags == -1 || (flags & FD_CLOEXEC) != 0) return -1;
  return !error && directory == fs::path("/proc") / std::to_string(getpid()) / "fd" ? *number : -1;
}

std::string DirectoryOfTarget(const std::string& target) {
  const std::string directory = fs::path(target).parent_path().string();
  return directory.empty() ? "." : directory;
}

// We resolve links ourselves, so we also apply the kernel's rule against planted links: in a sticky, world-writable
// directory such as /tmp, links of other users are not followed. Source: proc_sys_fs(5), protected_symlinks.
bool IsOfOthers(const fs::path& link) {
  struct stat own = {}, folder = {};
  if (lstat(link.c_str(), &own) != 0 || stat(DirectoryOfTarget(link).c_str(), &folder) != 0) return false;
  const bool shared = (folder.st_mode & S_ISVTX) != 0 && (folder.st_mode & S_IWOTH) != 0;
  return shared && own.st_uid != geteuid() && own.st_uid != folder.st_uid;
}

// Resolves symbolic links, also if the target does not exist. A rename onto the link itself would replace the link.
// Links of open files are not followed, because they may name pipes.
Result<fs::path> FollowLinks(const std::string& path) {
  constexpr int kMostLinks = 40;
  fs::path target = path;
  for (int i = 0; i < kMostLinks; ++i) {
    std::error_code error;
    if (fs::symlink_status(target, error).type() != fs::file_type::symlink) return target;
    if (DescriptorOf(target) >= 0) return target;
    if (IsOfOthers(target)) return CannotWrite(path, EACCES);
    fs::path next = fs::read_symlink(target, error);
    if (error) return CannotWrite(path, error.value());
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  return CannotWrite(path, ELOOP);
}

// OK if `target` does not exist, or may be replaced or written to. *mode: that of an existing regular file, or -1.
// *stream: true if it is written to instead of replaced.
Status CheckTarget(const std::string& path, const std::string& target, int* mode, bool* stream) {
  *mode = -1;
  if (fs::path(target).parent_path() == "/dev/fd" && DescriptorOf(target) < 0) return CannotWrite(path, EBADF);
  *stream = DescriptorOf(target) >= 0;
  struct stat info;
  if (stat(target.c_str(), &info) != 0) return errno == ENOENT ? OkStatus() : CannotWrite(path, errno);
  if (S_ISDIR(info.st_mode)) return FailedPrecondition("cannot write '" + path + "': it is a directory");
  *stream = *stream || S_ISFIFO(info.st_mode) || S_ISCHR(info.st_mode);
  if (*stream) return OkStatus();
  if (!S_ISREG(info.st_mode)) return FailedPrecondition("cannot write '" + path + "': it is not a regular file");
  // rename checks only the directory's permissions, so it would replace a read-only file.
  if (faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) return CannotWrite(path, errno);
  *mode = static_cast<int>(info.st_mode & 0777);
  return OkStatus();
}

std::string TemporaryName(const std::string& target) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) < 0) number = static_cast<uint64_t>(getpid());
  char name[40];
  std::snprintf(name, sizeof name, ".opsrun-%016llx.tmp", static_cast<unsigned long long>(number));
  return DirectoryOfTarget(target) + "/" + name;
}

std::string LinkOf(int fd) {
  return "/proc/self/fd/" + std::to_string(fd);
}

}  // namespace

std::string FileIdentity(const std::string& path) {
  const Result<fs::path> target = FollowLinks(path);
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(fs::absolute(target.ok() ? *target : fs::path(path), error), error);
  return error ? path : whole.string();
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)),
      stream_(std::exchange(other.stream_, -1)),
      ended_(other.ended_),
      looked_(other.looked_),
      end_(other.end_),
      size_(other.size_),
      collected_(std::move(other.collected_)),
      collected_at_(other.collected_at_) {}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) close(fd_);
  if (stream_ >= 0) close(stream_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

// Sets target_. Returns the mode of an existing file, or -1.
Result<int> AtomicFile::Look(bool* stream) {
  if (HoldsNul(path_)) return InvalidArgument("cannot write a file: its path holds a NUL character");
  const Result<fs::path> target = FollowLinks(path_);
  if (!target.ok()) return target.status();
  int mode = -1;
  if (Status status = CheckTarget(path_, *target, &mode, stream); !status.ok()) return status;
  if (!target->has_filename()) return FailedPrecondition("cannot write '" + path_ + "': it does not name a file");
  target_ = *target;
  looked_ = true;
  return mode;
}

Result<AtomicFile> AtomicFile::Create(const std::string& path) {
  AtomicFile file(path);
  bool stream = false;
  const Result<int> mode = file.Look(&stream);
  if (!mode.ok()) return mode.status();
  if (Status status = stream ? file.OpenStream() : file.OpenFile(*mode); !status.ok()) return status;
  return file;
}

Result<AtomicFile> AtomicFile::CreateNew(const std::string& path) {
  AtomicFile file(path);
  file.target_ = path;
  file.looked_ = false;
  if (HoldsNul(path) || !file.OpenUnnamed()) return Create(path);
  return file;
}

// Without /proc, the file could not be named later.
bool AtomicFile::OpenUnnamed() {
  static const bool has_proc = access("/proc/self/fd", F_OK) == 0;
  if (has_proc) fd_ = open(DirectoryOfTarget(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  return fd_ >= 0;
}

Status AtomicFile::OpenFile(int mode) {
  if (!OpenUnnamed()) {
    if (Status status = OpenNamed(); !status.ok()) return status;
  }
  return mode < 0 || fchmod(fd_, static_cast<mode_t>(mode)) == 0 ? OkStatus() : CannotWrite(path_, errno);
}

Status AtomicFile::OpenNamed() {
  const std::string name = TemporaryName(target_);
  fd_ = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd_ < 0 && errno == ENOENT && access(DirectoryOfTarget(target_).c_str(), F_OK) != 0) {
    return NotFound("cannot write '" + path_ + "': there is no directory '" + DirectoryOfTarget(target_) + "'");
  }
  if (fd_ < 0) return CannotWrite(path_, errno);
  temporary_ = name;
  return OkStatus();
}

// Keeps the bytes in memory until Commit.
Status AtomicFile::OpenStream() {
  const int open_already = DescriptorOf(target_);
  // Without O_NONBLOCK, opening a pipe without a reader would block.
  stream_ = open_already >= 0 ? fcntl(open_already, F_DUPFD_CLOEXEC, 0)
                              : open(target_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (stream_ < 0 && errno == ENXIO) {
    return FailedPrecondition("cannot write '" + path_ + "': it is a pipe without a reader");
  }
  if (stream_ < 0) return CannotWrite(path_, errno);
  if ((fcntl(stream_, F_GETFL) & O_ACCMODE) == O_RDONLY) return CannotWrite(path_, EBADF);
  if (open_already < 0 && fcntl(stream_, F_SETFL, O_WRONLY) != 0) return CannotWrite(path_, errno);
  fd_ = memfd_create("opsrun output", MFD_CLOEXEC);
  return fd_ >= 0 ? OkStatus() : CannotWrite(path_, errno);
}

Status AtomicFile::Write(const void* data, size_t size) {
  return WriteAt(std::exchange(end_, end_ + size), data, size);
}

// A small file is written by one call of the system, also a zip archive, whose writer steps back.
Status AtomicFile::WriteAt(uint64_t offset, const void* data, size_t size) {
  constexpr size_t kMost = size_t{64} << 10;
  if (size == 0) return OkStatus();
  size_ = std::max(size_, offset + size);
  const uint64_t from = offset - collected_at_;
  if (offset < collected_at_ || from > collected_.size() || from + size > kMost) {
    if (Status status = WriteCollected(); !status.ok()) return status;
    if (size > kMost) return WriteNow(offset, static_cast<const char*>(data), size);
    collected_at_ = offset;
  }
  const size_t at = static_cast<size_t>(offset - collected_at_);
  collected_.resize(std::max(collected_.size(), at + size));
  std::memcpy(collected_.data() + at, data, size);
  return OkStatus();
}

Status AtomicFile::WriteCollected() {
  const Status status = WriteNow(collected_at_, collected_.data(), collected_.size());
  collected_.clear();
  return status;
}

Status AtomicFile::WriteNow(uint64_t offset, const char* data, size_t size) {
  while (size > 0) {
    const ssize_t n = pwrite(fd_, data, size, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return CannotWrite(path_, errno);
    data += n;
    offset += static_cast<uint64_t>(n);
    size -= static_cast<size_t>(n);
  }
  return OkStatus();
}

Status AtomicFile::End(bool flush) {
  ended_ = true;
  if (Status status = WriteCollected(); !status.ok() || stream_ >= 0) return status;
  if (flush && fsync(fd_) != 0) return CannotWrite(path_, errno);
  if (temporary_.empty()) return !looked_ || fd_ < MostOpen() ? OkStatus() : NameAside();
  return close(std::exchange(fd_, -1)) == 0 ? OkStatus() : CannotWrite(path_, errno);
}

Status AtomicFile::Name(const std::string& name) {
  const bool named = linkat(AT_FDCWD, LinkOf(fd_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  return named ? OkStatus() : CannotWrite(path_, errno);
}

Status AtomicFile::NameAside() {
  const std::string name = TemporaryName(target_);
  if (Status status = Name(name); !status.ok()) return status;
  temporary_ = name;
  return close(std::exchange(fd_, -1)) == 0 ? OkStatus() : CannotWrite(path_, errno);
}

Status AtomicFile::Commit() {
  if (!ended_) {
    if (Status status = End(); !status.ok()) return status;
  }
  if (stream_ >= 0) return CopyToStream();
  // linkat cannot replace a file; rename can, and takes as long again.
  if (temporary_.empty()) {
    if (linkat(AT_FDCWD, LinkOf(fd_).c_str(), AT_FDCWD, target_.c_str(), AT_SYMLINK_FOLLOW) == 0) return OkStatus();
    bool stream = false;
    const Result<int> mode = looked_ ? Result<int>(-1) : Look(&stream);
    if (!mode.ok()) return mode.status();
    if (stream) return FailedPrecondition("cannot write '" + path_ + "': it is not a regular file");
    if (*mode >= 0 && fchmod(fd_, static_cast<mode_t>(*mode)) != 0) return CannotWrite(path_, errno);
    if (Status status = NameAside(); !status.ok()) return status;
  }
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return CannotWrite(path_, errno);
  temporary_.clear();
  return OkStatus();
}

Status AtomicFile::CopyToStream() {
  std::fflush(nullptr);
  char block[1 << 16];
  for (off_t at = 0;;) {
    const ssize_t size = pread(fd_, block, sizeof block, at);
    if (size <= 0) return size == 0 ? OkStatus() : CannotWrite(path_, errno);
    at += size;
    for (ssize_t done = 0; done < size;) {
      const ssize_t n = write(stream_, block + done, static_cast<size_t>(size - done));
      if (n < 0 && errno == EAGAIN) {
        pollfd ready = {stream_, POLLOUT, 0};
        poll(&ready, 1, -1);
      } else if (n < 0 && errno != EINTR) {
        return CannotWrite(path_, errno);
      }
      done += std::max<ssize_t>(n, 0);
    }
  }
}

}  // namespace opsrun::host
