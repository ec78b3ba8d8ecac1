// opsrun_compat/file_system.h: FileSystem: the files and directories of this machine. Thread-safe.
//
// Paths with a scheme (gs://, hdfs://) are treated as local paths, and will not be found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "opsrun_compat/errors.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

namespace internal {

// The failure for errno, with the path.
inline Status FileError(const std::string& path) {
  return errors::IOError(path, errno);
}
inline Status FileResult(int result, const std::string& path) {
  return result == 0 ? Status() : FileError(path);
}

}  // namespace internal

// A file that can be read at any position. Thread-safe.
class RandomAccessFile {
 public:
  RandomAccessFile(int file, std::string path) : file_(file), path_(std::move(path)) {}
  RandomAccessFile(const RandomAccessFile&) = delete;
  ~RandomAccessFile() { close(file_); }

  // Reads n bytes into `scratch`, to which *result refers. OUT_OF_RANGE: the file ends before.
  ReturnedStatus Read(uint64 offset, size_t n, StringPiece* result, char* scratch) const {
    size_t done = 0;
    while (done < n) {
      const ssize_t more = pread(file_, scratch + done, n - done, static_cast<off_t>(offset + done));
      if (more < 0 && errno == EINTR) continue;
      if (more < 0) return internal::FileError(path_);
      if (more == 0) break;
      done += static_cast<size_t>(more);
    }
    *result = StringPiece(scratch, done);
    return done == n ? OkStatus() : errors::OutOfRange("Read less bytes than requested");
  }
  ReturnedStatus Name(StringPiece* name) const {
    *name = path_;
    return Status();
  }

 private:
  int file_;
  std::string path_;
};

// A file that is written from the beginning or appended to.
class WritableFile {
 public:
  WritableFile(FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  WritableFile(const WritableFile&) = delete;
  ~WritableFile() { Close().IgnoreError(); }

  ReturnedStatus Append(StringPiece text) { return Result(fwrite(text.data(), 1, text.size(), file_) == text.size()); }
  ReturnedStatus Flush() { return Result(fflush(file_) == 0); }
  ReturnedStatus Sync() { return Result(fflush(file_) == 0 && fsync(fileno(file_)) == 0); }
  // The size of the file, including what it contained before for a file that is appended to.
  template <typename Int64>
  ReturnedStatus Tell(Int64* position) {
    const long at = ftell(file_);
    if (at < 0) return internal::FileError(path_);
    *position = at;
    return Status();
  }
  ReturnedStatus Name(StringPiece* name) const {
    *name = path_;
    return Status();
  }
  ReturnedStatus Close() {
    FILE* const file = std::exchange(file_, nullptr);
    return Result(file == nullptr || fclose(file) == 0);
  }

 private:
  Status Result(bool ok) const { return ok ? Status() : internal::FileError(path_); }

  FILE* file_;
  std::string path_;
};

// A memory-mapped file. It must not change while it is mapped.
class ReadOnlyMemoryRegion {
 public:
  ReadOnlyMemoryRegion(void* data, uint64 length) : data_(data), length_(length) {}
  ReadOnlyMemoryRegion(const ReadOnlyMemoryRegion&) = delete;
  ~ReadOnlyMemoryRegion() { munmap(data_, length_); }

  const void* data() { return data_; }
  uint64 length() { return length_; }

 private:
  void* data_;
  uint64 length_;
};

struct FileStatistics {
  int64 length = -1, mtime_nsec = 0;
  bool is_directory = false;
};

class FileSystem {
 public:
  Status FileExists(const std::string& path) { return internal::FileResult(access(path.c_str(), F_OK), path); }
  bool FilesExist(const std::vector<std::string>& paths, std::vector<Status>* results) {
    bool all = true;
    for (const std::string& path : paths) {
      const Status status = FileExists(path);
      if (results != nullptr) results->push_back(status);
      all = all && status.ok();
    }
    return all;
  }
  ReturnedStatus Stat(const std::string& path, FileStatistics* statistics) {
    struct stat found;
    if (stat(path.c_str(), &found) != 0) return internal::FileError(path);
    statistics->length = found.st_size;
    statistics->mtime_nsec = int64{found.st_mtim.tv_sec} * 1000000000 + found.st_mtim.tv_nsec;
    statistics->is_directory = S_ISDIR(found.st_mode);
    return Status();
  }
  template <typename Size>
  ReturnedStatus GetFileSize(const std::string& path, Size* size) {
    FileStatistics statistics;
    TF_RETURN_IF_ERROR(Stat(path, &statistics));
    *size = static_cast<Size>(statistics.length);
    return Status();
  }
  ReturnedStatus IsDirectory(const std::string& path) {
    FileStatistics statistics;
    TF_RETURN_IF_ERROR(Stat(path, &statistics));
    return statistics.is_directory ? OkStatus() : errors::FailedPrecondition(path, " is not a directory");
  }

  ReturnedStatus NewRandomAccessFile(const std::string& path, std::unique_ptr<RandomAccessFile>* file) {
    const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return internal::FileError(path);
    file->reset(new RandomAccessFile(opened, path));
    return Status();
  }
  ReturnedStatus NewWritableFile(const std::string& path, std::unique_ptr<WritableFile>* file) {
    return Open(path, "we", file);
  }
  ReturnedStatus NewAppendableFile(const std::string& path, std::unique_ptr<WritableFile>* file) {
    return Open(path, "ae", file);
  }
  // Fails for an empty file.
  ReturnedStatus NewReadOnlyMemoryRegionFromFile(const std::string& path,
                                                 std::unique_ptr<ReadOnlyMemoryRegion>* region) {
    const int opened = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) return internal::FileError(path);
    struct stat found = {};
    void* data = MAP_FAILED;
    if (fstat(opened, &found) == 0) {
      data = mmap(nullptr, static_cast<size_t>(found.st_size), PROT_READ, MAP_PRIVATE, opened, 0);
    }
    const Status status = data == MAP_FAILED ? internal::FileError(path) : Status();
    close(opened);
    if (status.ok()) region->reset(new ReadOnlyMemoryRegion(data, static_cast<uint64>(found.st_size)));
    return status;
  }

  // The names in a directory, without "." and "..".
  ReturnedStatus GetChildren(const std::string& folder, std::vector<std::string>* names) {
    std::error_code failure;
    std::filesystem::directory_iterator at(folder, failure);
    if (!failure) names->clear();
    for (; !failure && at != std::filesystem::directory_iterator(); at.increment(failure)) {
      names->push_back(at->path().filename());
    }
    return errors::IOError(folder, failure.value());
  }
  // The files that match a shell pattern (*, ?, [a-z]), in alphabetical order.
  ReturnedStatus GetMatchingPaths(const std::string& pattern, std::vector<std::string>* paths) {
    glob_t found = {};
    const int code = glob(pattern.c_str(), 0, nullptr, &found);
    paths->assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    return code == 0 || code == GLOB_NOMATCH ? Status() : internal::FileError(pattern);
  }
  // Whether the whole path matches a shell pattern.
  bool MatchPath(const std::string& path, const std::string& pattern) {
    return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
  }
  Status CreateDir(const std::string& path) { return internal::FileResult(mkdir(path.c_str(), 0755), path); }
  ReturnedStatus RecursivelyCreateDir(const std::string& path) {
    for (size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
      const std::string part = path.substr(0, at);
      if (mkdir(part.c_str(), 0755) != 0 && errno != EEXIST) return internal::FileError(part);
      if (at == std::string::npos) return Status();
    }
  }
  Status DeleteFile(const std::string& path) { return internal::FileResult(unlink(path.c_str()), path); }
  Status DeleteDir(const std::string& path) { return internal::FileResult(rmdir(path.c_str()), path); }
  // Counts what could not be deleted; returns the first error. Links are deleted, not followed.
  template <typename Int64>
  ReturnedStatus DeleteRecursively(const std::string& path, Int64* undeleted_files, Int64* undeleted_dirs) {
    *undeleted_files = *undeleted_dirs = 0;
    return DeleteAll(path, undeleted_files, undeleted_dirs);
  }
  // Replaces an existing file. INVALID_ARGUMENT: both are the same file.
  ReturnedStatus CopyFile(const std::string& from, const std::string& to) {
    std::unique_ptr<RandomAccessFile> source;
    std::unique_ptr<WritableFile> copy;
    std::error_code none;
    TF_RETURN_IF_ERROR(NewRandomAccessFile(from, &source));
    if (std::filesystem::equivalent(from, to, none)) return errors::InvalidArgument(from, " and ", to, " are one file");
    TF_RETURN_IF_ERROR(NewWritableFile(to, &copy));
    std::string buffer(size_t{1} << 16, '\0');
    StringPiece chunk;
    Status read;
    // To the end, because files of /proc have a size of 0.
    for (uint64 at = 0; read.ok(); at += chunk.size()) {
      read = source->Read(at, buffer.size(), &chunk, &buffer[0]);
      if (read.ok() || errors::IsOutOfRange(read)) TF_RETURN_IF_ERROR(copy->Append(chunk));
    }
    return errors::IsOutOfRange(read) ? copy->Close() : ReturnedStatus(read);
  }
  ReturnedStatus RenameFile(const std::string& from, const std::string& to) {
    return internal::FileResult(rename(from.c_str(), to.c_str()), from);
  }

 private:
  template <typename Int64>
  Status DeleteAll(const std::string& path, Int64* undeleted_files, Int64* undeleted_dirs) {
    struct stat found;
    const bool is_there = lstat(path.c_str(), &found) == 0;
    if (is_there && !S_ISDIR(found.st_mode)) {
      const Status status = DeleteFile(path);
      *undeleted_files += !status.ok();
      return status;
    }
    std::vector<std::string> names;
    Status status = internal::FileError(path);
    if (is_there) status = GetChildren(path, &names);
    for (const std::string& name : names) status.Update(DeleteAll(path + "/" + name, undeleted_files, undeleted_dirs));
    if (status.ok()) status = DeleteDir(path);
    *undeleted_dirs += !status.ok();
    return status;
  }
  Status Open(const std::string& path, const char* mode, std::unique_ptr<WritableFile>* file) {
    FILE* const opened = fopen(path.c_str(), mode);
    if (opened == nullptr) return internal::FileError(path);
    file->reset(new WritableFile(opened, path));
    return Status();
  }
};

}  // namespace OPSRUN_HIDDEN
