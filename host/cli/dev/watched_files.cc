// SPDX-License-Identifier: Apache-2.0
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>

#include "host/cli/dev/dev.h"
#include "host/examine/catalog.h"
#include "host/tensor/digest.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 20'000;
constexpr int kQuietMs = 40, kMostMs = 500;

bool IsSource(const fs::path& file) {
  static constexpr std::string_view kSuffixes[] = {".c",   ".cc",  ".cpp", ".cxx", ".cu",  ".h",  ".hh",  ".hpp",
                                                   ".hxx", ".cuh", ".inc", ".inl", ".ipp", ".rs", ".zig", ".cmake"};
  static constexpr std::string_view kNames[] = {"CMakeLists.txt", "Makefile", "Cargo.toml", "meson.build"};
  const std::string name = file.filename().string(), suffix = file.extension().string();
  if (name.starts_with('.')) return false;  // of editors
  return std::ranges::find(kSuffixes, suffix) != std::end(kSuffixes) ||
         std::ranges::find(kNames, name) != std::end(kNames);
}

// What builds write there are not sources, even if its name is that of one.
bool IsOfBuilds(const fs::path& folder) {
  std::error_code error;
  static constexpr const char* kMarks[] = {"CMakeCache.txt", "build.ninja", "CACHEDIR.TAG"};
  return folder.filename().string().starts_with('.') ||
         std::ranges::any_of(kMarks, [&](const char* mark) { return fs::exists(folder / mark, error); });
}

// Calls take(entry) for each file; folders for which skip(folder) is true are left out.
template <typename Take, typename Skip>
void ForEachFile(const std::string& folder, Take take, Skip skip) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (at->is_directory(gone)) {
      if (skip(at->path())) at.disable_recursion_pending();
    } else if (!take(*at)) {
      return;
    }
  }
}

}  // namespace

WatchedFiles::WatchedFiles(std::vector<std::string> source_folders)
    : source_folders_(std::move(source_folders)), events_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {}

void WatchedFiles::SetInputs(std::vector<std::string> files, std::vector<std::string> plugin_folders) {
  inputs_ = std::move(files);
  plugin_folders_ = std::move(plugin_folders);
}

void WatchedFiles::WatchFolder(const std::string& folder) {
  constexpr uint32_t kEvents = IN_CLOSE_WRITE | IN_MOVE | IN_CREATE | IN_DELETE | IN_ATTRIB;
  std::error_code error;
  if (inotify_add_watch(events_.get(), folder.c_str(), kEvents) < 0 && fs::exists(folder, error)) complete_ = false;
}

void WatchedFiles::ScanSources(const std::string& folder, Files& files) {
  WatchFolder(folder);
  ForEachFile(
      folder,
      [&](const fs::directory_entry& file) {
        too_many_ = too_many_ || files.size() >= kMostFiles;
        if (IsSource(file.path()) && !too_many_) files.emplace(file.path().lexically_normal().string(), true);
        return !too_many_;
      },
      [&](const fs::path& below) {
        if (IsOfBuilds(below)) return true;
        WatchFolder(below.string());
        return false;
      });
}

WatchedFiles::Changes WatchedFiles::Look() {
  std::array<char, 4096> ignored;
  while (read(events_.get(), ignored.data(), ignored.size()) > 0) {
  }
  Files files;
  for (const std::string& folder : source_folders_) ScanSources(folder, files);
  for (const std::string& file : inputs_) {
    files.emplace(fs::path(file).lexically_normal().string(), false);
    const std::string folder = fs::path(file).parent_path().string();
    WatchFolder(folder.empty() ? "." : folder);
  }
  for (const std::string& folder : plugin_folders_) {
    std::error_code error;
    WatchFolder(folder);
    for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator(); at.increment(error)) {
      const std::string name = at->path().filename().string();
      if (IsPluginFileName(name) || name.ends_with(".opsrun.yaml")) files.emplace(at->path().string(), false);
    }
  }
  Changes changes;
  std::map<std::string, Known> now;
  for (const auto& [path, is_source] : files) {
    const std::optional<FileState> state = StateOf(path.c_str());
    if (!state) continue;
    const auto before = known_.find(path);
    if (before != known_.end() && before->second.state == *state) {
      now.insert(*before);
      continue;
    }
    const Result<std::string> digest = DigestOfFile(path);
    now[path] = {*state, digest.ok() ? *digest : ""};
    if (before == known_.end() || before->second.digest != now[path].digest)
      (is_source ? changes.sources : changes.inputs).push_back(path);
  }
  for (const auto& [path, old] : known_) {
    if (!now.contains(path)) (IsSource(path) ? changes.sources : changes.inputs).push_back(path);
  }
  known_ = std::move(now);
  return std::exchange(first_, false) ? Changes{} : changes;
}

void WatchedFiles::Settle() {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::milliseconds(kMostMs);
  std::array<char, 4096> ignored;
  pollfd events{events_.get(), POLLIN, 0};
  do {
    while (read(events_.get(), ignored.data(), ignored.size()) > 0) {
    }
  } while (poll(&events, 1, kQuietMs) > 0 && Clock::now() < end);
}

std::vector<std::string> NewLibraries(const std::vector<std::string>& folders, int64_t since) {
  std::set<std::string> found;
  size_t seen = 0;
  for (const std::string& folder : folders) {
    ForEachFile(
        folder,
        [&](const fs::directory_entry& file) {
          const std::optional<FileState> state =
              IsPluginFileName(file.path().filename().string()) ? StateOf(file.path().c_str()) : std::nullopt;
          if (state && state->time >= since) found.insert(file.path().lexically_normal().string());
          return ++seen < kMostFiles;
        },
        [](const fs::path& below) { return below.filename().string().starts_with('.'); });
  }
  return {found.begin(), found.end()};
}

}  // namespace opsrun::host
