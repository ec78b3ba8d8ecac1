// host/cli/command_line.h: what the words of a command line ask for.
//
// Parsing looks at no file but to tell a graph from a mistyped command, and prints nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/plugin/open_plugin.h"
#include "host/show/render_diagnostics.h"

namespace opsrun::host {

enum class ColorChoice { kAuto, kAlways, kNever };

// What every command takes.
struct CommonOptions {
  std::vector<std::string> plugins;  // --plugins, in order
  bool default_plugins = true;
  ErrorFormat error_format = ErrorFormat::kHuman;
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
  OpeningSlot* opening = nullptr;  // of no word: the program's own
};

// --feed NAME=FILE.npy, NAME=FILE.npz or NAME=FILE.npz:KEY
struct FeedArgument {
  std::string name;
  std::string path;
  std::string key;  // of an .npz file, NAME if none is given; otherwise empty
};

// What every command takes that runs a graph. 0: not said.
struct GraphOptions {
  std::string graph;                // "-": standard input
  std::vector<FeedArgument> feeds;  // each name once
  uint32_t threads = 0;
  uint64_t memory_limit = 0;  // bytes
  uint64_t timeout_ms = 0;
  bool strict = false;  // warnings are errors
};

struct RunCommand {
  GraphOptions options;
  uint32_t repeat = 1;
  uint32_t concurrency = 1;
  std::string trace;  // a file, or empty
  bool profile = false;
};

struct BenchCommand {
  GraphOptions options;
  uint64_t measure_ms = 3000;  // at most
  bool json = false;
  std::string compare;  // a file, or empty
};

struct CheckCommand {
  std::vector<std::string> graphs;
  bool strict = false;
  bool shapes = false;  // print them
};

struct ConfigCommand {
  GraphOptions options;
};

struct PlanCommand {
  GraphOptions options;
  bool json = false;
};

struct OpsCommand {
  std::string pattern = "*";
};

struct ExplainCommand {
  std::string op;  // or an op's attr, "Op.attr", or the code of a message, or "codes"
  bool json = false;
};

struct PluginsCommand {};

struct InspectCommand {
  std::vector<std::string> files;
};

struct CompatCommand {
  std::vector<std::string> files;  // old and new, or old, mid and new
};

struct SchemaCommand {
  std::string output;  // a file, or empty: standard output
};

struct GraphCommand {
  enum class Format { kDot, kSvg };
  std::string graph;  // "-": standard input
  Format format = Format::kDot;
  std::string output;  // a file, or empty: standard output
};

struct SdkCommand {
  enum class Part { kCompileFlags, kLinkFlags, kCudaFlags, kTestFlags };
  std::vector<Part> parts;  // in the order to print; empty: an overview
};

using Command = std::variant<RunCommand, BenchCommand, CheckCommand, ConfigCommand, PlanCommand, OpsCommand,
                             ExplainCommand, PluginsCommand, InspectCommand, CompatCommand, SchemaCommand, GraphCommand,
                             SdkCommand>;

struct Options {
  CommonOptions common;
  Command command;
};

// Text that was asked for: --help, --version.
struct HelpText {
  std::string text;
};

// No words at all: what to show to someone who just tries.
struct Introduction {
  std::string text;
};

// What is asked for does not exist or is not clear.
struct UsageError {
  CommonOptions common;  // as far as it was understood, for the format of the message
  Diagnostic diagnostic;
};

using CommandLine = std::variant<Options, HelpText, Introduction, UsageError>;

// words: without the program's name. Codes of mistakes: U001 unknown option, U002 unknown command, U003 something is
// missing, U004 something is too much, U005 a value that is not allowed. (U006: bench, a file to compare with that is
// none.)
CommandLine ParseCommandLine(const std::vector<std::string>& words);

}  // namespace opsrun::host
