// opsrun_compat/env.h: Env: clocks, threads, and the files of this machine.
//
// Paths with a scheme (gs://, hdfs://) are files like any others, and will not be found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"
#include "opsrun/strings.h"
#include "opsrun/types.h"
#include "opsrun_compat/errors.h"
#include "opsrun_compat/threadpool.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// What errno says about a file.
inline Status FileError(const std::string& path) {
  return errors::IOError(path, errno);
}
inline Status FileResult(int result, const std::string& path) {
  return result == 0 ? Status() : FileError(path);
}

}  // namespace internal

// A file that is read at any place, from any thread.
class RandomAccessFile {
 public:
  RandomAccessFile(int file, std::string path) : file_(file), path_(std::move(path)) {}
  RandomAccessFile(const RandomAccessFile&) = delete;
  ~RandomAccessFile() { close(file_); }

  // Reads into `scratch`, n bytes, which *result refers to. OUT_OF_RANGE: the file ends before.
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

// A file that is written from its beginning or at its end.
class WritableFile {
 public:
  WritableFile(FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  WritableFile(const WritableFile&) = delete;
  ~WritableFile() { Close().IgnoreError(); }

  ReturnedStatus Append(StringPiece text) { return Result(fwrite(text.data(), 1, text.size(), file_) == text.size()); }
  ReturnedStatus Flush() { return Result(fflush(file_) == 0); }
  ReturnedStatus Sync() { return Result(fflush(file_) == 0 && fsync(fileno(file_)) == 0); }
  ReturnedStatus Close() {
    FILE* const file = std::exchange(file_, nullptr);
    return Result(file == nullptr || fclose(file) == 0);
  }

 private:
  Status Result(bool ok) const { return ok ? Status() : internal::FileError(path_); }

  FILE* file_;
  std::string path_;
};

struct FileStatistics {
  int64 length = -1, mtime_nsec = 0;
  bool is_directory = false;
};

// A thread that its destructor waits for.
class Thread {
 public:
  explicit Thread(std::function<void()> fn) : thread_(std::move(fn)) {}
  ~Thread() { thread_.join(); }

 private:
  std::thread thread_;
};

class EnvTime {
 public:
  static constexpr uint64 kMicrosToNanos = 1000, kMillisToNanos = 1000000, kSecondsToNanos = 1000000000,
                          kMillisToMicros = 1000, kSecondsToMicros = 1000000, kSecondsToMillis = 1000;
  static uint64 NowNanos() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<uint64>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }
  static uint64 NowMicros() { return NowNanos() / kMicrosToNanos; }
  static uint64 NowSeconds() { return NowNanos() / kSecondsToNanos; }
};

class Env {
 public:
  static Env* Default() {
    static Env env;
    return &env;
  }

  uint64 NowNanos() const { return EnvTime::NowNanos(); }
  uint64 NowMicros() const { return EnvTime::NowMicros(); }
  uint64 NowSeconds() const { return EnvTime::NowSeconds(); }
  void SleepForMicroseconds(int64 microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  }

  // The caller owns the thread.
  Thread* StartThread(const ThreadOptions&, const std::string& /*name*/, std::function<void()> fn) {
    return new Thread(std::move(fn));
  }
  void SchedClosure(std::function<void()> fn) { std::thread(std::move(fn)).detach(); }
  void SchedClosureAfter(int64 microseconds, std::function<void()> fn) {
    SchedClosure([=] {
      std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
      fn();
    });
  }

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

  // The names in a folder, without "." and "..".
  ReturnedStatus GetChildren(const std::string& folder, std::vector<std::string>* names) {
    DIR* const opened = opendir(folder.c_str());
    if (opened == nullptr) return internal::FileError(folder);
    names->clear();
    while (const dirent* entry = readdir(opened)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names->push_back(name);
    }
    closedir(opened);
    return Status();
  }
  // The files that a pattern of the shell (*, ?, [a-z]) matches, in alphabetical order.
  ReturnedStatus GetMatchingPaths(const std::string& pattern, std::vector<std::string>* paths) {
    glob_t found = {};
    const int code = glob(pattern.c_str(), 0, nullptr, &found);
    paths->assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    globfree(&found);
    return code == 0 || code == GLOB_NOMATCH ? Status() : internal::FileError(pattern);
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
  ReturnedStatus RenameFile(const std::string& from, const std::string& to) {
    return internal::FileResult(rename(from.c_str(), to.c_str()), from);
  }

 private:
  Status Open(const std::string& path, const char* mode, std::unique_ptr<WritableFile>* file) {
    FILE* const opened = fopen(path.c_str(), mode);
    if (opened == nullptr) return internal::FileError(path);
    file->reset(new WritableFile(opened, path));
    return Status();
  }
};

inline ReturnedStatus ReadFileToString(Env* env, const std::string& path, std::string* text) {
  std::unique_ptr<RandomAccessFile> file;
  uint64 size = 0;
  TF_RETURN_IF_ERROR(env->GetFileSize(path, &size));
  TF_RETURN_IF_ERROR(env->NewRandomAccessFile(path, &file));
  text->resize(size);
  StringPiece read;
  return file->Read(0, size, &read, text->data());
}
inline ReturnedStatus WriteStringToFile(Env* env, const std::string& path, StringPiece text) {
  std::unique_ptr<WritableFile> file;
  TF_RETURN_IF_ERROR(env->NewWritableFile(path, &file));
  TF_RETURN_IF_ERROR(file->Append(text));
  return file->Close();
}

}  // namespace OPSRUN_HIDDEN
