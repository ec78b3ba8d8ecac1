// host/plugin/opened_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/opened_files.h"

#include <utility>

#include "host/plugin/judge_plugin.h"

namespace opsrun::host {

OpenedFiles::~OpenedFiles() {
  while (!files_.empty()) files_.pop_back();
}

const OpenedFile& OpenedFiles::Open(const std::string& path, const PluginNote& note) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile*& file = by_path_[path];
  if (file == nullptr) {
    OpenedFile& opened = files_.emplace_back();
    opened.refusal = OpenNow(path, note, opened);
    file = &opened;
  }
  return *file;
}

std::optional<Refusal> OpenedFiles::WhyNot(const std::string& path, const PluginNote& note) const {
  return admit_ ? admit_(path, note) : RefuseToOpen(path);
}

std::optional<Refusal> OpenedFiles::OpenNow(const std::string& path, const PluginNote& note, OpenedFile& opened) const {
  const std::optional<Refusal> refusal = WhyNot(path, note);
  return refusal ? refusal : OpenPlugin(path, note, host_, &opened.plugin);
}

bool OpenedFiles::IsOpen(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return by_path_.count(path) > 0;
}

void OpenedFiles::Add(std::shared_ptr<const Plugin> plugin) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile& file = files_.emplace_back(OpenedFile{std::move(plugin), std::nullopt});
  by_path_[file.plugin->path] = &file;
}

}  // namespace opsrun::host
