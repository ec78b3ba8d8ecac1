// host/cli/help_text.cc: the words of --help.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/help_text.h"

#include <fmt/format.h>

#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kProgram = R"(opsrun runs YAML graphs whose operations live in plugins.

Usage: opsrun GRAPH.yaml [OPTIONS]
       opsrun COMMAND [OPTIONS] ...

Commands:
  run GRAPH         run a graph; 'opsrun GRAPH' is the same
  bench GRAPH       measure how long a graph takes, by node and by op
  check GRAPH...    find every mistake in graphs without running them
  config GRAPH      print a graph with everything filled in that it leaves open
  plan GRAPH        show how a graph would run: order, kernels and why, memory
  ops [PATTERN]     list the ops of the installed plugins
  explain OP        describe an op: inputs, outputs, attrs, kernels
  explain CODE      say what a message such as error[G204] means and how to mend it
  plugins           list the plugins that were found, and why one is refused
  inspect FILE...   look into plugin files without running their code
  compat OLD NEW    tell whether graphs for one version of a plugin run with another
  schema            write a JSON Schema of graphs, so that an editor completes and checks them
  graph GRAPH       draw a graph, with types, shapes and mistakes
  sdk               print the compiler flags that build a plugin

  opsrun COMMAND --help says more about a command.
  opsrun --version prints the version.
)";

constexpr std::string_view kCommon = R"(
Options of every command:
  --plugins DIR           search DIR for plugins first; may be repeated
  --no-default-plugins    search only the directories named by --plugins
  --error-format FORMAT   human, short (file:line:column: ...) or json (one object a line)
  --color WHEN            auto, always or never
  -q, --quiet             print nothing but results and errors
  -h, --help              print this text
)";

constexpr std::string_view kPlaces = R"(
Plugins are searched for in: --plugins, $OPSRUN_PLUGIN_PATH, ~/.local/lib/opsrun, /usr/local/lib/opsrun,
/usr/lib/opsrun, and ../lib/opsrun beside the program. The first that has an op or a plugin name wins.

Exit codes: 0 ok, 1 an op or a check failed, an output could not be written or compat found something unsafe, 2 usage,
3 the graph, 4 plugins, 5 device or memory, 6 timeout, 70 a bug in opsrun, 128+n signal n.
)";

constexpr std::string_view kProgramExamples = R"(
Examples:
  opsrun examples/quickstart.yaml
  opsrun picture.yaml --feed image=photo.npy
  opsrun check --error-format short graphs/*.yaml
  g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags)
  cp my_op.so ~/.local/lib/opsrun/
)";

constexpr std::string_view kRun = R"(Checks a graph, runs it, prints its outputs, writes its files and does its checks.

Usage: opsrun run [OPTIONS] GRAPH
       opsrun GRAPH [OPTIONS]

GRAPH is a YAML file, or - for standard input. Paths in it are relative to it.

Options:
  --feed NAME=FILE.npy    the array for a feed that the graph only declares; may be repeated
  --feed NAME=FILE.npz:KEY  the same from an archive; without KEY, the array NAME
  --repeat N              run the plan N times with the same feeds; outputs are written once
  --concurrency K         K of these runs at the same time, each in memory of its own
  --threads N             use N threads in all; by default as many as there are processors to use
  --timeout TIME          stop after TIME (30s, 500ms, 2m) and end with exit code 6
  --memory-limit SIZE     fail instead of using more than SIZE (512M, 2G) for tensors of runs
  --strict                treat warnings (an op is deprecated) as errors
  --trace FILE.json       write when each node ran, for ui.perfetto.dev or chrome://tracing
  --profile               show which nodes and ops the time goes to

Ctrl-C ends the run as soon as its kernels do, a second one at once.

Examples:
  opsrun run graph.yaml
  opsrun picture.yaml --feed image=photo.npy --feed mask=mask.npy
  opsrun run graph.yaml --repeat 1000 --concurrency 4 --quiet
  opsrun run graph.yaml --trace trace.json --timeout 30s
)";

constexpr std::string_view kBench = R"(Runs a graph again and again and tells how long that takes, by run, node and op.

Usage: opsrun bench [OPTIONS] GRAPH

Measures until the median is sure to 1 %, or the time is over. Writes no outputs.

Options:
  --feed NAME=FILE.npy    the array for a feed that the graph only declares; may be repeated
  --feed NAME=FILE.npz:KEY  the same from an archive; without KEY, the array NAME
  --threads N             use N threads in all; by default as many as there are processors to use
  --seconds S             measure for at most S (10, 500ms, 2m); by default 3
  --json                  print one JSON document with all figures
  --compare OLD.json      show what changed since such a document was written
  --timeout TIME          stop after TIME (30s, 500ms, 2m) and end with exit code 6
  --memory-limit SIZE     fail instead of using more than SIZE (512M, 2G) for tensors of runs
  --strict                treat warnings (an op is deprecated) as errors

A difference in speed is no failure: the exit code is 0.

Examples:
  opsrun bench graph.yaml
  opsrun bench graph.yaml --json > old.json
  opsrun bench graph.yaml --compare old.json --seconds 10
)";

constexpr std::string_view kCheck =
    R"(Finds every mistake in graphs before they run: names, attrs, types, shapes, kernels.

Usage: opsrun check [OPTIONS] GRAPH...

Nothing is run but nodes on whose values a shape hangs, and only if their ops have no state and follow from constants.

Options:
  --shapes                print the type and shape of every tensor, as far as they are known before a run
  --strict                treat warnings (an op is deprecated) as errors

The exit code is that of the worst graph. With arrays for declared feeds more is known: 'opsrun config', 'opsrun plan'.

Examples:
  opsrun check graph.yaml
  opsrun check --shapes graph.yaml
  opsrun check --error-format short graphs/*.yaml
)";

constexpr std::string_view kConfig =
    R"(Prints a graph with everything filled in that it leaves open: types, shapes, inputs by name, all attrs, kernels.

Usage: opsrun config [OPTIONS] GRAPH

What is printed is a graph again; what a graph has no key for stands under x- keys, which are ignored. Descriptions
and x- keys of the graph are left out. Paths of files are as in the graph: keep it in the same folder.

Options:
  --feed NAME=FILE.npy    an array for a feed that the graph only declares: its shape counts; may be repeated
  --feed NAME=FILE.npz:KEY  the same from an archive; without KEY, the array NAME
  --strict                treat warnings (an op is deprecated) as errors

Example:
  opsrun config graph.yaml > whole.yaml
)";

constexpr std::string_view kPlan =
    R"(Shows how a graph would run: the order, which kernel each node gets and why, where its outputs lie in memory.

Usage: opsrun plan [OPTIONS] GRAPH

Options:
  --feed NAME=FILE.npy    an array for a feed that the graph only declares: its shape counts; may be repeated
  --feed NAME=FILE.npz:KEY  the same from an archive; without KEY, the array NAME
  --threads N             plan for N threads in all; by default as many as there are processors to use
  --json                  print one JSON object
  --strict                treat warnings (an op is deprecated) as errors

Examples:
  opsrun plan graph.yaml
  opsrun plan graph.yaml --threads 1 --json
)";

constexpr std::string_view kOps =
    R"(Lists the ops of the installed plugins with the devices and types of their kernels. Opens no plugin.

Usage: opsrun ops [OPTIONS] [PATTERN]

PATTERN is compared with op names: * stands for any characters, ? for one.

Examples:
  opsrun ops
  opsrun ops 'Zero*'
)";

constexpr std::string_view kExplain =
    R"(Describes an op: signature, inputs, outputs, attrs with their limits and defaults, kernels; or one of its attrs.
Or says what the code of a message means, why it is an error and how to mend it, with an example.

Usage: opsrun explain [OPTIONS] OP
       opsrun explain [OPTIONS] OP.ATTR
       opsrun explain [OPTIONS] CODE
       opsrun explain [OPTIONS] codes

Options:
  --json                  print one JSON document

Examples:
  opsrun explain ZeroOut
  opsrun explain my_plugin.ZeroOut
  opsrun explain ZeroOut.preserve_index
  opsrun explain ZeroOut --json
  opsrun explain G204
  opsrun explain codes
)";

constexpr std::string_view kPlugins =
    R"(Lists the plugins that were found: used, hidden by an earlier directory, or refused and why. Opens none.

Usage: opsrun plugins [OPTIONS]

Example:
  opsrun plugins --plugins build/my_plugins
)";

constexpr std::string_view kInspect =
    R"(Looks into plugin files without running their code: identity, ops, kernels, and whether this opsrun takes them.

Usage: opsrun inspect [OPTIONS] FILE.so...

Ends with 4 if a file is refused or is no plugin.

Example:
  opsrun inspect my_op.so
)";

constexpr std::string_view kCompat =
    R"(Compares two versions of a plugin, op by op: which differences are safe for graphs of the old one? Opens both.

Usage: opsrun compat [OPTIONS] OLD.so [MID.so] NEW.so

The rules are TensorFlow's: what a graph leaves out must go on meaning the same, and tensors count by position. With
MID.so, a version between the two, also: do attrs that came with it keep their defaults?

Ends with 1 if a difference is unsafe, with 4 if a file is refused.

Examples:
  opsrun compat my_op-1.0.so my_op.so
  opsrun compat my_op-1.0.so my_op-1.1.so my_op.so
)";

constexpr std::string_view kSchema =
    R"(Writes a JSON Schema (draft 7) of graph files with the ops of the installed plugins. Opens all of them.

Usage: opsrun schema [OPTIONS]

An editor with a YAML language server completes and checks a graph that says where the schema is, seen from the graph:
  # yaml-language-server: $schema=graph.schema.json

Options:
  -o, --output FILE       write to FILE instead of standard output

Write it again when plugins were added or changed.

Example:
  opsrun schema -o graph.schema.json
)";

constexpr std::string_view kGraph =
    R"(Draws a graph: nodes with their ops, types and shapes on the arrows, mistakes in red. Does not run it.

Usage: opsrun graph [OPTIONS] GRAPH

GRAPH is a YAML file, or - for standard input. The picture is written also where the graph has mistakes.

Options:
  --dot                   text for Graphviz, which needs nothing; this is the default
  --svg                   a picture, made by Graphviz's program 'dot'; also where FILE ends in .svg
  -o, --output FILE       write to FILE instead of standard output

Examples:
  opsrun graph graph.yaml -o graph.svg
  opsrun graph --dot graph.yaml | dot -Tpng > graph.png
)";

constexpr std::string_view kSdk = R"(Prints the compiler flags that build a plugin, quoted for a shell.

Usage: opsrun sdk [--cflags] [--compile-flags] [--link-flags] [--cuda-cflags] [--test-flags]

Options:
  --cflags           everything that one g++ or clang++ command needs
  --compile-flags    the part for compiling
  --link-flags       the part for linking
  --cuda-cflags      for compiling with nvcc
  --test-flags       for a program that tests a plugin with opsrun/testing.h and GoogleTest

Examples:
  g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags)
  nvcc -std=c++17 -O2 -c my_op.cu -o my_op.cu.o $(opsrun sdk --cuda-cflags)
  g++ -std=c++17 my_test.cc -o my_test $(opsrun sdk --test-flags)
)";

struct CommandHelp {
  std::string_view command;
  std::string_view text;
};

constexpr CommandHelp kCommands[] = {
    {"run", kRun},       {"bench", kBench},     {"check", kCheck},     {"config", kConfig},   {"plan", kPlan},
    {"ops", kOps},       {"explain", kExplain}, {"plugins", kPlugins}, {"inspect", kInspect}, {"compat", kCompat},
    {"schema", kSchema}, {"graph", kGraph},     {"sdk", kSdk}};

}  // namespace

std::string HelpOf(std::string_view command) {
  for (const CommandHelp& help : kCommands) {
    if (help.command == command) return fmt::format("{}{}", help.text, kCommon);
  }
  return fmt::format("{}{}{}{}", kProgram, kCommon, kPlaces, kProgramExamples);
}

std::string VersionText() {
  return fmt::format("opsrun {} (level {})\n", OPSRUN_VERSION, OPSRUN_LEVEL);
}

std::string IntroductionText() {
  return R"(opsrun runs YAML graphs whose operations live in plugins.

  opsrun graph.yaml       run a graph
  opsrun check g.yaml     find the mistakes in one
  opsrun ops              list the ops there are
  opsrun --help           everything else

Example, a graph on standard input:
  echo '{opsrun: 1, feeds: {x: {value: [7, 8], dtype: int32}}, nodes: {z: {op: ZeroOut, in: x}}, outputs: [z]}' |
    opsrun -
)";
}

}  // namespace opsrun::host
