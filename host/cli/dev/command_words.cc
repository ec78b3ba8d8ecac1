// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "host/base/file.h"
#include "host/cli/dev/dev.h"

namespace opsrun::host {

std::vector<std::string> WordsFor(const char* command, const DevOptions& options, bool runs) {
  const GraphOptions& graph = options.graph;
  const CommonOptions& common = options.common;
  std::vector<std::string> words = {OwnFile().string(), command, graph.graph};
  const auto add = [&words](bool wanted, std::string word) {
    if (wanted) words.push_back(std::move(word));
  };
  for (const auto& [name, path, key] : graph.feeds)
    add(true, fmt::format("--feed={}={}{}", name, path, key.empty() ? "" : ":" + key));
  add(graph.threads != 0, fmt::format("--threads={}", graph.threads));
  add(!graph.device.empty(), "--device=" + graph.device);
  add(graph.strict_placement, "--strict-placement");
  for (const std::string& name : graph.isolate) add(true, "--isolate=" + name);
  add(graph.node_timeout_ms != 0, fmt::format("--node-timeout={}ms", graph.node_timeout_ms));
  add(graph.child_memory != 0, fmt::format("--child-memory={}", graph.child_memory));
  add(graph.sandbox, "--sandbox");
  add(runs && graph.timeout_ms != 0, fmt::format("--timeout={}ms", graph.timeout_ms));
  add(runs && graph.memory_limit != 0, fmt::format("--memory-limit={}", graph.memory_limit));
  add(runs && graph.gpu_memory_limit != 0, fmt::format("--gpu-memory-limit={}", graph.gpu_memory_limit));
  for (const std::string& folder : common.plugins) add(true, "--plugins=" + folder);
  add(common.no_default_plugins, "--no-default-plugins");
  add(common.no_probe, "--no-probe");
  add(common.look.allow_writable, "--allow-writable");
  for (const std::string& key : common.keys) add(true, "--require-signature=" + key);
  add(common.quiet, "--quiet");
  const bool colored =
      common.color == ColorChoice::kAlways || (common.color == ColorChoice::kAuto && isatty(STDERR_FILENO) != 0);
  add(true, fmt::format("--color={}", colored ? "always" : "never"));
  add(common.error_format == ErrorFormat::kShort, "--error-format=short");
  add(common.error_format == ErrorFormat::kJson, "--error-format=json");
  return words;
}

}  // namespace opsrun::host
