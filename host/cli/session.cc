// host/cli/session.cc:
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/base/display_text.h"
#include "host/cli/measure/measure.h"
#include "host/device/cuda_device.h"
#include "host/engine/loaded_graph.h"
#include "host/gradient/gradient_text.h"
#include "host/tensor/mapped_files.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

EngineOptions OptionsOf(const CommonOptions& common) {
  EngineOptions options;
  options.plugins = common.plugins;
  options.default_plugins = !common.no_default_plugins;
  options.probe = !common.no_probe;
  options.allow_writable = common.look.allow_writable;
  options.keys = common.look.keys;
  options.host.level = common.look.level;
  options.owns_process = true;
  options.thread_begin = PrepareThread;
  return options;
}

bool IsFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

// Reads the file of each argument that names a declared feed; the engine reports other names. F302: the file cannot be
// read.
std::map<std::string, Tensor> ReadFeedFiles(const std::vector<FeedArgument>& arguments, const Graph& graph,
                                            Diagnostics& diagnostics, MappedFiles* mapped) {
  std::map<std::string, Tensor> arrays;
  for (const FeedArgument& argument : arguments) {
    const auto& [name, path, key] = argument;
    const auto feed = std::find_if(graph.feeds.begin(), graph.feeds.end(), [&](const Feed& each) {
      return each.name.value == argument.name && each.source == Feed::Source::kDeclared;
    });
    if (feed == graph.feeds.end()) continue;
    const std::optional<DType> as = feed->dtype ? std::optional<DType>(feed->dtype->value) : std::nullopt;
    Result<Tensor> tensor = key.empty() ? ReadNpy(path, as, mapped) : ReadNpz(path, key, as, mapped);
    if (tensor.ok()) {
      arrays.emplace(name, *std::move(tensor));
      continue;
    }
    Diagnostic& d = diagnostics.Error("F302", fmt::format("--feed {}: {}", name, tensor.status().message()));
    if (tensor.status().subject() != "key") d.help = {"use a file written by numpy.save or numpy.savez"};
  }
  return arrays;
}

// Adds to each F304 (a declared feed without an array) how to provide one on the command line.
void ExplainMissingFeeds(const Graph& graph, Diagnostics& diagnostics) {
  for (Diagnostic& d : diagnostics.all()) {
    if (d.code != "F304") continue;
    for (const Feed& feed : graph.feeds) {
      if (feed.name.span.begin != d.where.begin) continue;
      d.help = {fmt::format("pass an array: --feed {}=FILE.npy", feed.name.value)};
    }
  }
}

}  // namespace

std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options,
                                   int callers, std::shared_ptr<MappedFiles> mapped) {
  EngineOptions of_engine = OptionsOf(common);
  of_engine.threads = static_cast<int>(options.threads);
  of_engine.callers = callers;
  of_engine.memory_limit = options.memory_limit;
  of_engine.gpu_memory_limit = options.gpu_memory_limit;
  if (!options.device.empty()) of_engine.device = options.device;
  of_engine.strict_placement = options.strict_placement;
  of_engine.run = options.run;
  of_engine.isolate = options.isolate;
  of_engine.isolation.node_timeout = std::chrono::milliseconds(options.node_timeout_ms);
  of_engine.isolation.memory = options.child_memory;
  of_engine.isolation.sandbox = options.sandbox;
  of_engine.mapped_files = std::move(mapped);
  of_engine.host.log_threshold = std::max(common.log_level, common.quiet ? OPSRUN_LOG_ERROR : OPSRUN_LOG_INFO);
  of_engine.note = [&console](std::string_view text) { console.Note(text); };
  Diagnostics diagnostics;
  std::shared_ptr<Engine> engine = Engine::Create(std::move(of_engine), diagnostics);
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Diagnostic::Severity::kError) console.Report(d);  // GraphSession looks at --isolate
  }
  return engine;
}

LoadOptions LoadOptionsOf(const GraphOptions& options) {
  return {.strict = options.strict, .lock = options.frozen ? LockUse::kFrozen : LockUse::kIfThere};
}

std::string RefusedText(const Catalog& catalog) {
  const auto refused = std::count_if(catalog.entries.begin(), catalog.entries.end(),
                                     [](const CatalogEntry& entry) { return entry.refusal.has_value(); });
  if (refused == 0) return {};
  return fmt::format("{} refused; see: opsrun plugins",
                     refused == 1 ? "1 plugin is" : fmt::format("{} plugins are", refused));
}

std::string DirectoryOf(const std::string& file) {
  const std::string directory = std::filesystem::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

std::optional<JudgedPlugin> JudgeFile(const std::string& file, const CommonOptions& common, const Prober& prober,
                                      const LibrarySearch& search, const GpuCards& cards, Console& console) {
  if (!CanRead(file, console)) return std::nullopt;
  const FileLook look = LookAtFile(file, common.look);
  if (look.kind == FileLook::Kind::kNotOurs || look.kind == FileLook::Kind::kNotLibrary) {
    console.Report(MakeError("P103", fmt::format("'{}' is not an opsrun plugin: {}", file, look.refusal.reason),
                             look.refusal.remedy));
    return std::nullopt;
  }
  return JudgedPlugin{file, look.note, prober.Judge(file, look, search, cards), ""};
}

PluginOfFile OpenPluginOfFile(const std::string& file, const CommonOptions& common, const GraphOptions& how) {
  EngineOptions options = OptionsOf(common);
  options.isolate = how.isolate;
  options.isolation.sandbox = how.sandbox;
  options.plugins.insert(options.plugins.begin(), DirectoryOf(file));
  options.threads = 1;
  options.host.log_threshold = OPSRUN_LOG_ERROR;  // log messages of ops do not belong in the result
  Diagnostics ignored;
  PluginOfFile opened;
  opened.engine = Engine::Create(std::move(options), ignored);
  if (opened.engine == nullptr) return opened;
  const std::shared_ptr<const Catalog> catalog = opened.engine->catalog();
  const auto entry = std::find_if(catalog->entries.begin(), catalog->entries.end(),
                                  [&](const CatalogEntry& each) { return IsFile(each.path, file); });
  if (entry == catalog->entries.end()) return opened;
  if (entry->refusal) opened.reason = entry->refusal->reason;
  const auto index = static_cast<size_t>(entry - catalog->entries.begin());
  for (const auto& [what, name, entries] : catalog->conflicts) {
    if (std::ranges::find(entries, index) == entries.end()) continue;
    opened.reason =
        fmt::format("{} is in {} as well", what, catalog->entries[entries[entries[0] == index ? 1 : 0]].path);
  }
  std::vector<std::string> ops;
  for (const std::string& op : entry->note.ops) ops.push_back(fmt::format("{}.{}", entry->note.name, op));
  opened.loaded = opened.engine->Open(*catalog, ops);
  for (const std::shared_ptr<const Plugin>& plugin : opened.loaded.registry.plugins()) {
    if (IsFile(plugin->path, file)) opened.plugin = plugin.get();
  }
  for (const LoadRefusal& refused : opened.loaded.refused) {
    if (catalog->entries[refused.entry].path != entry->path) continue;
    opened.reason = refused.refusal.reason;
    opened.errors = refused.refusal.errors;
  }
  return opened;
}

int ReportNotOpened(const std::string& file, const PluginOfFile& opened, Console& console) {
  if (opened.errors != nullptr) return console.Report(opened.errors->errors, &opened.errors->source);
  const std::string reason = opened.reason.empty() ? "" : ": " + opened.reason;
  return console.Report(MakeError("P103", fmt::format("'{}' cannot be opened as a plugin{}", file, reason),
                                  fmt::format("for details, run: opsrun inspect {}", file)));
}

std::optional<std::string> AddPluginFile(Engine& engine, const std::string& file, Console& console) {
  std::string name;
  if (!CanRead(file, console)) return std::nullopt;
  const std::optional<Refusal> refusal = engine.AddFile(file, &name);
  if (!refusal) return name;
  PluginOfFile opened;
  opened.reason = refusal->reason;
  opened.errors = refusal->errors;
  ReportNotOpened(file, opened, console);
  return std::nullopt;
}

int ReportNoOp(const Plugin& plugin, const std::string& name, Console& console) {
  Diagnostic d = MakeError("G201", fmt::format("plugin '{}' has no op '{}'", plugin.name, name));
  std::vector<std::string> names;
  for (const RegisteredOp& op : plugin.ops) names.push_back(op.def.name);
  SuggestName(d, name, names, "ops");
  return console.Report(d);
}

GpuCards GpuCardsHere() {
  return [known = std::optional<std::vector<Capability>>()]() mutable {
    if (known) return *known;
    known.emplace();
    for (const CudaCard& card : LookAtCudaCards().cards)
      known->push_back(static_cast<Capability>(card.major * 10 + card.minor));
    return *known;
  };
}

int ReportGradient(Engine& engine, const RegisteredOp& op, Console& console) {
  if (op.gradient.empty()) return kExitOk;
  Diagnostics found;
  CheckDeclaredGradient(engine, op, found);
  for (Diagnostic& d : found.all()) {
    d.notes.push_back(fmt::format("op '{}' still runs, but graphs with it cannot be differentiated", op.def.name));
  }
  return console.Report(found, GradientSource(op).get());
}

std::map<std::string, Tensor> ReadFeeds(const std::vector<FeedArgument>& arguments, const Graph& graph, bool all,
                                        Diagnostics& diagnostics, MappedFiles* mapped) {
  std::map<std::string, Tensor> arrays = ReadFeedFiles(arguments, graph, diagnostics, mapped);
  std::vector<std::string> given;
  for (const FeedArgument& feed : arguments) given.push_back(feed.name);
  CheckFeeds(graph, given, all, diagnostics);
  ExplainMissingFeeds(graph, diagnostics);
  std::vector<GraphFile> written;
  if (!arguments.empty()) written = FilesWritten(graph);
  for (const FeedArgument& feed : arguments) {
    std::optional<Diagnostic> refused = RefuseFileInUse("--feed " + feed.name, feed.path, written);
    if (refused) diagnostics.all().push_back(*std::move(refused));
  }
  return arrays;
}

std::map<std::string, FeedType> FeedTypes(const std::map<std::string, Tensor>& arrays) {
  std::map<std::string, FeedType> types;
  for (const auto& [name, tensor] : arrays) types[name] = {tensor.dtype(), tensor.shape()};
  return types;
}

GraphSession::GraphSession(const GraphOptions& options, const CommonOptions& common, int callers, Console& console)
    : options_(options), common_(common), callers_(callers), console_(console), watcher_(options.timeout_ms) {
  if (options.timeout_ms > 0 && !watcher_.watches())
    Note("--timeout is ignored: no thread could be started that keeps the time");
}

bool GraphSession::MakePlan(Resolution* resolution, bool runs) {
  int64_t begin = NowNs();
  engine_ = OpenEngine(common_, console_, options_, callers_, mapped_files_);
  plugins_ms_ = MillisecondsSince(begin);
  if (engine_ == nullptr) return false;
  LoadOptions load = LoadOptionsOf(options_);
  load.only_runs = resolution == nullptr;
  if (!options_.plugin_file.empty() && !AddPluginFile(*engine_, options_.plugin_file, console_)) return false;
  graph_ = options_.text.empty()
               ? engine_->LoadFile(options_.graph, load)
               : engine_->LoadText(std::make_shared<const SourceFile>(SourceFile{options_.graph, options_.text}), load);
  if (graph_->graph() == nullptr || !CheckIsolation()) return false;
  begin = NowNs();
  const bool all = resolution == nullptr || runs;
  feeds_ = ReadFeeds(options_.feeds, *graph_->graph(), all, diagnostics(), mapped_files_.get());
  feeds_ms_ = MillisecondsSince(begin);
  PlanOptions options;
  options.resolution = resolution;
  options.feeds = FeedTypes(feeds_);
  planned_ = graph_->Plan(options);
  RestoreProcess();
  if (planned_ != nullptr && resolution != nullptr) TellWarnings();
  return planned_ != nullptr;
}

// Who mistypes a name, or forgets --isolate, must not believe that a plugin is isolated. False after an error; the
// graph's own errors do not count, since a plan finds more of them.
bool GraphSession::CheckIsolation() {
  const bool limits = options_.sandbox || options_.node_timeout_ms > 0 || options_.child_memory > 0;
  if (options_.isolate.empty() && !limits) return true;
  const size_t found = diagnostics().all().size();
  std::vector<std::string> names = engine_->catalog()->PluginNames();
  for (const Node& node : graph_->graph()->AllNodes()) names.push_back(node.name.value);
  for (const std::string& name : options_.isolate) {
    if (name == kIsolateAll || name == kIsolateNone || std::ranges::find(names, name) != names.end()) continue;
    Diagnostic& error = diagnostics().Error(
        "P108", fmt::format("--isolate names '{}', which is neither a plugin nor a node of this graph", name));
    SuggestName(error, name, names, "plugins and nodes");
  }
  const auto is_isolated = [](const auto& plugin) { return plugin->child != nullptr; };
  const bool wants_none = std::ranges::find(options_.isolate, kIsolateNone) != options_.isolate.end();
  if (limits && !wants_none && !diagnostics().has_errors() && std::ranges::none_of(registry().plugins(), is_isolated)) {
    diagnostics()
        .Error("U003",
               "no plugin of this graph is isolated, so --sandbox, --node-timeout and --child-memory do nothing")
        .help = {"add --isolate NAME, or --isolate all"};
  }
  return diagnostics().all().size() == found;
}

bool GraphSession::MakeLanes() {
  lanes_ = planned_->MakeLanes(static_cast<size_t>(callers_), planned_->Context(&stop_), diagnostics());
  if (lanes_ == nullptr || !SetFeeds()) return false;
  TellWarnings();
  return true;
}

bool GraphSession::MakeLanes(uint32_t callers) {
  lanes_ = nullptr;
  LaneContext context = planned_->Context(&stop_);
  helpers_ =
      std::make_unique<ThreadPool>(std::max(1, engine_->threads() - static_cast<int>(callers) + 1), PrepareThread);
  context.pool = helpers_.get();
  lanes_ = planned_->MakeLanes(callers, context, diagnostics());
  return lanes_ != nullptr && SetFeeds();
}

bool GraphSession::SetFeeds() {
  for (const std::unique_ptr<Lane>& lane : lanes_->lanes()) {
    for (const auto& [name, tensor] : feeds_) {
      const Status status = lane->SetFeed(name, tensor);
      if (!status.ok()) diagnostics().Error("F305", status.message());
    }
  }
  return !diagnostics().has_errors();
}

bool GraphSession::CheckFiles() {
  const Status status = mapped_files_->Check();
  if (!status.ok()) diagnostics().Error("F201", status.message()).help = {kHelpReplaceFile};
  return status.ok();
}

void GraphSession::RestoreProcess() {
  const std::string changed = process_.Restore();
  if (!changed.empty()) Note(fmt::format("a plugin changed {}; opsrun set it back", changed));
}

void GraphSession::TellWarnings() {
  if (!diagnostics().all().empty()) console_.Report(diagnostics(), graph_->source());
  diagnostics().all().clear();
}

int GraphSession::Report() {
  if (graph_ == nullptr) return kExitPlugins;
  return console_.Report(diagnostics(), graph_->source());
}

std::string GraphSession::StartTimes() const {
  const LoadTimes& times = graph_->times();
  const auto text = [](double ms) { return DurationText(ms * 1e6); };
  return fmt::format("plugins {}, check {}, load {}", text(plugins_ms_), text(times.read + feeds_ms_ + times.plan),
                     text(times.open));
}

}  // namespace opsrun::host
