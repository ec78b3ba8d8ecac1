// host/testing/plugin_set.cc: see plugin_set.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/plugin_set.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "host/base/near_names.h"
#include "host/plugin/read_notes.h"
#include "host/plugin/registry_builder.h"
#include "host/run/host_table.h"
#include "opsrun/testing/plugin_files.h"

namespace opsrun::host {
namespace {

constexpr char kNoFiles[] =
    "no plugin file is named\n  help: build the test with opsrun_add_plugin_test(), or name the file in the "
    "environment: OPSRUN_TEST_PLUGINS=my_op.so";

CatalogEntry& AddEntry(Catalog& catalog, const std::string& path) {
  CatalogEntry& entry = catalog.entries.emplace_back();
  entry.path = path;
  entry.place = catalog.places.size();
  catalog.places.push_back({path, "the test", true});
  return entry;
}

std::optional<Refusal> OpenFile(const std::string& path, Catalog& catalog, OpenedPlugin* opened) {
  FileLook look = LookAtFile(path);
  if (look.kind == FileLook::Kind::kNotOurs) look.refusal.reason = "it is no plugin: " + look.refusal.reason;
  if (look.kind != FileLook::Kind::kPlugin) return look.refusal;
  CatalogEntry& entry = AddEntry(catalog, path);
  entry.note = std::move(look.note);
  return OpenPlugin(path, entry.note, HostTable(), nullptr, opened);
}

std::string Told(const std::string& path, const Refusal& refusal) {
  std::string text = fmt::format("plugin file '{}' cannot be used: {}", path, refusal.reason);
  return refusal.remedy.empty() ? text : text + "\n  help: " + refusal.remedy;
}

}  // namespace

PluginSet OpenPluginFiles(const std::vector<std::string>& files, OpenedPlugin own) {
  PluginSet set;
  if (files.empty()) set.trouble = kNoFiles;
  RegistryBuilder builder(set.catalog);
  for (const std::string& path : files) {
    OpenedPlugin opened;
    if (const std::optional<Refusal> refusal = OpenFile(path, set.catalog, &opened)) {
      set.trouble = Told(path, *refusal);
      break;
    }
    builder.Add(set.catalog.entries.size() - 1, std::move(opened));
  }
  AddEntry(set.catalog, "opsrun::testing").note.name = "opsrun_testing";
  builder.Add(set.catalog.entries.size() - 1, std::move(own));
  set.loaded.registry = builder.Finish();
  return set;
}

std::string PluginSet::WhyNoOp(const std::string& op) const {
  return fmt::format("no op named '{}'\n  help: {}", op, DidYouMean(op, catalog.OpNames(), "ops"));
}

}  // namespace opsrun::host

namespace opsrun::test {

PluginFiles FindPluginFiles(const char* built_in) {
  const char* const named = std::getenv("OPSRUN_TEST_PLUGINS");
  std::string rest = named != nullptr ? named : built_in;
  PluginFiles files;
  while (!rest.empty()) {
    const size_t end = rest.find(':');
    if (end != 0) files.push_back(rest.substr(0, end));
    rest.erase(0, end == std::string::npos ? end : end + 1);
  }
  return files;
}

}  // namespace opsrun::test
