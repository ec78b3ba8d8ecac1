// host/probe/verdict_cache.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/probe/verdict_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "host/base/atomic_file.h"
#include "host/base/content_hash.h"
#include "host/base/file.h"
#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostVerdictBytes = 4 << 20;
constexpr size_t kMostPluginBytes = size_t{1} << 30;

std::optional<uint64_t> HashOfFile(const std::string& path) {
  const Result<std::string> bytes = ReadFile(path, kMostPluginBytes);
  return bytes.ok() ? std::optional(HashOf(*bytes)) : std::nullopt;
}

bool IsAsItWas(const Verdict::Library& library) {
  return StampOf(library.path) == library.stamp;
}

// The folder of the verdicts. It is held open, so that nobody can put another one in its place meanwhile.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& path) : fd_(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}
  OwnFolder(const OwnFolder&) = delete;
  ~OwnFolder() {
    if (fd_ >= 0) close(fd_);
  }

  // A verdict of somebody else could be of a plugin that was never tried.
  bool IsPrivate() const {
    struct stat status = {};
    return fd_ >= 0 && fstat(fd_, &status) == 0 && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  }

  // The verdict on a plugin.
  std::string FileOf(const std::string& path) const {
    return fmt::format("/proc/self/fd/{}/{:016x}", fd_, HashOf(path));
  }

 private:
  const int fd_;
};

fs::path AbsolutePath(const char* variable) {
  const char* value = secure_getenv(variable);
  return value != nullptr && fs::path(value).is_absolute() ? fs::path(value) : fs::path();
}

}  // namespace

std::string VerdictFolder() {
  fs::path base = AbsolutePath("XDG_CACHE_HOME");
  if (base.empty() && !AbsolutePath("HOME").empty()) base = AbsolutePath("HOME") / ".cache";
  return base.empty() ? "" : (base / "opsrun/verdicts").string();
}

std::string VerdictCache::ThisHost() const {
  return fmt::format("{} level {}", OPSRUN_VERSION, level_);
}

bool VerdictCache::IsKnownGood(const std::string& path, const std::string& build_id) const {
  const OwnFolder folder(folder_);
  if (!folder.IsPrivate()) return false;
  const Result<std::string> text = ReadFile(folder.FileOf(path), kMostVerdictBytes);
  std::optional<Verdict> verdict = text.ok() ? ParseVerdict(*text) : std::nullopt;
  const std::optional<FileStamp> stamp = StampOf(path);
  if (!verdict || !stamp || verdict->path != path || verdict->host != ThisHost()) return false;
  if (!std::all_of(verdict->libraries.begin(), verdict->libraries.end(), IsAsItWas)) return false;
  if (*stamp == verdict->stamp && build_id == verdict->build_id) return true;
  if (HashOfFile(path) != verdict->content) return false;
  verdict->stamp = *stamp;  // copied or touched: the next look is quick again
  verdict->build_id = build_id;
  Write(*verdict);
  return true;
}

void VerdictCache::RememberGood(const std::string& path, const std::string& build_id,
                                const std::vector<std::string>& libraries) const {
  const std::optional<FileStamp> stamp = StampOf(path);
  const std::optional<uint64_t> content = HashOfFile(path);
  if (folder_.empty() || !stamp || !content) return;
  Verdict verdict{ThisHost(), path, *stamp, build_id, *content, {}};
  for (const std::string& library : libraries) {
    const std::optional<FileStamp> its = StampOf(library);
    if (!its) return;
    if (library != path) verdict.libraries.push_back({library, *its});
  }
  if (verdict.path.find('\n') == std::string::npos) Write(verdict);
}

void VerdictCache::Write(const Verdict& verdict) const {
  std::error_code error;
  fs::create_directories(fs::path(folder_).parent_path(), error);
  mkdir(folder_.c_str(), S_IRWXU);  // private, whatever files are created with
  const OwnFolder folder(folder_);
  if (!folder.IsPrivate()) return;
  Result<AtomicFile> file = AtomicFile::Create(folder.FileOf(verdict.path));
  if (!file.ok()) return;
  const std::string text = VerdictText(verdict);
  if (file->Write(text.data(), text.size()).ok()) static_cast<void>(file->Commit());
}

}  // namespace opsrun::host
