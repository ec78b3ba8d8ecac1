// host/plugin/load.h: opens a plugin file, completely or not at all, and only the files that a set of op names needs.
//
// For each file: opens it (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE), finds the entry and checks that it belongs to this
// file, calls it, copies the table with reads that cannot fault, checks every pointer and count, and parses every spec;
// then commits all of it, or nothing.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/base/file.h"
#include "host/examine/catalog.h"
#include "host/examine/plugin_note.h"
#include "host/plugin/plugin.h"
#include "host/spec/parse_op.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Opens the file that `note` was read from, which JudgeLibrary has accepted. Thread-safe; opens one file at a time.
// Changes that the plugin makes to the calling thread, such as its signal mask, are reverted and reported in the
// plugin's messages. begin: called before code of the plugin runs; may be empty. copied: called with the plugin's
// table, before its ops are parsed; may be empty.
struct PluginTable;
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<Plugin>* opened, const std::function<void(PluginPhase)>& begin = {},
                                  const std::function<void(const PluginTable&)>& copied = {});

// Completes a plugin from its table. Returns why the table is refused; the plugin is then incomplete.
std::optional<Refusal> TakeTable(PluginTable table, const PluginNote& note, const opsrun_host* host, Plugin* plugin);

// A plugin, or the reason why the file is refused.
struct OpenedFile {
  std::shared_ptr<const Plugin> plugin;
  std::optional<Refusal> refusal;
  std::optional<FileState> state;  // of the file when it was opened; nothing for a built-in plugin
  PluginNote note;
  bool code_ran = false;                         // its code ran, so it stays mapped until the process ends
  std::shared_ptr<Plugin> incomplete = nullptr;  // it is open, but the file that completes its ops is refused
};

// The plugin files that one host has opened, kept for later graphs, because an entry is called only once per host.
// Thread-safe.
class OpenedFiles {
 public:
  // Decides whether a file may be opened: returns the reason against it, or nothing.
  using Admit = std::function<std::optional<Refusal>(const std::string& path, const PluginNote& note)>;

  // host: passed to each entry; must outlive this object and all registries made from it. Without `admit`, only the
  // file itself is checked (JudgeLibrary). look: what files
  // beside plugins must be like.
  explicit OpenedFiles(const opsrun_host* host, Admit admit = {}, LookOptions look = {})
      : host_(host), admit_(std::move(admit)), look_(std::move(look)) {}
  // From now on, plugins for which `isolate` returns a child are opened there. Null: none.
  using Isolate = std::function<std::shared_ptr<Child>(const std::string& path, const PluginNote& note)>;
  void SetIsolate(Isolate isolate) { isolate_ = std::move(isolate); }
  // Calls `copied` with the table of each plugin that this process opens. Null: nothing.
  using Copied = std::function<void(const std::string& path, const PluginTable& table)>;
  void SetCopied(Copied copied) { copied_ = std::move(copied); }
  OpenedFiles(const OpenedFiles&) = delete;
  ~OpenedFiles();  // releases the plugins in reverse order of opening

  // The file that `note` was read from, opened now or earlier. A refused file is tried again if it has changed since,
  // and if only the file beside it was refused. The result lives as long as this object.
  const OpenedFile& Open(const std::string& path, const PluginNote& note);

  // The same, but its ops are completed by `ops_file` instead of a file beside it. Returns why not: it is refused, or
  // open without this file.
  std::optional<Refusal> OpenWith(const std::string& path, const PluginNote& note, const std::string& ops_file);

  // Why Open would refuse the file, as far as is known without opening it; or nothing.
  std::optional<Refusal> WhyNot(const std::string& path, const PluginNote& note) const;

  bool IsOpen(const std::string& path) const;

  // Reports that an open file has since been replaced, rewritten or removed. The opened version stays in use; a process
  // cannot load the new one instead. Nothing if the content is the same, or if the file is not open.
  std::optional<Refusal> Change(const std::string& path) const;

  // The file as it was when it was opened; nothing if it is not open, or is no file.
  std::optional<FileState> StateWhenOpened(const std::string& path) const;

  // Adds ops and kernels that are part of this program; the plugin's path is not that of a file.
  void Add(std::shared_ptr<const Plugin> plugin);

 private:
  static bool MayTryAgain(const OpenedFile& file, const std::string& path);
  std::optional<Refusal> OpenNow(const std::string& path, const PluginNote& note, OpenedFile& opened) const;

  const opsrun_host* const host_;
  const Admit admit_;
  const LookOptions look_;
  Isolate isolate_;
  Copied copied_;
  mutable std::mutex mutex_;      // guards the members below; held while a file is opened
  std::deque<OpenedFile> files_;  // in order of opening
  std::map<std::string, const OpenedFile*> by_path_;
  std::map<std::string, std::string> ops_files_;  // by path of the plugin; those of OpenWith
};

// The interface to the dynamic linker and to a plugin's entry. Exceptions of the plugin are caught here. Libraries are
// never closed. The caller must hold a lock: c_api.h requires that entries are called one at a time.

struct OpenedLibrary {
  opsrun_entry_fn entry = nullptr;  // its own, not that of a dependency
  FileSegments segments;
};

// path: absolute. needed: the libraries that the file names, for messages. Runs the library's static constructors. If
// one of them throws, the C library does not release the dynamic linker's lock: other threads of the process must not
// load libraries or look up symbols any more.
std::optional<Refusal> OpenLibrary(const std::string& path, const std::vector<std::string>& needed,
                                   OpenedLibrary* library);

// Calls the entry. *table is its result, which is not NULL but otherwise unchecked.
std::optional<Refusal> CallEntry(opsrun_entry_fn entry, const opsrun_host* host, const opsrun_plugin** table);

// Explains an error message of the dynamic linker. message: from dlerror, for the file `path`, which needs the
// libraries `needed`. Pure.
Refusal ExplainLoaderMessage(std::string_view message, std::string_view path, const std::vector<std::string>& needed);

// A plugin's table, checked and copied into structs that the host owns.

struct TableOp {
  spec::OpStrings strings;
  RegisteredOp op;  // its definition and its plugin are set later
};

struct PluginTable {
  std::string name;  // empty without a NAME note
  std::string version;
  std::vector<TableOp> ops;
  std::vector<RegisteredKernel> kernels;    // their plugin is set later
  const opsrun_plugin* identity = nullptr;  // where the table itself is
  void (*shutdown)(const opsrun_host*) = nullptr;
  const void* (*query)(opsrun_str) = nullptr;
  std::vector<std::string> dropped_ops;  // need a feature that this host lacks, or have no note
  std::vector<std::string> messages;     // why ops and kernels were dropped, one line each
};

// Fills in *copy, or returns why the table is refused; *copy is then incomplete. `table` must be the result of the
// entry of the library in `file`; it may be an invalid pointer. host_level: offered by this host, at most OPSRUN_LEVEL.
// header_level: from the plugin's notes. If it is above host_level, flags and reserved words that this host does not
// know are ignored, otherwise they are refused. Parts of structs above both levels are not read.
std::optional<Refusal> CopyTable(const opsrun_plugin* table, const FileSegments& file, uint32_t host_level,
                                 uint32_t header_level, PluginTable* copy);

// The files that a set of op names needs.

// A file that could not be opened, or was refused after it was opened.
struct LoadRefusal {
  size_t entry = 0;  // index into Catalog::entries
  Refusal refusal;
};

// An op name that does not lead to a single op.
struct OpTrouble {
  enum class Kind { kUnknown, kRefused, kConflict };
  Kind kind = Kind::kUnknown;
  std::string op;               // as requested
  std::vector<size_t> entries;  // entries that claim the op; kRefused: refused ones
  std::string why;              // names the files and, for kRefused, the reasons; empty for kUnknown
  std::string help;             // how to fix it; empty for kUnknown
  bool out_of_memory = false;   // kRefused: the only problem is a lack of memory
};

struct LoadResult {
  Registry registry;
  std::vector<LoadRefusal> refused;
  std::vector<OpTrouble> trouble;
  std::vector<std::string> messages;  // for stderr, one line each: dropped ops, ...
};

// op_names: as in graphs ("ZeroOut", "images.ZeroOut"). Opens files that are not open yet.
LoadResult LoadPlugins(const Catalog& catalog, const std::vector<std::string>& op_names, OpenedFiles& files);

// Opens every usable file, to describe all that graphs can use. Does not report trouble, since no op was requested.
LoadResult LoadAllPlugins(const Catalog& catalog, OpenedFiles& files);

// Opens one file by its path, regardless of the search directories: for `opsrun compat` and tests. Also refuses a file
// that is not an opsrun plugin. Entries in the result are 0.
LoadResult LoadFile(const std::string& path, const opsrun_host* host, const LookOptions& look = {});

// Fills in the catalog entry of a file given by its path, or returns why it is refused.
std::optional<Refusal> LookAtEntry(const std::string& path, const LookOptions& options, CatalogEntry* entry);

// For host->fail with where == NULL: records why the entry that this thread runs fails, and returns `code`. The first
// call has priority. If no entry is running, only returns `code`.
int32_t FailEntry(int32_t code, opsrun_str text);

}  // namespace opsrun::host
