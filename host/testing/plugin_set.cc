// host/testing/plugin_set.cc: see plugin_set.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/plugin_set.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "host/base/near_names.h"
#include "host/testing/cut_loops.h"
#include "opsrun/testing/plugin_files.h"

namespace opsrun::host {
namespace {

constexpr char kNoFiles[] =
    "no plugin file is named\n  help: build the test with opsrun_add_plugin_test(), or name the file in the "
    "environment: OPSRUN_TEST_PLUGINS=my_op.so";

std::string Told(const std::string& path, const Refusal& refusal) {
  std::string text = fmt::format("plugin file '{}' cannot be used: {}", path, refusal.reason);
  return refusal.remedy.empty() ? text : text + "\n  help: " + refusal.remedy;
}

}  // namespace

PluginSet OpenPluginFiles(const std::vector<std::string>& files, const PluginSetOptions& options) {
  PluginSet set;
  EngineOptions of_engine;
  of_engine.default_plugins = false;
  of_engine.threads = options.threads;
  if (options.cut_loops) of_engine.adjust_host = CutLoops;
  Diagnostics none;  // no directory is named that could be missing
  set.engine = Engine::Create(std::move(of_engine), none);
  if (files.empty()) set.trouble = kNoFiles;
  for (const std::string& path : files) {
    if (const std::optional<Refusal> refusal = set.engine->AddFile(path)) {
      set.trouble = Told(path, *refusal);
      break;
    }
  }
  if (options.own != nullptr) set.engine->AddBuiltIn(options.own);
  set.loaded = set.engine->OpenAll();
  return set;
}

std::string PluginSet::WhyNoOp(const std::string& op) const {
  return fmt::format("no op named '{}'\n  help: {}", op, DidYouMean(op, engine->catalog()->OpNames(), "ops"));
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
