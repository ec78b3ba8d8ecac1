// host/cli/options.h: the options and arguments of commands, each declared in one place with its help.
//
// An option is declared as the help shows it, "-o,--output FILE": names, then the placeholder of its value. Parsing
// writes to the given variables, which must live until then. CLI11 splits the words; all messages are our own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/examine/plugin_note.h"
#include "host/gradient/differentiate.h"
#include "host/run/lane.h"
#include "host/show/render_diagnostics.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// "see: opsrun run --help"; without a command, "see: opsrun --help".
std::string SeeHelp(std::string_view command);

class Options {
 public:
  static constexpr size_t kAny = std::numeric_limits<size_t>::max();

  // command: empty if no command was given.
  explicit Options(std::string_view command);
  Options(const Options&) = delete;
  ~Options();

  // Sets the title above the options that follow; initially "Options".
  void Group(const char* title);

  void HelpFlag(const char* help);  // -h, which needs no variable
  void Flag(const char* names, bool& value, const char* help);
  void Text(const char* names, std::string& value, const char* help);
  // The same, but no help shows it: for a process of ours.
  void Hidden(const char* names, std::string& value);
  // A whole number from 1 to `most`.
  void Count(const char* names, uint32_t& value, uint32_t most, const char* help);
  // parse: returns nothing for an invalid word. allowed: describes valid ones, "a size such as 512M or 2G".
  using Parser = std::optional<uint64_t> (*)(std::string_view);
  void Quantity(const char* names, uint64_t& value, Parser parse, const char* allowed, const char* help);
  // May be repeated. take: stores a word, or returns an error.
  using Taker = std::function<std::optional<Diagnostic>(const std::string&)>;
  void Each(const char* names, Taker take, const char* help);

  template <typename T>
  void Choice(const char* names, T& value, std::vector<std::pair<std::string, T>> choices, const char* help) {
    std::vector<std::string> words;
    for (const auto& choice : choices) words.push_back(choice.first);
    OneOf(
        names, std::move(words), [&value, choices](size_t i) { value = choices[i].second; }, help);
  }

  // Makes it an error to use both. Both options must be declared.
  void Exclude(const char* a, const char* b);

  // shown: the name of the arguments in messages, "GRAPH".
  void Argument(std::string& value, const char* shown, bool required);
  void Arguments(std::vector<std::string>& values, const char* shown, size_t least, size_t most);

  // words: without the name of the command. Returns an error for an unknown option (U001), a missing argument (U003),
  // an unexpected argument (U004) or an invalid value (U005), but never if help is requested.
  std::optional<Diagnostic> Parse(std::vector<std::string> words);
  bool help_wanted() const;

  struct Help {
    std::string group;
    std::vector<std::string> names;    // "-o", "--output"
    std::string value;                 // "FILE"; empty for a flag
    std::vector<std::string> choices;  // the allowed values, if they are listed
    std::string help;
  };
  std::vector<Help> Helps() const;

 private:
  void OneOf(const char* names, std::vector<std::string> words, std::function<void(size_t)> choose, const char* help);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Numbers with units, as the values of options.
//
// A quantity is a number above 0, possibly with a fraction, with a unit directly after it: "1.5G", "500ms".
// docs/decisions.md explains why CLI11's units are not used.

// Bytes: B (also without a unit); K or KiB, M, G, T, which are powers of 1,024; kB, MB, GB, TB, which are powers of
// 1,000. Nothing for invalid text.
std::optional<uint64_t> ParseBytes(std::string_view text);

// Milliseconds: s (also without a unit), ms, m, h. Nothing for invalid text.
std::optional<uint64_t> ParseMilliseconds(std::string_view text);

enum class ColorChoice { kAuto, kAlways, kNever };

struct CommonOptions {
  std::vector<std::string> plugins;  // --plugins, in order
  bool no_default_plugins = false;
  bool no_probe = false;
  LookOptions look;               // --abi-level, --allow-writable; its keys are those that FindTrustedKeys finds
  std::vector<std::string> keys;  // --require-signature
  ErrorFormat error_format = ErrorFormat::kHuman;
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
  int32_t log_level = OPSRUN_LOG_INFO;  // the lowest that is shown, of lines that plugins log
};

void AddErrorFormat(Options& options, ErrorFormat& format);

// The groups of the options that every command has: those for users, and those for tests of plugins.
inline constexpr char kCommonGroup[] = "Options of every command";
inline constexpr char kExpertGroup[] = "Options of every command, for tests of plugins";
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
  std::string text = {};            // of a graph that a command has made; then `graph` is its name in messages
  std::string plugin_file = {};     // opened besides those that are found
  std::vector<FeedArgument> feeds;  // each name once
  uint32_t threads = 0;
  uint64_t memory_limit = 0, gpu_memory_limit = 0;  // bytes
  uint64_t timeout_ms = 0;
  bool strict = false;  // warnings are errors
  bool frozen = false;  // the graph must match its lock
  std::string device;   // --device; empty: not given
  bool strict_placement = false;
  std::vector<std::string> isolate;  // --isolate: plugins and nodes
  uint64_t node_timeout_ms = 0, child_memory = 0;
  bool sandbox = false;
  std::string repro_dir;  // --repro-dir; empty: not given
  RunOptions run;
};

void AddFeeds(Options& options, std::vector<FeedArgument>& feeds);
// Appends the value of --feed. Returns a mistake in it.
std::optional<Diagnostic> TakeFeed(const std::string& word, std::vector<FeedArgument>& feeds);
// Splits a path "x.npz:KEY"; the key of "x.npz" is the name.
void SplitKey(FeedArgument& feed);
// --output NAME=FILE.npy, without a key
void AddOutputs(Options& options, std::vector<FeedArgument>& outputs);
void AddThreads(Options& options, uint32_t& threads);
void AddStrict(Options& options, bool& strict);
// --strict and --frozen
void AddLoading(Options& options, GraphOptions& graph);
// --device and --strict-placement
void AddPlacement(Options& options, GraphOptions& graph);
// --no-cuda-graph
void AddCudaGraphs(Options& options, GraphOptions& graph);
// --timeout and the memory limits, or only the latter
void AddLimits(Options& options, GraphOptions& graph);
void AddMemoryLimits(Options& options, GraphOptions& graph);

// --of A,B=SEED --wrt X,Y
void AddGradientRequest(Options& options, GradientRequest& request);

// Error U003 if one of the two is missing.
std::optional<Diagnostic> CheckGradientRequest(const GradientRequest& request, std::string_view command);

}  // namespace opsrun::host
