// SPDX-License-Identifier: Apache-2.0
#include "host/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "host/base/display_text.h"
#include "host/base/plugin_code.h"
#include "host/device/cuda_device.h"
#include "host/engine/callable_plan.h"
#include "host/examine/signature.h"
#include "host/run/held_tensors.h"

namespace opsrun::host {
namespace {

constexpr char kGpuName[] = "gpu";
constexpr char kAuto[] = "auto";
constexpr char kAdded[] = "added";  // the origin of a file that was added by AddFile

std::shared_ptr<Devices> OpenDevices(const EngineOptions& options, const std::weak_ptr<MemoryKeeper>& keeper) {
  const size_t limit = options.memory_limit;
  const size_t on_gpu = options.gpu_memory_limit > 0 ? options.gpu_memory_limit : limit;
  std::unique_ptr<Device> cpu = options.run.check_memory ? OpenGuardedCpuDevice() : OpenCpuDevice();
  if (limit > 0 && !options.run.check_memory) cpu = LimitMemory(std::move(cpu), limit);
  if (!options.run.check_memory) cpu = KeepBlocks(std::move(cpu), limit > 0, keeper);
  Device* const counts = cpu.get();
  auto devices = std::make_shared<Devices>(std::move(cpu));
  devices->AddKind(kGpuName,
                   [keeper, on_gpu, counts](int number) { return OpenCudaDevice(number, on_gpu, keeper, counts); });
  return devices;
}

HostOptions HostOptionsOf(const EngineOptions& options) {
  HostOptions host = options.host;
  host.lists_held = options.run.check_memory;
  return host;
}

// True if messages about an op name the file.
bool IsInTrouble(const LoadResult& loaded, size_t entry) {
  return std::any_of(loaded.trouble.begin(), loaded.trouble.end(), [&](const OpTrouble& trouble) {
    return std::find(trouble.entries.begin(), trouble.entries.end(), entry) != trouble.entries.end();
  });
}

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return a == b || std::filesystem::equivalent(a, b, error);
}

}  // namespace

Engine::Engine(EngineOptions options)
    : options_(std::move(options)),
      threads_(options_.threads > 0 ? options_.threads : AvailableCpus()),
      idle_lanes_(std::make_shared<IdleLanes>()),
      devices_(OpenDevices(options_, idle_lanes_)),
      host_(MakeHostTable({devices_, &devices_->cpu()}, HostOptionsOf(options_))),
      prober_(DefaultProbeOptions(options_.probe, {host_->level, options_.allow_writable, options_.keys})),
      files_(host_.get(), [this](const std::string& path, const PluginNote& note) { return prober_.Admit(path, note); },
             {host_->level, options_.allow_writable, options_.keys}) {
  files_.SetIsolate([this](const std::string& path, const PluginNote& note) { return ChildFor(path, note); });
  files_.SetCopied(options_.copied);
}

std::shared_ptr<Engine> Engine::Create(EngineOptions options, Diagnostics& diagnostics) {
  if (options.keys.empty()) {
    Result<std::vector<PublicKey>> keys = FindTrustedKeys({});
    if (!keys.ok()) diagnostics.Error("P110", keys.status().message()).help = {kHelpTrustedKeys};
    if (!keys.ok()) return nullptr;
    options.keys = *std::move(keys);
  }
  auto catalog = std::make_shared<Catalog>(ReadCatalog(SearchedDirectories(options.plugins, options.default_plugins),
                                                       {options.host.level, options.allow_writable, options.keys}));
  std::shared_ptr<Engine> engine(new Engine(std::move(options)));
  for (const std::string& message : catalog->messages) engine->Note(message);
  if (const std::optional<Refusal> refused = engine->prober_.RefusedVerdicts())
    engine->Note(fmt::format("{} is not used: {}; {}", VerdictFolder(), refused->reason, refused->remedy));
  for (const Status& missing : catalog->missing_places) {
    diagnostics.Error("P101", missing.message()).help = {"use a directory that contains plugins (*.so), or remove it"};
  }
  if (!catalog->missing_places.empty()) return nullptr;
  for (const std::string& name : engine->options_.isolate) {
    if (name == kIsolateAll || name == kIsolateNone || !catalog->EntriesNamed(name).empty()) continue;
    diagnostics.Warning("P108", fmt::format("no plugin to isolate is called '{}'", name)).help = {
        "correct the name, unless it is that of a node, or of a plugin that is added later"};
  }
  engine->catalog_ = std::move(catalog);
  return engine;
}

std::shared_ptr<const Catalog> Engine::catalog() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return catalog_;
}

void Engine::Note(const std::string& line) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!options_.note || line.empty() || !noted_.insert(line).second) return;
  }
  options_.note(line);
}

LoadResult Engine::KeepingProcessState(const std::function<LoadResult()>& load) {
  if (!options_.owns_process) return load();
  const ProcessState before;
  LoadResult loaded = load();
  const std::string changed = before.Restore();
  if (!changed.empty()) Note(fmt::format("a plugin changed {} while it was loaded; opsrun set that back", changed));
  return loaded;
}

LoadResult Engine::NoteMessages(LoadResult loaded, const Catalog& catalog) {
  for (const std::string& message : loaded.messages) Note(message);
  for (const LoadRefusal& refused : loaded.refused) {
    if (IsInTrouble(loaded, refused.entry)) continue;
    Note(fmt::format("{} is not used: {}; {}", catalog.entries[refused.entry].path, refused.refusal.reason,
                     refused.refusal.remedy));
  }
  return loaded;
}

LoadResult Engine::Open(const Catalog& catalog, const std::vector<std::string>& op_names) {
  return NoteMessages(KeepingProcessState([&] { return LoadPlugins(catalog, op_names, files_); }), catalog);
}

LoadResult Engine::OpenAll() {
  const std::shared_ptr<const Catalog> now = catalog();
  return NoteMessages(KeepingProcessState([&] { return LoadAllPlugins(*now, files_); }), *now);
}

// Adds a separate place after all others, so that the plugin hides no other.
void Engine::Append(CatalogEntry entry) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto longer = std::make_shared<Catalog>(*catalog_);
  for (CatalogEntry& other : longer->entries) {
    if (other.usable() && other.note.name == entry.note.name) other.hidden_by = entry.path;
  }
  entry.place = longer->places.size();
  longer->places.push_back({entry.path, kAdded, true});
  longer->entries.push_back(std::move(entry));
  catalog_ = std::move(longer);
}

Engine::AfterPlugins::~AfterPlugins() {
  const HeldTensors* const held = HeldOf(engine.host());
  if (held == nullptr || !engine.options_.note) return;
  for (const std::string& line : held->NeverReleased()) engine.options_.note(line);
}

std::optional<Refusal> Engine::AddFile(const std::string& path, std::string* name) {
  const std::lock_guard<std::mutex> lock(adding_);
  const auto is_open = [&](const CatalogEntry& each) {  // perhaps after Reload, by another spelling
    return each.path != path && files_.IsOpen(each.path) && IsSameFile(each.path, path);
  };
  if (std::ranges::none_of(catalog()->entries, is_open)) {
    if (std::optional<Refusal> change = files_.Change(path)) return change;
  }
  CatalogEntry entry;
  if (std::optional<Refusal> refusal =
          LookAtEntry(path, {host_->level, options_.allow_writable, options_.keys}, &entry))
    return refusal;
  *name = entry.note.name;
  const std::shared_ptr<const Catalog> now = catalog();
  for (const CatalogEntry& other : now->entries) {
    if (!other.usable()) continue;
    if (IsSameFile(other.path, path)) {
      if (files_.IsOpen(other.path)) {
        *name = other.note.name;
        return files_.Change(other.path);
      }
      if (other.note.content_hash == entry.note.content_hash) return std::nullopt;
    }
    if (other.note.name != entry.note.name) continue;
    // A plugin found by a search is hidden by an added one, unless it is already open.
    if (now->places[other.place].origin != kAdded && !files_.IsOpen(other.path)) continue;
    return Refusal{fmt::format("{} is a plugin of the same name, '{}'", other.path, other.note.name),
                   "rename one of them with OPSRUN_PLUGIN(\"name\", \"version\"), or rename its file"};
  }
  const OpenedFile& opened = files_.Open(path, entry.note);
  if (opened.refusal) return opened.refusal;
  for (const std::string& message : opened.plugin->messages) Note(fmt::format("{}: {}", path, message));
  Append(std::move(entry));
  return std::nullopt;
}

std::optional<Refusal> Engine::Attach(const std::string& path, const std::string& ops_file) {
  const std::lock_guard<std::mutex> lock(adding_);
  CatalogEntry entry;
  if (std::optional<Refusal> refusal =
          LookAtEntry(path, {host_->level, options_.allow_writable, options_.keys}, &entry))
    return refusal;
  const std::shared_ptr<const Catalog> now = catalog();
  for (const CatalogEntry& other : now->entries) {
    if (other.usable() && IsSameFile(other.path, path)) entry.path = other.path;
  }
  return files_.OpenWith(entry.path, entry.note, ops_file);
}

void Engine::AddBuiltIn(std::shared_ptr<const Plugin> plugin) {
  CatalogEntry entry;
  entry.path = plugin->path;
  entry.note.name = plugin->name;
  for (const RegisteredOp& op : plugin->ops) entry.note.ops.push_back(op.def.name);
  std::sort(entry.note.ops.begin(), entry.note.ops.end());
  files_.Add(std::move(plugin));
  Append(std::move(entry));
}

std::string Engine::DeviceFor(const Graph& graph, const std::map<std::string, FeedType>& feeds,
                              const std::string& wanted) {
  if (!wanted.empty() && wanted != kDeviceOfFeeds) return wanted;
  for (const Feed& feed : graph.feeds) {
    const auto known = feeds.find(feed.name.value);
    const bool is_on_device = known != feeds.end() && known->second.device != nullptr;
    if (wanted == kDeviceOfFeeds && is_on_device) return known->second.device->name();
  }
  if (options_.device != kAuto) return options_.device;
  const Result<Device*> gpu = devices_->Find(kGpuName);
  if (gpu.ok()) return kGpuName;
  Note(fmt::format("nodes run on the CPU: {}", gpu.status().message()));
  return kCpuName;
}

ThreadPool& Engine::pool() {
  // Threads that call runs count too, so `threads` is the total that the program uses.
  const int wanted = std::max(1, threads_ - options_.callers + 1);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (pool_ == nullptr) pool_ = std::make_unique<ThreadPool>(wanted, options_.thread_begin);
  }
  if (pool_->threads() < wanted) {
    Note(fmt::format("only {} of {} threads could be started; runs use those", pool_->threads(), wanted));
  }
  return *pool_;
}

void Engine::TrimMemory() {
  (void)(idle_lanes_->GiveUpMemory() && idle_lanes_->GiveUpMemory());  // idle lanes, then those that are not done
  devices_->Trim();
}

void Engine::ExplainLimit(Diagnostic& d) const {
  const auto explain = [&](size_t limit, std::string_view where) {
    if (limit == 0) return;
    d.help.push_back(fmt::format("the memory limit allows {}{} for all runs together", Several(limit, "byte"), where));
  };
  explain(options_.memory_limit, "");
  explain(options_.gpu_memory_limit, " on each GPU");
}

}  // namespace opsrun::host
