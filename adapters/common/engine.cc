// adapters/common/engine.cc
// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

namespace opsrun_adapter {
namespace {

// Returns the result of a library function whose last two parameters receive the result and the report.
template <typename Owned, typename Fn, typename... Args>
Owned Make(const std::string& what, Fn fn, Args... args) {
  typename Owned::pointer made = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = fn(args..., &made, &report);
  Owned owned(made);
  Check(code, report, what);
  return owned;
}

template <typename T>
uint32_t CountOf(const std::vector<T>& list) {
  return static_cast<uint32_t>(list.size());
}

}  // namespace

OwnedKernel MakeKernel(const opsrun_typed_op* op, const std::string& what) {
  return Make<OwnedKernel>(what, opsrun_typed_op_make_kernel, op, opsrun_str{"cpu", 3});
}

OwnedShapes InferShapes(const opsrun_typed_op* op, const std::vector<opsrun_known_input>& inputs,
                        const std::string& what) {
  return Make<OwnedShapes>(what, opsrun_typed_op_infer, op, inputs.data(), CountOf(inputs));
}

OwnedGradient Differentiate(const opsrun_typed_op* op, const std::vector<opsrun_known_sizes>& shapes,
                            const std::string& what) {
  return Make<OwnedGradient>(what, opsrun_typed_op_differentiate, op, shapes.data(), CountOf(shapes));
}

std::string ToYaml(const opsrun_typed_op* op) {
  opsrun_text* yaml = nullptr;
  Check(opsrun_typed_op_to_yaml(op, &yaml), nullptr, "a call of an op as text");
  return Text(opsrun_text_get(OwnedText(yaml).get()));
}

Engine::Engine(const std::vector<std::string>& directories, const opsrun_host* (*make_table)(const opsrun_host*)) {
  std::vector<opsrun_str> plugins;
  for (const std::string& directory : directories) plugins.push_back(Str(directory));
  opsrun_engine_options options{};
  options.size = sizeof(options);
  options.plugins = plugins.data();
  options.n_plugins = CountOf(plugins);
  opsrun_report* report = nullptr;
  const int32_t code = opsrun_engine_create(&options, &engine_, &report);
  Check(code, report, "opsrun");
  table_ = make_table(opsrun_engine_host(engine_));
}

std::string Engine::AddPlugin(const std::string& path) const {
  return Text(opsrun_text_get(Make<OwnedText>("opsrun", opsrun_engine_add_plugin, engine_, Str(path)).get()));
}

std::vector<Plugin> Engine::Plugins() const {
  opsrun_listing* listing = nullptr;
  Check(opsrun_engine_list(engine_, &listing), nullptr, "opsrun");
  std::vector<Plugin> plugins;
  for (uint32_t i = 0; i < opsrun_listing_count(listing); ++i) {
    const opsrun_plugin_info& info = *opsrun_listing_get(listing, i);
    if (info.state != OPSRUN_PLUGIN_OK) continue;
    std::vector<std::string> ops;
    for (uint32_t k = 0; k < info.n_ops; ++k) ops.push_back(Text(info.ops[k]));
    plugins.emplace_back(Text(info.name), Text(info.path), std::move(ops));
  }
  opsrun_listing_free(listing);
  return plugins;
}

std::string Engine::Describe(const std::string& op) const {
  using Owned = std::unique_ptr<const opsrun_op_info, Free<opsrun_op_info_free>>;
  return Text(Make<Owned>("opsrun", opsrun_engine_find_op, engine_, Str(op))->json);
}

OwnedTypedOp Engine::TypeOp(const std::string& op, const std::vector<opsrun_op_input>& inputs,
                            const std::vector<opsrun_attr>& attrs, const std::string& what) const {
  return Make<OwnedTypedOp>(what, opsrun_engine_type_op, engine_, Str(op), inputs.data(), CountOf(inputs), attrs.data(),
                            CountOf(attrs));
}

OwnedTypedOp Engine::ReadOp(const std::string& yaml, const std::string& what) const {
  return Make<OwnedTypedOp>(what, opsrun_engine_read_op, engine_, Str(yaml));
}

}  // namespace opsrun_adapter
