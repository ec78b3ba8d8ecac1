// host/cli/shared_options.h: the options that every command accepts, and those of the commands that read graphs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/cli/options.h"
#include "host/run/lane.h"
#include "host/show/render_diagnostics.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

enum class ColorChoice { kAuto, kAlways, kNever };

struct CommonOptions {
  std::vector<std::string> plugins;  // --plugins, in order
  bool no_default_plugins = false;
  bool no_probe = false;
  uint32_t abi_level = OPSRUN_LEVEL;  // --abi-level
  ErrorFormat error_format = ErrorFormat::kHuman;
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
};

void AddErrorFormat(Options& options, ErrorFormat& format);
void AddCommonOptions(Options& options, CommonOptions& common);  // all of them

// --feed NAME=FILE.npy, NAME=FILE.npz or NAME=FILE.npz:KEY
struct FeedArgument {
  std::string name;
  std::string path;
  std::string key;  // for an .npz file, NAME by default; otherwise empty
};

// 0 and empty: not given.
struct GraphOptions {
  std::string graph;                // "-": standard input
  std::vector<FeedArgument> feeds;  // each name once
  uint32_t threads = 0;
  uint64_t memory_limit = 0;  // bytes
  uint64_t timeout_ms = 0;
  bool strict = false;  // warnings are errors
  std::string device;   // --device; empty: not given
  bool strict_placement = false;
  RunOptions run;
};

void AddFeeds(Options& options, std::vector<FeedArgument>& feeds);
void AddThreads(Options& options, uint32_t& threads);
void AddStrict(Options& options, bool& strict);
// --device and --strict-placement
void AddPlacement(Options& options, GraphOptions& graph);
// --no-cuda-graph
void AddCudaGraphs(Options& options, GraphOptions& graph);
// --timeout and --memory-limit
void AddLimits(Options& options, GraphOptions& graph);

}  // namespace opsrun::host
