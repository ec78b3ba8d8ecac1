// host/embed/engine.cc: engines, their plugins and ops.
// SPDX-License-Identifier: Apache-2.0
#include "host/embed/objects.h"
#include "host/examine/compatibility.h"
#include "host/plan/explain/explain.h"
#include "host/show/op_text.h"

using namespace opsrun::host;

// All members point into the catalog, which this keeps alive.
struct opsrun_listing {
  std::shared_ptr<const Catalog> catalog;
  std::vector<opsrun_plugin_info> plugins;
  std::deque<std::vector<opsrun_str>> ops;
};

namespace {

// Points into the registry, which this keeps alive together with its engine.
struct OpInfo : opsrun_op_info {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;
  std::vector<opsrun_op_arg> in, out;
  std::vector<opsrun_op_attr> attr_list;
  std::deque<std::string> texts;
};

EngineOptions OptionsOf(const opsrun_engine_options& given) {
  constexpr uint32_t kFlags = OPSRUN_ENGINE_NO_DEFAULT_PLUGINS | OPSRUN_ENGINE_NO_PROBE |
                              OPSRUN_ENGINE_STRICT_PLACEMENT | OPSRUN_ENGINE_NO_CUDA_GRAPHS |
                              OPSRUN_ENGINE_ALLOW_WRITABLE | OPSRUN_ENGINE_SANDBOX;
  RequireFlags("opsrun_engine_options.flags", given.flags, kFlags);
  EngineOptions options;
  for (const opsrun_str& place : ListOf(given.plugins, given.n_plugins)) options.plugins.push_back(TextOf(place));
  options.default_plugins = (given.flags & OPSRUN_ENGINE_NO_DEFAULT_PLUGINS) == 0;
  options.probe = (given.flags & OPSRUN_ENGINE_NO_PROBE) == 0;
  options.allow_writable = (given.flags & OPSRUN_ENGINE_ALLOW_WRITABLE) != 0;
  options.threads = static_cast<int>(given.threads);
  options.callers = given.callers == 0 ? 1 : static_cast<int>(given.callers);
  options.memory_limit = given.memory_limit;
  options.gpu_memory_limit = given.gpu_memory_limit;
  if (given.device.size > 0) options.device = TextOf(given.device);
  options.strict_placement = (given.flags & OPSRUN_ENGINE_STRICT_PLACEMENT) != 0;
  options.run.no_cuda_graphs = (given.flags & OPSRUN_ENGINE_NO_CUDA_GRAPHS) != 0;
  for (const opsrun_str& name : ListOf(given.isolate, given.n_isolate)) options.isolate.push_back(TextOf(name));
  options.isolation.node_timeout = std::chrono::milliseconds(given.node_timeout_ms);
  options.isolation.memory = given.child_memory;
  options.isolation.sandbox = (given.flags & OPSRUN_ENGINE_SANDBOX) != 0;
  if (given.repro_dir.size > 0) {
    const std::string folder = TextOf(given.repro_dir);
    Result<std::shared_ptr<ReproFolder>> repro = ReproFolder::Create(folder, "opsrun run " + folder);
    if (!repro.ok()) RefuseArgument(OPSRUN_INVALID_ARGUMENT, "repro_dir: " + repro.status().message(), kNewFolderHelp);
    options.run.repro = *std::move(repro);
  }
  if (given.log == nullptr) return options;
  options.host.log = [log = given.log, ctx = given.log_ctx](const LogLine& line) {
    const opsrun_log_line made{.size = sizeof(made),
                               .severity = line.severity,
                               .source_line = line.source_line,
                               .reserved = 0,
                               .text = StrOf(line.text),
                               .plugin = StrOf(line.plugin),
                               .node = StrOf(line.node),
                               .graph = StrOf(line.graph),
                               .place = PlaceOf(line.place),
                               .source = StrOf(line.source)};
    log(ctx, &made);
  };
  options.note = [log = options.host.log](std::string_view text) { log({.text = text}); };
  return options;
}

opsrun_plugin_info InfoOf(const CatalogEntry& entry, opsrun_listing& listing) {
  std::vector<opsrun_str>& ops = listing.ops.emplace_back();
  for (const std::string& op : entry.note.ops) ops.push_back(StrOf(op));
  return {.size = sizeof(opsrun_plugin_info),
          .state = entry.refusal    ? OPSRUN_PLUGIN_REFUSED
                   : entry.usable() ? OPSRUN_PLUGIN_OK
                                    : OPSRUN_PLUGIN_HIDDEN,
          .name = StrOf(entry.note.name),
          .version = StrOf(entry.note.version),
          .path = StrOf(entry.path),
          .reason = StrOf(entry.refusal ? entry.refusal->reason : entry.hidden_by),
          .remedy = entry.refusal ? StrOf(entry.refusal->remedy) : opsrun_str{},
          .ops = ops.data(),
          .n_ops = CountOf(ops),
          .reserved = 0};
}

std::vector<opsrun_op_arg> ArgsOf(const std::vector<spec::ArgDef>& args) {
  std::vector<opsrun_op_arg> list;
  for (const spec::ArgDef& arg : args) {
    list.push_back({StrOf(arg.name), StrOf(arg.doc), DTypeNumber(arg.dtype), arg.is_list() ? 1u : 0u,
                    StrOf(arg.type_attr), StrOf(arg.number_attr), StrOf(arg.type_list_attr)});
  }
  return list;
}

opsrun_op_attr AttrOf(const spec::AttrDef& attr, OpInfo& info) {
  const auto text = [&](std::string of) { return StrOf(info.texts.emplace_back(std::move(of))); };
  return {.name = StrOf(attr.name),
          .doc = StrOf(attr.doc),
          .type = text(spec::AttrTypeName(attr.type)),
          .default_value = attr.default_value ? text(spec::AttrValueText(*attr.default_value)) : opsrun_str{},
          .has_default = attr.default_value ? 1u : 0u,
          .has_minimum = attr.minimum ? 1u : 0u,
          .minimum = attr.minimum.value_or(0)};
}

void Describe(const RegisteredOp& op, OpInfo& info) {
  const spec::OpDef& def = op.def;
  info.in = ArgsOf(def.inputs);
  info.out = ArgsOf(def.outputs);
  for (const spec::AttrDef& attr : def.attrs) info.attr_list.push_back(AttrOf(attr, info));
  const Registry& registry = info.loaded.registry;
  static_cast<opsrun_op_info&>(info) = {.size = sizeof(opsrun_op_info),
                                        .flags = def.flags,
                                        .name = StrOf(def.name),
                                        .plugin = StrOf(op.plugin->name),
                                        .path = StrOf(op.plugin->path),
                                        .summary = StrOf(def.summary),
                                        .description = StrOf(def.description),
                                        .inputs = info.in.data(),
                                        .outputs = info.out.data(),
                                        .attrs = info.attr_list.data(),
                                        .n_inputs = CountOf(info.in),
                                        .n_outputs = CountOf(info.out),
                                        .n_attrs = CountOf(info.attr_list),
                                        .n_kernels = CountOf(registry.KernelsFor(op)),
                                        .json = StrOf(info.texts.emplace_back(OpJson(op, registry)))};
}

// Throws BadArgument if the device cannot be used, or is the CPU.
Device& GpuOf(const opsrun_engine& engine, const opsrun_device& device) {
  const Result<Device*> found = DeviceOf(device, engine.engine->devices());
  if (!found.ok()) RefuseArgument(found.status().code(), found.status().message(), found.status().subject());
  if (*found == nullptr) RefuseArgument(OPSRUN_INVALID_ARGUMENT, "the CPU has no streams", "name a GPU");
  return **found;
}

}  // namespace

extern "C" {

uint32_t opsrun_embed_level(void) {
  return OPSRUN_EMBED_LEVEL;
}

const char* opsrun_embed_version(void) {
  return OPSRUN_VERSION;
}

int32_t opsrun_engine_create_at_level(uint32_t level, const opsrun_engine_options* options, opsrun_engine** engine,
                                      opsrun_report** report) {
  return MakingWithReport(engine, engine, report, [&](Diagnostics& diagnostics, auto*) {
    // Level 1 has nothing to hide from a program.
    if (level == 0) RefuseArgument(OPSRUN_INVALID_ARGUMENT, "there is no level 0", "pass OPSRUN_EMBED_LEVEL");
    const opsrun_engine_options known = Known(options);
    opsrun_engine made{Engine::Create(OptionsOf(known), diagnostics)};
    if (known.cached_plans != 0) made.cached_plans = known.cached_plans;
    if (made.engine != nullptr) made.ops = std::make_shared<OpCache>(made.engine, made.cached_plans);
    return made;
  });
}

void opsrun_engine_destroy(opsrun_engine* engine) {
  delete engine;
}

namespace {

int32_t ReportRefused(opsrun_str path, const std::optional<Refusal>& refusal, opsrun_report** report) {
  Diagnostics diagnostics;
  if (refusal && refusal->errors != nullptr) {
    Report(refusal->errors->errors, std::make_shared<const SourceFile>(refusal->errors->source), report);
    return OPSRUN_FAILED_PRECONDITION;  // whatever is wrong in that file
  }
  if (refusal) diagnostics.all().push_back(RefusedFile(TextOf(path), *refusal));
  return Report(std::move(diagnostics), nullptr, report);
}

}  // namespace

int32_t opsrun_engine_add_plugin(opsrun_engine* engine, opsrun_str path, opsrun_text** name, opsrun_report** report) {
  if (name != nullptr) *name = nullptr;
  return Guarded(engine, report, [&] {
    auto made = std::make_unique<opsrun_text>();
    const std::optional<Refusal> refusal = engine->engine->AddFile(TextOf(path), &made->text);
    if (!refusal && name != nullptr) *name = made.release();
    return ReportRefused(path, refusal, report);
  });
}

int32_t opsrun_engine_attach(opsrun_engine* engine, opsrun_str path, opsrun_str file, opsrun_report** report) {
  return Guarded(engine, report,
                 [&] { return ReportRefused(path, engine->engine->Attach(TextOf(path), TextOf(file)), report); });
}

int32_t opsrun_engine_reload(opsrun_engine* engine, opsrun_str path, opsrun_text** name, int32_t* changed,
                             opsrun_report** report) {
  if (name != nullptr) *name = nullptr;
  if (changed != nullptr) *changed = 0;
  return Guarded(engine, report, [&] {
    auto made = std::make_unique<opsrun_text>();
    bool is_new = false;
    const std::optional<Refusal> refusal = engine->engine->Reload(TextOf(path), &made->text, &is_new);
    if (!refusal && name != nullptr) *name = made.release();
    if (changed != nullptr) *changed = is_new ? 1 : 0;
    return ReportRefused(path, refusal, report);
  });
}

int32_t opsrun_engine_trim(opsrun_engine* engine) {
  return Guarded(engine, nullptr, [&] {
    engine->engine->TrimMemory();
    return OPSRUN_OK;
  });
}

int32_t opsrun_engine_list(const opsrun_engine* engine, opsrun_listing** listing) {
  return Making(engine, listing, [&] {
    auto made = std::make_unique<opsrun_listing>();
    made->catalog = engine->engine->catalog();
    for (const CatalogEntry& entry : made->catalog->entries) made->plugins.push_back(InfoOf(entry, *made));
    return made;
  });
}

uint32_t opsrun_listing_count(const opsrun_listing* listing) {
  return listing == nullptr ? 0 : CountOf(listing->plugins);
}

const opsrun_plugin_info* opsrun_listing_get(const opsrun_listing* listing, uint32_t i) {
  return i < opsrun_listing_count(listing) ? &listing->plugins[i] : nullptr;
}

void opsrun_listing_free(opsrun_listing* listing) {
  delete listing;
}

int32_t opsrun_engine_find_op(opsrun_engine* engine, opsrun_str name, const opsrun_op_info** info,
                              opsrun_report** report) {
  *info = nullptr;
  return Guarded(engine, report, [&]() -> int32_t {
    const std::string wanted = TextOf(name);
    auto made = std::make_unique<OpInfo>();
    made->engine = engine->engine;
    const std::shared_ptr<const Catalog> catalog = engine->engine->catalog();
    made->loaded = engine->engine->Open(*catalog, {wanted});
    const RegisteredOp* const op = made->loaded.registry.FindOp(wanted);
    if (op == nullptr) {
      const std::vector<OpTrouble>& trouble = made->loaded.trouble;
      Diagnostics diagnostics;
      diagnostics.all().push_back(NoOp(wanted, trouble.empty() ? nullptr : trouble.data(), *catalog));
      Report(std::move(diagnostics), nullptr, report);
      return OPSRUN_NOT_FOUND;
    }
    Describe(*op, *made);
    *info = made.release();
    return Report({}, nullptr, report);
  });
}

void opsrun_op_info_free(const opsrun_op_info* info) {
  delete static_cast<const OpInfo*>(info);
}

int32_t opsrun_stop_create(opsrun_stop** stop) {
  return Making(stop, stop, [] { return std::make_unique<opsrun_stop>(); });
}

void opsrun_stop_now(opsrun_stop* stop) {
  stop->signal.Stop();
}

void opsrun_stop_destroy(opsrun_stop* stop) {
  delete stop;
}

int32_t opsrun_engine_stream(opsrun_engine* engine, opsrun_device device, void** stream, opsrun_report** report) {
  *stream = nullptr;
  return Guarded(engine, report, [&] {
    const Result<Stream> found = GpuOf(*engine, device).StreamForPrograms();
    if (!found.ok()) return ReportStatus("D101", found.status(), report);
    *stream = *found;
    return OPSRUN_OK;
  });
}

int32_t opsrun_engine_order(opsrun_engine* engine, opsrun_device device, void* first, void* then,
                            opsrun_report** report) {
  return Guarded(engine, report, [&] {
    Device& gpu = GpuOf(*engine, device);
    for (void* const stream : {first, then}) {
      const Status status = stream == nullptr ? OkStatus() : gpu.CheckStream(stream);
      if (!status.ok()) RefuseArgument(status.code(), status.message(), "give streams of this GPU");
    }
    const Status ordered = then == nullptr ? gpu.Drain(first) : Order(gpu, first, then);
    return ordered.ok() ? OPSRUN_OK : ReportStatus("R401", ordered, report);
  });
}

}  // extern "C"
