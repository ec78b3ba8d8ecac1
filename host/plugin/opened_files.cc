// host/plugin/opened_files.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/opened_files.h"

#include <fmt/format.h>

#include <utility>

#include "host/plugin/judge_plugin.h"
#include "host/plugin/read_notes.h"

namespace opsrun::host {
namespace {

constexpr char kRestart[] = "restart the process to use what is there now";

// Copied anew or touched. Builds have an id, unless somebody leaves it out.
bool HasSameContent(const OpenedFile& file, const FileState& now, const std::string& path) {
  if (file.note.build_id.empty() || now.size != file.state->size) return false;
  const PluginNote note = LookAtFile(path, OPSRUN_LEVEL).note;
  return note.build_id == file.note.build_id && note.content_hash == file.note.content_hash;
}

}  // namespace

OpenedFiles::~OpenedFiles() {
  while (!files_.empty()) files_.pop_back();
}

const OpenedFile& OpenedFiles::Open(const std::string& path, const PluginNote& note) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile*& file = by_path_[path];
  if (file == nullptr || MayTryAgain(*file, path)) {
    OpenedFile& opened = files_.emplace_back();
    opened.state = StateOf(path.c_str());
    opened.note = note;
    opened.refusal = OpenNow(path, note, opened);
    file = &opened;
  }
  return *file;
}

std::optional<Refusal> OpenedFiles::WhyNot(const std::string& path, const PluginNote& note) const {
  return admit_ ? admit_(path, note) : RefuseToOpen(path);
}

std::optional<Refusal> OpenedFiles::OpenNow(const std::string& path, const PluginNote& note, OpenedFile& opened) const {
  if (std::optional<Refusal> refusal = WhyNot(path, note)) return refusal;
  opened.code_ran = true;
  return OpenPlugin(path, note, host_, &opened.plugin);
}

// The linker gives out what it has mapped of a file; another file of that name is one to it that it does not know.
bool OpenedFiles::MayTryAgain(const OpenedFile& file, const std::string& path) {
  if (!file.refusal) return false;
  const std::optional<FileState> now = StateOf(path.c_str());
  return now != file.state && !(file.code_ran && now && file.state && now->IsSameFile(*file.state));
}

std::optional<Refusal> OpenedFiles::Change(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end() || found->second->plugin == nullptr || !found->second->state) return std::nullopt;
  const OpenedFile& file = *found->second;
  const std::optional<FileState> now = StateOf(path.c_str());
  if (now == file.state || (now && HasSameContent(file, *now, path))) return std::nullopt;
  const std::string was = fmt::format("{} were loaded", StateText(*file.state));
  if (!now) return Refusal{fmt::format("it was removed after it was loaded ({})", was), kRestart};
  const bool in_place = now->IsSameFile(*file.state);
  return Refusal{
      fmt::format("it was {} after it was loaded ({}, there are {} now)", in_place ? "rewritten in place" : "replaced",
                  was, StateText(*now)),
      in_place ? fmt::format("{}; write plugins under another name and rename them, since a program that uses one "
                             "crashes when it is rewritten",
                             kRestart)
               : kRestart};
}

bool OpenedFiles::IsOpen(const std::string& path) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return by_path_.count(path) > 0;
}

void OpenedFiles::Add(std::shared_ptr<const Plugin> plugin) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const OpenedFile& file = files_.emplace_back(OpenedFile{std::move(plugin), {}, {}, {}});
  by_path_[file.plugin->path] = &file;
}

}  // namespace opsrun::host
