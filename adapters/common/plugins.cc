// adapters/common/plugins.cc
// SPDX-License-Identifier: Apache-2.0
#include "plugins.h"

#include "failure.h"

namespace opsrun_adapter {

opsrun_engine* MakeEngine(const std::vector<std::string>& directories) {
  std::vector<opsrun_str> plugins;
  for (const std::string& directory : directories) plugins.push_back(Str(directory));
  opsrun_engine_options options{};
  options.size = sizeof(options);
  options.plugins = plugins.data();
  options.n_plugins = static_cast<uint32_t>(plugins.size());
  opsrun_engine* engine = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = opsrun_engine_create(&options, &engine, &report);
  Check(code, report, "opsrun");
  return engine;
}

void AddPlugin(opsrun_engine* engine, const std::string& path) {
  opsrun_report* report = nullptr;
  const int32_t code = opsrun_engine_add_plugin(engine, Str(path), &report);
  Check(code, report, "opsrun");
}

std::vector<Plugin> ListPlugins(const opsrun_engine* engine) {
  opsrun_listing* listing = nullptr;
  Check(opsrun_engine_list(engine, &listing), nullptr, "opsrun");
  std::vector<Plugin> plugins;
  for (uint32_t i = 0; i < opsrun_listing_count(listing); ++i) {
    const opsrun_plugin_info& info = *opsrun_listing_get(listing, i);
    if (info.state != OPSRUN_PLUGIN_OK) continue;
    Plugin& plugin = plugins.emplace_back(Plugin{Text(info.name), Text(info.path), {}});
    for (uint32_t k = 0; k < info.n_ops; ++k) plugin.ops.push_back(Text(info.ops[k]));
  }
  opsrun_listing_free(listing);
  return plugins;
}

std::string DescribeOp(opsrun_engine* engine, const std::string& op) {
  const opsrun_op_info* info = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = opsrun_engine_find_op(engine, Str(op), &info, &report);
  Check(code, report, "opsrun");
  std::string json = Text(info->json);
  opsrun_op_info_free(info);
  return json;
}

}  // namespace opsrun_adapter
