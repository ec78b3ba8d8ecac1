// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "host/base/environment.h"
#include "host/base/file.h"
#include "host/base/text.h"
#include "host/examine/prober.h"
#include "host/examine/writers.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kFirstLine = "opsrun verdict 1";
constexpr std::string_view kLastLine = "end";
constexpr size_t kMostLibraries = 10'000;

// The value in a line "key value"; nothing if the key differs.
std::optional<std::string_view> Value(std::string_view line, std::string_view key) {
  if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != ' ') return std::nullopt;
  return line.substr(key.size() + 1);
}

// Removes "size time" from the front.
bool TakeStamp(std::string_view* text, FileStamp* stamp) {
  const auto size = ParseInteger<uint64_t>(TakePart(text, " "));
  const auto time = ParseInteger<int64_t>(TakePart(text, " "));
  if (size && time) *stamp = {*size, *time};
  return size && time;
}

}  // namespace

std::optional<FileStamp> StampOf(const std::string& path) {
  const std::optional<FileState> state = StateOf(path.c_str());
  return state ? std::optional(FileStamp{state->size, state->time}) : std::nullopt;
}

std::string VerdictText(const Verdict& verdict) {
  std::string text = fmt::format("{}\nhost {}\npath {}\nstamp {} {}\nbuild {}\ncontent {:x}\n", kFirstLine,
                                 verdict.host, verdict.path, verdict.stamp.size, verdict.stamp.time,
                                 verdict.build_id.empty() ? "-" : verdict.build_id, verdict.content);
  for (const Verdict::Library& library : verdict.libraries)
    text += fmt::format("library {} {} {}\n", library.stamp.size, library.stamp.time, library.path);
  return text + std::string(kLastLine) + '\n';
}

std::optional<Verdict> ParseVerdict(std::string_view text) {
  Verdict verdict;
  if (TakePart(&text, "\n") != kFirstLine) return std::nullopt;
  const auto host = Value(TakePart(&text, "\n"), "host"), path = Value(TakePart(&text, "\n"), "path");
  auto stamp = Value(TakePart(&text, "\n"), "stamp");
  const auto build = Value(TakePart(&text, "\n"), "build"), content = Value(TakePart(&text, "\n"), "content");
  if (!host || !path || !stamp || !build || !content) return std::nullopt;
  const auto hash = ParseInteger<uint64_t>(*content, 16);
  if (!TakeStamp(&*stamp, &verdict.stamp) || !stamp->empty() || !hash) return std::nullopt;
  verdict.content = *hash;
  verdict.host = *host;
  verdict.path = *path;
  if (*build != "-") verdict.build_id = *build;
  std::string_view line;
  while ((line = TakePart(&text, "\n")) != kLastLine) {
    auto value = Value(line, "library");
    Verdict::Library library;
    if (!value || !TakeStamp(&*value, &library.stamp) || value->empty()) return std::nullopt;
    library.path = *value;
    verdict.libraries.push_back(std::move(library));
    if (verdict.libraries.size() > kMostLibraries) return std::nullopt;
  }
  return text.empty() ? std::optional(std::move(verdict)) : std::nullopt;
}

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

// The folder of the verdicts, held open so that it cannot be replaced meanwhile.
class OwnFolder {
 public:
  explicit OwnFolder(const std::string& path)
      : path_(path), folder_(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

  bool exists() const { return folder_.get() >= 0; }

  // Another user could write verdicts for plugins that were never probed.
  std::optional<Refusal> Refused() const {
    struct stat status = {};
    if (fstat(folder_.get(), &status) != 0 || status.st_uid != geteuid())
      return Refusal{"it belongs to another user", "set XDG_CACHE_HOME to a directory of your own"};
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)  // it was private when it was made
      return Refusal{fmt::format("others can write to it: its mode is {:04o}", status.st_mode & ALLPERMS),
                     fmt::format("run chmod go-w {}", ShellWord(path_))};
    return RefuseOtherWriters(folder_, path_);
  }

  // The file with the verdict on a plugin.
  std::string FileOf(const std::string& path) const {
    return fmt::format("/proc/self/fd/{}/{:016x}", folder_.get(), HashOf(path));
  }

 private:
  const std::string path_;
  const Descriptor folder_;
};

fs::path AbsolutePath(const char* variable) {
  const char* value = Environment(variable);
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

std::optional<Refusal> VerdictCache::Refused() const {
  const OwnFolder folder(folder_);
  return folder.exists() ? folder.Refused() : std::nullopt;
}

bool VerdictCache::IsKnownGood(const std::string& path, const std::string& build_id) const {
  const OwnFolder folder(folder_);
  if (!folder.exists() || folder.Refused()) return false;
  const Result<std::string> text = ReadFile(folder.FileOf(path), kMostVerdictBytes);
  std::optional<Verdict> verdict = text.ok() ? ParseVerdict(*text) : std::nullopt;
  const std::optional<FileStamp> stamp = StampOf(path);
  if (!verdict || !stamp || verdict->path != path || verdict->host != ThisHost()) return false;
  if (!std::all_of(verdict->libraries.begin(), verdict->libraries.end(), IsAsItWas)) return false;
  if (*stamp == verdict->stamp && build_id == verdict->build_id) return true;
  if (HashOfFile(path) != verdict->content) return false;
  verdict->stamp = *stamp;  // copied or touched: the next check is fast again
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
  fs::path made;
  for (const fs::path& part : fs::path(folder_)) mkdir((made /= part).c_str(), S_IRWXU);  // whatever the umask is
  const OwnFolder folder(folder_);
  if (!folder.exists() || folder.Refused()) return;
  Result<AtomicFile> file = AtomicFile::Create(folder.FileOf(verdict.path));
  if (!file.ok()) return;
  const std::string text = VerdictText(verdict);
  if (file->Write(text.data(), text.size()).ok()) static_cast<void>(file->Commit());
}

}  // namespace opsrun::host
