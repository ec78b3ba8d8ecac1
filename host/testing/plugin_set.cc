// host/testing/plugin_set.cc: see plugin_set.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/plugin_set.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "host/base/near_names.h"
#include "opsrun/testing/plugin_files.h"

namespace opsrun::host {
namespace {

constexpr char kNoFiles[] =
    "no plugin file is named\n  help: build the test with opsrun_add_plugin_test(), or name the file in the "
    "environment: OPSRUN_TEST_PLUGINS=my_op.so";

int32_t CutFor(opsrun_call*, int64_t n, int64_t, opsrun_range_fn fn, void* ctx) {
  for (int64_t end = n, part = 1; end > 0; end -= part, part = end < 3 ? end : 3) {
    if (const int32_t code = fn(ctx, end - part, end); code != OPSRUN_OK) return code;
  }
  return OPSRUN_OK;
}

int32_t FourThreads(opsrun_call*) {
  return 4;
}

// Makes parallel_for run on the calling thread, in odd parts of 1 to 3 indices, the last part first, and num_threads
// answer 4.
void CutLoops(opsrun_host& host) {
  host.parallel_for = CutFor;
  host.num_threads = FourThreads;
}

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
  of_engine.device = options.device;
  if (options.cut_loops) of_engine.host.adjust = CutLoops;
  Diagnostics none;  // no directory is named that could be missing
  set.engine = Engine::Create(std::move(of_engine), none);
  if (files.empty()) set.trouble = kNoFiles;
  for (const std::string& path : files) {
    if (const std::optional<Refusal> refusal = set.engine->AddFile(path)) {
      set.trouble = Told(path, *refusal);
      break;
    }
  }
  if (options.seen != nullptr) {
    const Result<Device*> device = set.engine->devices().Find(options.device);
    set.engine->AddBuiltIn(BuiltInOps(options.seen, device.ok() && *device != nullptr && (*device)->is_double()));
  }
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
