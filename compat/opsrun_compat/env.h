// opsrun_compat/env.h: Env: clocks, threads, and the files of this machine; environment variables; properties of
// builds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sys/syscall.h>

#include "opsrun_compat/file_system.h"
#include "opsrun_compat/numbers.h"
#include "opsrun_compat/threadpool.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// A thread. The destructor waits for it to finish.
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

class Env : public FileSystem, public EnvTime {
 public:
  static Env* Default() {
    static Env env;
    return &env;
  }

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

  // Numbers and names for messages. An empty path: the system does not provide it.
  int32 GetProcessId() { return getpid(); }
  int32 GetCurrentThreadId() { return static_cast<int32>(syscall(SYS_gettid)); }
  bool GetCurrentThreadName(std::string* name) {
    char text[16] = "";
    const bool ok = pthread_getname_np(pthread_self(), text, sizeof(text)) == 0;
    *name = text;
    return ok;
  }
  std::string GetExecutablePath() {
    std::error_code failure;
    return std::filesystem::read_symlink("/proc/self/exe", failure);
  }

  // All paths refer to files of this machine.
  ReturnedStatus GetFileSystemForFile(const std::string& /*path*/, FileSystem** file_system) {
    *file_system = this;
    return Status();
  }
  // Appends to *prefix so that it becomes a unique file name with the suffix. False: the file exists.
  bool CreateUniqueFileName(std::string* prefix, const std::string& suffix) {
    static std::atomic<int> count{0};
    *prefix += strings::StrCat(GetProcessId(), "_", NowMicros(), "_", ++count, suffix);
    return !FileExists(*prefix).ok();
  }
  // Such a name in the directory for temporary files. The file is not created.
  bool LocalTempFilename(std::string* name) {
    const char* const folder = getenv("TMPDIR");
    *name = strings::StrCat(folder == nullptr ? "/tmp" : folder, "/tempfile-");
    return CreateUniqueFileName(name, "");
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

// A file that contains a serialized message. DATA_LOSS: the file is invalid.
template <typename Message>
ReturnedStatus WriteBinaryProto(Env* env, const std::string& path, const Message& message) {
  return WriteStringToFile(env, path, message.SerializeAsString());
}
template <typename Message>
ReturnedStatus ReadBinaryProto(Env* env, const std::string& path, Message* message) {
  std::string bytes;
  TF_RETURN_IF_ERROR(ReadFileToString(env, path, &bytes));
  return message->ParseFromString(bytes) ? OkStatus() : errors::DataLoss("'", path, "' does not contain the message");
}

// Environment variables, with the functions of the C library.
using ::setenv, ::unsetenv;

namespace internal {

// Sets *value to read(text, value) of the variable; if it is not set, or invalid (INVALID_ARGUMENT), to `unless`.
template <typename Value, typename Read>
Status ReadVariable(StringPiece name, const char* what, const Value& unless, Value* value, Read read) {
  *value = unless;
  const char* const text = getenv(std::string(name).c_str());
  if (text == nullptr || read(std::string_view(text), value)) return Status();
  *value = unless;
  return errors::InvalidArgument("The environment variable ", name, " is '", text, "', expected ", what);
}

}  // namespace internal

inline ReturnedStatus ReadBoolFromEnvVar(StringPiece name, bool unless, bool* value) {
  return internal::ReadVariable(name, "0, 1, false or true", unless, value, [](std::string_view text, bool* to) {
    *to = text == "1" || text == "true" || text == "True" || text == "TRUE";
    return *to || text == "0" || text == "false" || text == "False" || text == "FALSE";
  });
}
template <typename Int64>
ReturnedStatus ReadInt64FromEnvVar(StringPiece name, int64 unless, Int64* value) {
  return internal::ReadVariable(name, "an integer", static_cast<Int64>(unless), value,
                                [](std::string_view text, Int64* to) { return internal::ReadInteger(text, 10, to); });
}
inline ReturnedStatus ReadFloatFromEnvVar(StringPiece name, float unless, float* value) {
  return internal::ReadVariable(name, "a number", unless, value,
                                [](std::string_view text, float* to) { return internal::ReadReal(text, to); });
}
inline ReturnedStatus ReadStringFromEnvVar(StringPiece name, StringPiece unless, std::string* value) {
  return internal::ReadVariable(name, "text", std::string(unless), value, [](std::string_view text, std::string* to) {
    *to = text;
    return true;
  });
}

// How TensorFlow could have been built: whether the source is compiled for CUDA cards.
constexpr bool IsGoogleCudaEnabled() {
#if defined(GOOGLE_CUDA) && GOOGLE_CUDA
  return true;
#else
  return false;
#endif
}
constexpr bool IsBuiltWithROCm() {
  return false;
}
inline constexpr auto &IsMklEnabled = IsBuiltWithROCm, &IsMKLEnabled = IsBuiltWithROCm;

// The environment variable TF_DETERMINISTIC_OPS, read once.
inline bool OpDeterminismRequired() {
  static const bool is_required = [] {
    bool value = false;
    ReadBoolFromEnvVar("TF_DETERMINISTIC_OPS", false, &value).IgnoreError();
    return value;
  }();
  return is_required;
}

}  // namespace OPSRUN_HIDDEN
