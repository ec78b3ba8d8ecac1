// host/plugin/opened_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/opened_files.h"

#include <utility>

namespace opsrun::host {

OpenedFiles::~OpenedFiles() {
  while (!files_.empty()) files_.pop_back();
}

const OpenedFile& OpenedFiles::Open(const std::string& path, const PluginNote& note) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile*& file = by_path_[path];
  if (file == nullptr) {
    OpenedFile& opened = files_.emplace_back();
    opened.refusal = OpenPlugin(path, note, host_, &opened.plugin);
    file = &opened;
  }
  return *file;
}

void OpenedFiles::Add(std::shared_ptr<const Plugin> plugin) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile& file = files_.emplace_back(OpenedFile{std::move(plugin), std::nullopt});
  by_path_[file.plugin->path] = &file;
}

}  // namespace opsrun::host
