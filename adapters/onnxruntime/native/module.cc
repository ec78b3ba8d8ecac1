// adapters/onnxruntime/native/module.cc: the function that ONNX Runtime calls, and those that Python calls.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "call.h"
#include "op.h"

namespace opsrun_onnx {
namespace {

// The ops of a plugin.
struct Library {
  std::string path;
  std::deque<OpSpec> ops;
  std::map<std::string, std::string> unsupported;  // by op: why
};

// A plugin's domain, for one ONNX Runtime of the process. Sessions refer to it, so it is never destroyed.
struct Domain {
  OrtCustomOpDomain* domain = nullptr;
  std::deque<CustomOp> ops;
};

std::mutex& Mutex() {  // guards libraries and domains
  static std::mutex mutex;
  return mutex;
}

const Library& LibraryOf(const opsrun_adapter::Plugin& plugin) {
  static auto* const libraries = new std::map<std::string, Library>;
  const auto& [name, path, ops] = plugin;
  const auto found = libraries->find(name);
  if (found != libraries->end()) return found->second;
  Library library;
  library.path = path;
  for (const std::string& op : ops) {
    if (op[0] == '_') continue;
    OpSpec spec(*TheEngine().FindOp(name + "." + op));
    const std::string why = spec.why_not();
    if (why.empty()) {
      library.ops.push_back(std::move(spec));
    } else {
      library.unsupported[op] = why;
    }
  }
  return (*libraries)[name] = std::move(library);
}

OrtCustomOpDomain* DomainOf(const Runtime& runtime, const opsrun_adapter::Plugin& plugin) {
  const OrtApi& api = *runtime.api;
  static auto* const domains = new std::map<std::pair<const OrtApi*, std::string>, Domain>;
  const std::string& name = std::get<0>(plugin);
  const auto found = domains->find({&api, name});
  if (found != domains->end()) return found->second.domain;
  Domain made;
  const Library& library = LibraryOf(plugin);
  for (const OpSpec& spec : library.ops) AddCustomOps(runtime, spec, &made.ops);
  Require(api, api.CreateCustomOpDomain(("opsrun." + name).c_str(), &made.domain));
  for (const CustomOp& op : made.ops) Require(api, api.CustomOpDomain_Add(made.domain, &op));
  return ((*domains)[{&api, name}] = std::move(made)).domain;
}

// The plugins that the next registration on this thread is for; empty: all that opsrun finds.
thread_local std::vector<std::string> chosen;

void Register(const Runtime& runtime, OrtSessionOptions* options) {
  const OrtApi& api = *runtime.api;
  const std::lock_guard<std::mutex> lock(Mutex());
  for (const opsrun_adapter::Plugin& plugin : TheEngine().Plugins()) {
    const bool wanted = chosen.empty() || std::count(chosen.begin(), chosen.end(), std::get<0>(plugin)) > 0;
    if (wanted) Require(api, api.AddCustomOpDomain(options, DomainOf(runtime, plugin)));
  }
}

// Opens a plugin file. The texts are those of opsrun_onnx_add_plugin, which says them without the lock: ONNX Runtime
// registers with Python's lock held, and Python takes that to listen.
std::vector<std::string> AddPlugin(const char* path, const char* ops_file) {
  const std::lock_guard<std::mutex> lock(Mutex());
  const std::string name = TheEngine().AddPlugin(path, ops_file);
  std::vector<std::string> texts;
  for (const opsrun_adapter::Plugin& plugin : TheEngine().Plugins()) {
    if (std::get<0>(plugin) != name) continue;
    const Library& library = LibraryOf(plugin);
    texts = {name, library.path};
    for (const auto& [op, why] : library.unsupported) texts.insert(texts.end(), {"", op, why});
    for (const OpSpec& op : library.ops) texts.push_back(op.name);
  }
  return texts;
}

using Say = void (*)(const char* text);

// Calls fn; says the message of an exception and returns its code.
template <typename Fn>
int32_t Answer(Say say, Fn fn) {
  try {
    fn();
    return OPSRUN_OK;
  } catch (const Failure& failure) {
    say(failure.what());
    return failure.code;
  } catch (const std::exception& problem) {
    say(problem.what());
    return OPSRUN_RESOURCE_EXHAUSTED;
  }
}

}  // namespace

const opsrun_adapter::Engine& TheEngine(const std::vector<std::string>& directories) {
  static const opsrun_adapter::Engine engine(directories, MakeTable);
  return engine;
}

}  // namespace opsrun_onnx

// ---- For ONNX Runtime, which finds it by its name.

extern "C" OPSRUN_EXPORT OrtStatus* RegisterCustomOps(OrtSessionOptions* options, const OrtApiBase* base) {
  const opsrun_onnx::Runtime runtime(base);
  if (runtime.api != nullptr) {
    return opsrun_onnx::Guarded(*runtime.api, [&] { opsrun_onnx::Register(runtime, options); });
  }
  const OrtApi* const oldest = base->GetApi(1);
  return oldest->CreateStatus(ORT_NOT_IMPLEMENTED, "opsrun.onnx needs ONNX Runtime 1.17 or later; install a newer one");
}

// ---- For Python. `say` gets the results, or the message of a failure; the functions return OPSRUN_*.

extern "C" OPSRUN_EXPORT const char* opsrun_onnx_version() {
  return OPSRUN_VERSION;
}

// Creates the engine, with these directories to search for plugins; none: opsrun's own.
extern "C" OPSRUN_EXPORT int32_t opsrun_onnx_start(const char* const* directories, uint32_t n, opsrun_onnx::Say say) {
  return opsrun_onnx::Answer(say, [&] { opsrun_onnx::TheEngine({directories, directories + n}); });
}

// Opens a plugin file. Says its name and its path, then each op that is unsupported and why, with an empty text in
// front, and each other op.
extern "C" OPSRUN_EXPORT int32_t opsrun_onnx_add_plugin(const char* path, const char* ops_file, opsrun_onnx::Say say) {
  return opsrun_onnx::Answer(say, [&] {
    for (const std::string& text : opsrun_onnx::AddPlugin(path, ops_file)) say(text.c_str());
  });
}

// Chooses the plugins of the next RegisterCustomOps on this thread; none: all that opsrun finds.
extern "C" OPSRUN_EXPORT void opsrun_onnx_choose(const char* const* plugins, uint32_t n) {
  opsrun_onnx::chosen.assign(plugins, plugins + n);
}
