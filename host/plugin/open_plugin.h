// host/plugin/open_plugin.h: opens, checks and parses a plugin file, completely or not at all.
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

// Opens the file that `note` was read from, which JudgeLibrary has accepted. Thread-safe; opens one file at a time.
// Changes that the plugin makes to the calling thread, such as its signal mask, are reverted and reported in the
// plugin's messages. begin: called before code of the plugin runs; may be empty.
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<const Plugin>* opened,
                                  const std::function<void(PluginPhase)>& begin = {});

// A plugin, or the reason why the file is refused.
struct OpenedFile {
  std::shared_ptr<const Plugin> plugin;
  std::optional<Refusal> refusal;
  std::optional<FileState> state;  // of the file when it was opened; nothing for a built-in plugin
  PluginNote note;
  bool code_ran = false;  // its code ran, so it stays mapped until the process ends
};

// The plugin files that one host has opened, kept for later graphs, because an entry is called only once per host.
// Thread-safe.
class OpenedFiles {
 public:
  // Decides whether a file may be opened: returns the reason against it, or nothing.
  using Admit = std::function<std::optional<Refusal>(const std::string& path, const PluginNote& note)>;

  // host: passed to each entry; must outlive this object and all registries made from it. Without `admit`, only the
  // file itself is checked (JudgeLibrary).
  explicit OpenedFiles(const opsrun_host* host, Admit admit = {}) : host_(host), admit_(std::move(admit)) {}
  OpenedFiles(const OpenedFiles&) = delete;
  ~OpenedFiles();  // releases the plugins in reverse order of opening

  // The file that `note` was read from, opened now or earlier. A refused file is tried again if it has changed since.
  // The result lives as long as this object.
  const OpenedFile& Open(const std::string& path, const PluginNote& note);

  // Why Open would refuse the file, as far as is known without opening it; or nothing.
  std::optional<Refusal> WhyNot(const std::string& path, const PluginNote& note) const;

  bool IsOpen(const std::string& path) const;

  // Reports that an open file has since been replaced, rewritten or removed. The opened version stays in use; a process
  // cannot load the new one instead. Nothing if the content is the same, or if the file is not open.
  std::optional<Refusal> Change(const std::string& path) const;

  // Adds ops and kernels that are part of this program; the plugin's path is not that of a file.
  void Add(std::shared_ptr<const Plugin> plugin);

 private:
  static bool MayTryAgain(const OpenedFile& file, const std::string& path);
  std::optional<Refusal> OpenNow(const std::string& path, const PluginNote& note, OpenedFile& opened) const;

  const opsrun_host* const host_;
  const Admit admit_;
  mutable std::mutex mutex_;      // guards the members below; held while a file is opened
  std::deque<OpenedFile> files_;  // in order of opening
  std::map<std::string, const OpenedFile*> by_path_;
};

}  // namespace opsrun::host
