// host/cli/shared_options.cc:
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include "host/cli/options.h"
#include "host/graph/read_graph.h"

namespace opsrun::host {
namespace {

constexpr uint32_t kMostThreads = 1024;

// The offset of the key in "arrays.npz:key", or in "/dev/fd/63:key" if only the part before the colon is a file; the
// length of the path if there is no key.
size_t FindKey(const std::string& path) {
  constexpr std::string_view kArchive = ".npz:";
  if (const size_t name = path.rfind(kArchive); name != std::string::npos) return name + kArchive.size();
  const size_t colon = path.rfind(':');
  const bool is_file =
      colon != std::string::npos && access(path.c_str(), F_OK) != 0 && access(path.substr(0, colon).c_str(), F_OK) == 0;
  return is_file ? colon + 1 : path.size();
}

// Appends NAME=FILE, the value of `option`; each name once.
std::optional<Diagnostic> TakePair(const char* option, const char* example, const std::string& word,
                                   std::vector<FeedArgument>& pairs) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == word.size()) {
    return MakeError("U005", fmt::format("{} '{}' is not of the form NAME=FILE.npy", option, word), example);
  }
  FeedArgument pair{word.substr(0, equals), word.substr(equals + 1), ""};
  for (const FeedArgument& earlier : pairs) {
    if (earlier.name != pair.name) continue;
    return MakeError("U004",
                     fmt::format("{} gives '{}' twice: '{}' and '{}'", option, pair.name, earlier.path, pair.path),
                     "remove one of them");
  }
  pairs.push_back(std::move(pair));
  return std::nullopt;
}

std::optional<Diagnostic> TakeOutput(const std::string& word, std::vector<FeedArgument>& outputs) {
  std::optional<Diagnostic> mistake = TakePair("--output", "for example: --output y=y.npy", word, outputs);
  if (!mistake && !word.ends_with(".npy") && !outputs.back().path.starts_with("/dev/")) {
    return MakeError("U005", fmt::format("--output '{}' does not end in .npy", word), "for example: --output y=y.npy");
  }
  return mistake;
}

std::optional<Diagnostic> TakeDevice(const std::string& word, std::string& device) {
  const bool numbered = word.starts_with("gpu:") && word.size() > 4 &&
                        word.find_first_not_of("0123456789", 4) == std::string::npos && word.size() < 8;
  if (!numbered && word != "cpu" && word != "gpu" && word != "auto") {
    return MakeError("U005", fmt::format("--device '{}' is not a device", word), "write cpu, gpu, gpu:N or auto");
  }
  if (!device.empty() && device != word) {
    return MakeError("U004", fmt::format("--device gives two devices: '{}' and '{}'", device, word),
                     "remove one of them; a node can have its own: device: gpu:1");
  }
  device = word;
  return std::nullopt;
}

std::optional<Reference> ReferenceFrom(const std::string& text) {
  const SourceFile nowhere{};
  Diagnostics ignored;
  Reporter reporter(nowhere, ignored);
  return ReadReference(StringValue(text), reporter);
}

Diagnostic NoReference(const char* option, const std::string& text) {
  return MakeError(
      "U005", fmt::format("{}: '{}' does not name a tensor", option, text),
      "write the name of a feed or a node, NODE.OUTPUT or NODE.OUTPUT.INDEX; separate several with commas");
}

std::vector<std::string> SplitAtCommas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<Diagnostic> TakeOf(const std::string& words, std::vector<GradientOf>& of) {
  for (const std::string& word : SplitAtCommas(words)) {
    const size_t equals = word.find('=');
    const std::optional<Reference> tensor = ReferenceFrom(word.substr(0, equals));
    if (!tensor) return NoReference("--of", word.substr(0, equals));
    GradientOf& each = of.emplace_back(GradientOf{*tensor, std::nullopt});
    if (equals == std::string::npos) continue;
    each.gradient = ReferenceFrom(word.substr(equals + 1));
    if (!each.gradient) return NoReference("--of", word.substr(equals + 1));
  }
  return std::nullopt;
}

std::optional<Diagnostic> TakeWrt(const std::string& words, std::vector<Reference>& wrt) {
  for (const std::string& word : SplitAtCommas(words)) {
    std::optional<Reference> tensor = ReferenceFrom(word);
    if (!tensor) return NoReference("--wrt", word);
    wrt.push_back(*std::move(tensor));
  }
  return std::nullopt;
}

}  // namespace

void SplitKey(FeedArgument& feed) {
  if (feed.path.ends_with(".npz")) feed.key = feed.name;
  const size_t begin = FindKey(feed.path);
  if (begin == feed.path.size()) return;
  feed.key = feed.path.substr(begin);
  feed.path.resize(begin - 1);
}

std::optional<Diagnostic> TakeFeed(const std::string& word, std::vector<FeedArgument>& feeds) {
  std::optional<Diagnostic> mistake =
      TakePair("--feed", "for example: --feed x=x.npy or --feed x=arrays.npz:x", word, feeds);
  if (!mistake) SplitKey(feeds.back());
  return mistake;
}

void AddErrorFormat(Options& options, ErrorFormat& format) {
  options.Choice("--error-format FORMAT", format,
                 {{"human", ErrorFormat::kHuman}, {"short", ErrorFormat::kShort}, {"json", ErrorFormat::kJson}},
                 "human, short (file:line:column: ...) or json (one object per line)");
}

void AddCommonOptions(Options& options, CommonOptions& common) {
  options.Group(kCommonGroup);
  const auto add = [&common](const std::string& directory) {
    common.plugins.push_back(directory);
    return std::nullopt;
  };
  options.Each("--plugins DIR", add, "search DIR for plugins first; may be repeated");
  AddErrorFormat(options, common.error_format);
  options.Choice("--color WHEN", common.color,
                 {{"auto", ColorChoice::kAuto}, {"always", ColorChoice::kAlways}, {"never", ColorChoice::kNever}},
                 "auto, always or never");
  options.Flag("-q,--quiet", common.quiet, "print only results and errors");
  options.Choice(
      "--log-level LEVEL", common.log_level,
      {{"info", OPSRUN_LOG_INFO},
       {"warning", OPSRUN_LOG_WARNING},
       {"error", OPSRUN_LOG_ERROR},
       {"none", OPSRUN_LOG_ERROR + 1}},
      "show what plugins log from this level on: info (the default), warning, error or none; -q shows errors");
  options.HelpFlag("print the help of a command, or this one");
  options.Group(kExpertGroup);
  options.Flag("--no-default-plugins", common.no_default_plugins, "search only the directories named by --plugins");
  options.Flag("--allow-writable", common.look.allow_writable,
               "accept plugins that other users can change or replace; see docs/trust.md");
  const auto require = [&common](const std::string& key) {
    common.keys.push_back(key);
    return std::nullopt;
  };
  options.Each("--require-signature KEY", require,
               "open only plugins that KEY has signed: the file of a public key of minisign, or the\n"
               "key itself; may be repeated. The default is what trusted_keys files say");
  options.Exclude("--allow-writable", "--require-signature");
  options.Flag("--no-probe", common.no_probe, "open plugins without first trying them in a separate process");
  options.Count("--abi-level N", common.look.level, OPSRUN_LEVEL, "act as a host of contract level N");
}

void AddFeeds(Options& options, std::vector<FeedArgument>& feeds) {
  options.Each(
      "--feed NAME=FILE.npy", [&feeds](const std::string& word) { return TakeFeed(word, feeds); },
      "the array for a feed that the graph only declares; may be repeated.\n"
      "NAME=FILE.npz:KEY reads it from an archive; without KEY, the array NAME.\n"
      "A FILE may be a pipe, such as <(COMMAND) or /dev/stdin, which is read once");
}

void AddOutputs(Options& options, std::vector<FeedArgument>& outputs) {
  options.Each(
      "--output NAME=FILE.npy", [&outputs](const std::string& word) { return TakeOutput(word, outputs); },
      "write an output to a file instead of printing it; may be repeated");
}

void AddThreads(Options& options, uint32_t& threads) {
  options.Count("--threads N", threads, kMostThreads,
                "use N threads in total; the default is the number of available CPUs");
}

void AddStrict(Options& options, bool& strict) {
  options.Flag("--strict", strict, "treat warnings, such as those about deprecated ops, as errors");
}

void AddLoading(Options& options, GraphOptions& graph) {
  AddStrict(options, graph.strict);
  options.Flag("--frozen", graph.frozen, "refuse a graph that differs in any way from its lock, or that has none");
}

void AddPlacement(Options& options, GraphOptions& graph) {
  options.Each(
      "--device DEVICE", [&graph](const std::string& word) { return TakeDevice(word, graph.device); },
      "the device of nodes that set none: cpu (the default), gpu, gpu:N, or auto, which is gpu if\n"
      "there is one. A node whose op has no kernel for the device runs on the CPU");
  options.Flag("--strict-placement", graph.strict_placement, "refuse a node whose op has no kernel for its device");
  options.Each(
      "--isolate NAME",
      [&graph](const std::string& word) -> std::optional<Diagnostic> {
        graph.isolate.push_back(word);
        return std::nullopt;
      },
      "run a plugin, or the plugin of a node, in a process of its own: if that crashes, hangs or\n"
      "ends, only its nodes fail. all: every plugin; none: no plugin, also if the graph asks for it");
  options.Quantity("--node-timeout TIME", graph.node_timeout_ms, ParseMilliseconds, "a time such as 30s, 500ms or 2m",
                   "let isolated nodes that follow each other take at most TIME");
  options.Quantity("--child-memory SIZE", graph.child_memory, ParseBytes, "a size such as 512M or 2G",
                   "let the process of an isolated plugin have at most SIZE for itself");
  options.Flag("--sandbox", graph.sandbox,
               "take network, new processes and all files but its own from isolated plugins");
}

void AddCudaGraphs(Options& options, GraphOptions& graph) {
  options.Flag("--no-cuda-graph", graph.run.no_cuda_graphs,
               "launch nodes on a GPU one by one, even where a CUDA graph could launch several at once");
}

void AddLimits(Options& options, GraphOptions& graph) {
  options.Quantity("--timeout TIME", graph.timeout_ms, ParseMilliseconds, "a time such as 30s, 500ms or 2m",
                   "stop after TIME (30s, 500ms, 2m) and exit with code 6");
  AddMemoryLimits(options, graph);
}

void AddMemoryLimits(Options& options, GraphOptions& graph) {
  options.Quantity("--memory-limit SIZE", graph.memory_limit, ParseBytes, "a size such as 512M or 2G",
                   "fail rather than use more than SIZE (512M, 2G) for the tensors of all runs, in the\n"
                   "memory of the CPU and of each GPU");
  options.Quantity("--gpu-memory-limit SIZE", graph.gpu_memory_limit, ParseBytes, "a size such as 512M or 2G",
                   "another limit for the memory of each GPU");
}

void AddGradientRequest(Options& options, GradientRequest& request) {
  options.Each(
      "--of TENSORS", [&](const std::string& words) { return TakeOf(words, request.of); },
      "the tensors to differentiate: A, or A,B for the sum of both; A=SEED: the gradient of A\n"
      "is the tensor SEED of the graph, instead of ones");
  options.Each(
      "--wrt TENSORS", [&](const std::string& words) { return TakeWrt(words, request.wrt); },
      "the feeds and outputs of nodes with respect to which to differentiate, separated by commas");
}

std::optional<Diagnostic> CheckGradientRequest(const GradientRequest& request, std::string_view command) {
  if (!request.of.empty() && !request.wrt.empty()) return std::nullopt;
  return MakeError("U003", fmt::format("opsrun {} needs {}", command, request.of.empty() ? "--of" : "--wrt"),
                   fmt::format("for example: opsrun {} graph.yaml --of loss --wrt w,b", command));
}

}  // namespace opsrun::host
