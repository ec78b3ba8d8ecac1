// host/plugin/open_plugin.h: opens, checks and parses one file: completely or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/file.h"
#include "host/examine/plugin_note.h"
#include "host/plugin/plugin.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Opens the file that `note` was read from. Several threads may call it: one file is opened at a time. Changes that the
// plugin makes to the calling thread, such as its signal mask, are reverted and reported in the plugin's messages.
// The file was judged before (JudgeLibrary). begin: told before code of the plugin runs; may be empty.
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<const Plugin>* opened,
                                  const std::function<void(PluginPhase)>& begin = {});

// The plugin files that one host has opened, each once.

// A plugin, or the reason why the file is refused.
struct OpenedFile {
  std::shared_ptr<const Plugin> plugin;
  std::optional<Refusal> refusal;
  std::optional<FileState> state;  // of the file when it was opened; of a built-in plugin, none
  PluginNote note;
  bool code_ran = false;  // it is mapped until the process ends
};

// The entry of a plugin is called once per host, so an opened plugin is kept for later graphs. Any thread.
class OpenedFiles {
 public:
  // Decides from a file whether it may be opened: the reason against it, or nothing.
  using Admit = std::function<std::optional<Refusal>(const std::string& path, const PluginNote& note)>;

  // host: passed to each entry; must outlive this object and all registries that are made from it. Without `admit`,
  // what the file alone says decides (JudgeLibrary).
  explicit OpenedFiles(const opsrun_host* host, Admit admit = {}) : host_(host), admit_(std::move(admit)) {}
  OpenedFiles(const OpenedFiles&) = delete;
  ~OpenedFiles();  // releases the plugins in reverse order of opening

  // The file that `note` was read from, opened now or earlier. One that was refused is tried again if it has changed
  // since. The result lives as long as this object.
  const OpenedFile& Open(const std::string& path, const PluginNote& note);

  // Why Open would refuse the file, as far as that is known without opening it here; or nothing.
  std::optional<Refusal> WhyNot(const std::string& path, const PluginNote& note) const;

  bool IsOpen(const std::string& path) const;

  // That an open file has been replaced, rewritten or removed since: what was opened stays in use, and no process can
  // take the new one in its place. Nothing if its content is the same, or if it is not open.
  std::optional<Refusal> Change(const std::string& path) const;

  // Ops and kernels that are part of this program; the plugin's path names no file.
  void Add(std::shared_ptr<const Plugin> plugin);

 private:
  static bool MayTryAgain(const OpenedFile& file, const std::string& path);
  std::optional<Refusal> OpenNow(const std::string& path, const PluginNote& note, OpenedFile& opened) const;

  const opsrun_host* const host_;
  const Admit admit_;
  mutable std::mutex mutex_;      // guards the members below; held while a file is opened
  std::deque<OpenedFile> files_;  // in the order of opening
  std::map<std::string, const OpenedFile*> by_path_;
};

}  // namespace opsrun::host
