// host/plugin/open_plugin.cc: the steps from a file to what it brings.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/open_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>

#include "host/base/process_state.h"
#include "host/plugin/check_tables.h"
#include "host/plugin/copy_table.h"
#include "host/plugin/open_library.h"
#include "host/spec/parse_op.h"

namespace opsrun::host {
namespace {

constexpr char kReport[] = "build it again with the opsrun SDK, or report it to the plugin's author";

// Absolute and without links: a bare name would be searched in the system's directories, and $ORIGIN means where the
// file really is.
std::string RealPath(const std::string& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return error ? std::filesystem::absolute(path, error).string() : real.string();
}

template <typename Fn>
std::optional<Refusal> RunLoading(const PluginCodeFacts& facts, Fn fn) {
  const SingleCall call(facts);
  const RunningMark mark(&call);
  return fn();
}

std::optional<Refusal> FetchTable(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  PluginTable* table) {
  static std::mutex one_at_a_time;  // of the process, as the dynamic linker and the plugins in it are
  std::lock_guard lock(one_at_a_time);
  PluginCodeFacts facts;
  facts.path = path;
  facts.name = note.name;
  if (auto refusal = CheckTables(path)) return refusal;
  OpenedLibrary library;
  const opsrun_plugin* raw = nullptr;
  const ThreadState before;
  std::optional<Refusal> refusal =
      RunLoading(facts, [&] { return OpenLibrary(RealPath(path), note.needed, &library); });
  facts.phase = PluginPhase::kEntry;
  if (!refusal) refusal = RunLoading(facts, [&] { return CallEntry(library.entry, host, &raw); });
  const std::string changed = before.Restore();
  if (refusal) return refusal;
  refusal = CopyTable(raw, library.segments, table);
  if (!changed.empty()) {
    table->messages.push_back(fmt::format("it changed {} while it was loaded; opsrun set that back", changed));
  }
  return refusal;
}

// Notes and table come from the same macros. Where they differ, one of them is not this plugin's.
std::optional<Refusal> CompareWithNotes(const PluginTable& table, const PluginNote& note) {
  if (note.more) return std::nullopt;
  if (!table.name.empty() && table.name != note.name) {
    return Refusal{fmt::format("its notes call it '{}', its table calls it '{}'", note.name, table.name), kReport};
  }
  for (const TableOp& op : table.ops) {
    if (std::binary_search(note.ops.begin(), note.ops.end(), op.strings.name)) continue;
    return Refusal{fmt::format("its table has op '{}', its notes do not name it", op.strings.name), kReport};
  }
  return std::nullopt;
}

std::optional<Refusal> ParseOps(std::vector<TableOp>&& ops, Plugin* opened) {
  std::set<std::string> names;
  for (TableOp& op : ops) {
    if (!names.insert(op.strings.name).second) {
      return Refusal{fmt::format("it registers op '{}' twice", op.strings.name), "remove one of the two, or rename it"};
    }
    RegisteredOp& parsed = opened->ops.emplace_back();
    auto errors = spec::ParseOp(op.strings, &parsed.def);
    if (!errors.empty()) {
      return Refusal{spec::SpecErrorsText(op.strings.name, errors),
                     "correct the registration of the op and build it again"};
    }
    parsed.shape = op.shape;
    parsed.shape_ctx = op.shape_ctx;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<const Plugin>* opened) {
  PluginTable table;
  if (auto refusal = FetchTable(path, note, host, &table)) return refusal;
  if (auto refusal = CompareWithNotes(table, note)) return refusal;
  auto plugin = std::make_shared<Plugin>();
  if (auto refusal = ParseOps(std::move(table.ops), plugin.get())) return refusal;
  plugin->kernels = std::move(table.kernels);
  for (RegisteredOp& op : plugin->ops) op.plugin = plugin.get();
  for (RegisteredKernel& kernel : plugin->kernels) kernel.plugin = plugin.get();
  plugin->path = path;
  plugin->name = table.name.empty() ? note.name : table.name;
  plugin->version = table.version;
  plugin->dropped_ops = std::move(table.dropped_ops);
  plugin->messages = std::move(table.messages);
  plugin->shutdown = table.shutdown;
  plugin->host = host;
  *opened = std::move(plugin);
  return std::nullopt;
}

}  // namespace opsrun::host
