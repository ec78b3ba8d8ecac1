// host/cli/help_text.cc: builds the help from the texts of commands and options.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/help_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "opsrun/c_api.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kPlaces =
    R"(opsrun looks for plugins in the directories of --plugins and $OPSRUN_PLUGIN_PATH, in ~/.local/lib/opsrun,
/usr/local/lib/opsrun, /usr/lib/opsrun, and in ../lib/opsrun next to the program. If two of them have the same op or
the same plugin, the first one is used.

Exit codes: 0 success; 1 an op or a check failed, an output could not be written, or compat found an unsafe
difference; 2 usage; 3 the graph; 4 plugins; 5 device or memory; 6 timeout; 70 an internal error; 128+n signal n.
)";

constexpr std::string_view kExamples = R"(opsrun examples/quickstart.yaml
opsrun picture.yaml --feed image=photo.npy
opsrun check --error-format short graphs/*.yaml
g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags)
cp my_op.so ~/.local/lib/opsrun/
)";

std::string Indented(std::string_view lines) {
  std::string text;
  for (size_t at = 0, end = 0; at < lines.size(); at = end) {
    end = std::min(lines.find('\n', at), lines.size() - 1) + 1;
    text.append("  ").append(lines.substr(at, end - at));
  }
  return text;
}

// The text after an empty line.
std::string Paragraph(std::string_view text) {
  return text.empty() ? std::string() : fmt::format("\n{}", text);
}

std::string Examples(std::string_view lines) {
  return fmt::format("\nExamples:\n{}", Indented(lines));
}

std::string UsageOf(const CommandType& type) {
  std::string line = fmt::format("Usage: opsrun {} [OPTIONS] {}", type.name, type.arguments);
  if (type.arguments.empty()) line.pop_back();
  return type.usage.empty() ? line + "\n" : fmt::format("{}\n       {}\n", line, type.usage);
}

// The groups, separated by empty lines.
std::string OptionList(const Options& options) {
  constexpr size_t kColumn = 26;
  std::string text, group;
  for (const Options::Help& option : options.Helps()) {
    if (option.group != group) text += fmt::format("{}{}:\n", group.empty() ? "" : "\n", option.group);
    group = option.group;
    std::string lines = fmt::format("  {:<{}}  ", option.left, kColumn - 4);
    if (lines.size() > kColumn) lines.back() = '\n';
    lines += option.help + "\n";
    for (size_t at = lines.find('\n'); at + 1 < lines.size(); at = lines.find('\n', at + 1)) {
      lines.insert(at + 1, kColumn, ' ');
    }
    text += lines;
  }
  return text;
}

std::string CommandList() {
  std::string text;
  for (const CommandType* type : kCommands) {
    const std::string call = fmt::format("{} {}", type->name, type->arguments);
    text += fmt::format("  {:<21} {}{}\n", call, call.size() > 21 ? "\n" + std::string(24, ' ') : "", type->summary);
  }
  return text;
}

}  // namespace

std::string HelpOf(const CommandType& type) {
  const std::unique_ptr<Command> command = type.make();
  CommonOptions common;
  Options options(type.name);
  command->AddOptions(options);
  AddCommonOptions(options, common);
  return fmt::format("{}\n{}{}\n{}{}{}", type.about, UsageOf(type), Paragraph(type.details), OptionList(options),
                     Paragraph(type.notes), Examples(type.examples));
}

std::string HelpOfProgram() {
  CommonOptions common;
  Options options("");
  AddCommonOptions(options, common);
  return fmt::format(
      "opsrun runs YAML graphs whose ops come from plugins.\n\n"
      "Usage: opsrun GRAPH.yaml [OPTIONS]\n       opsrun COMMAND [OPTIONS] ...\n\n"
      "Commands:\n{}\n"
      "'opsrun COMMAND --help' explains a command, 'opsrun --version' prints the version.\n\n{}\n{}{}",
      CommandList(), OptionList(options), kPlaces, Examples(kExamples));
}

std::string VersionText() {
  return fmt::format("opsrun {} (level {})\n", OPSRUN_VERSION, OPSRUN_LEVEL);
}

std::string IntroductionText() {
  return R"(opsrun runs YAML graphs whose ops come from plugins.

  opsrun graph.yaml         run a graph
  opsrun check graph.yaml   find the errors in a graph
  opsrun ops                list the available ops
  opsrun --help             show all commands and options

Example, a graph on standard input:
  echo '{opsrun: 1, feeds: {x: {value: [7, 8], dtype: int32}}, nodes: {z: {op: ZeroOut, in: x}}, outputs: [z]}' |
    opsrun -
)";
}

}  // namespace opsrun::host
