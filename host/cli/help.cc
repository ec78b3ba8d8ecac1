// host/cli/help.cc: texts made from the tables of commands and options: help, the manual page, completions for shells.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "host/cli/commands.h"
#include "host/show/json_text.h"
#include "host/show/wrap/wrap.h"

namespace opsrun::host {
namespace {

constexpr size_t kWidth = 80;

constexpr char kAbout[] = "opsrun runs YAML graphs whose ops come from plugins.";

constexpr char kSearch[] =
    R"(opsrun looks for plugins in the directories of --plugins and $OPSRUN_PLUGIN_PATH, in ~/.local/lib/opsrun,
/usr/local/lib/opsrun, /usr/lib/opsrun, and in ../lib/opsrun next to the program. If two of them have the same op or
the same plugin, the first one is used.)";

constexpr char kExitCodes[] =
    R"(0 success; 1 an op or a check failed, an output could not be written, or compat found an unsafe difference; 2 usage;
3 the graph; 4 plugins; 5 device or memory; 6 timeout; 70 an internal error; 128+n signal n.)";

constexpr std::string_view kExamples = R"(opsrun examples/quickstart.yaml
opsrun picture.yaml --feed image=photo.npy
opsrun check --error-format short graphs/*.yaml
g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags)
opsrun install my_op.so
)";

using Help = Options::Help;

std::string Filled(std::string_view text, size_t indent = 0) {
  return Fill(text, {kWidth, indent, indent}) + "\n";
}

// The text after an empty line.
std::string Paragraph(std::string_view text) {
  return text.empty() ? std::string() : "\n" + Filled(text);
}

std::string Examples(std::string_view lines) {
  std::string text = "\nExamples:\n";
  for (const std::string_view line : LinesOf(lines)) text += fmt::format("  {}\n", line);
  return text;
}

std::string UsageOf(const CommandType& type) {
  std::string line = fmt::format("Usage: opsrun {} [OPTIONS] {}", type.name, type.arguments);
  if (type.arguments.empty()) line.pop_back();
  return type.usage.empty() ? line + "\n" : fmt::format("{}\n       {}\n", line, type.usage);
}

// "-o, --output FILE"
std::string Signature(const Help& option) {
  return fmt::format("{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ", option.value);
}

// A name and its text beside it, or below it if the name is too long.
std::string Item(const std::string& name, std::string_view text) {
  constexpr size_t kColumn = 26;
  const std::string filled = Fill(text, {kWidth, kColumn, kColumn}) + "\n";
  return name.size() + 4 > kColumn ? fmt::format("  {}\n{}", name, filled)
                                   : fmt::format("  {:<{}}{}", name, kColumn - 2, filled.substr(kColumn));
}

bool IsCommon(const Help& option) {
  return option.group == kCommonGroup || option.group == kExpertGroup;
}

// The groups that are wanted, separated by empty lines.
std::string OptionList(const std::vector<Help>& options, bool common) {
  std::string text, group;
  for (const Help& option : options) {
    if (IsCommon(option) != common) continue;
    if (option.group != group) text += fmt::format("{}{}:\n", group.empty() ? "" : "\n", option.group);
    group = option.group;
    text += Item(Signature(option), option.help);
  }
  return text;
}

// "Options of every command: --plugins, ..."
std::string CommonNames(const std::vector<Help>& options) {
  std::vector<std::string> names;
  for (const Help& option : options) {
    if (option.group == kCommonGroup) names.push_back(option.names.front());
  }
  return fmt::format("{}: {}; see: opsrun --help", kCommonGroup, fmt::join(names, ", "));
}

std::vector<Help> CommonHelps() {
  CommonOptions common;
  Options options("");
  AddCommonOptions(options, common);
  return options.Helps();
}

// The manual page, in the language of man(7).

std::string Roff(std::string_view text) {
  std::string escaped;
  for (const std::string_view line : LinesOf(text)) {
    escaped += line.starts_with('.') || line.starts_with('\'') ? "\\&" : "";
    for (const char c : line) escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    escaped += '\n';
  }
  return escaped;
}

std::string RoffItems(const std::vector<Help>& options, bool common) {
  std::string text;
  for (const Help& option : options) {
    if (IsCommon(option) == common) text += fmt::format(".TP\n.B {}{}", Roff(Signature(option)), Roff(option.help));
  }
  return text;
}

// Completions.

// For a list of words in a script; no word has a space.
std::string Names(const std::vector<Help>& options) {
  std::vector<std::string> names;
  for (const Help& option : options) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

// In single quotes, as all three shells read it.
std::string ShellText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : c == '\n' ? " " : std::string(1, c);
  return quoted + "'";
}

std::string Bash() {
  std::string script =
      "# Completions of opsrun for bash: source this file, or copy it to share/bash-completion/completions/opsrun.\n"
      "_opsrun() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command= i words\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    if [[ -z $command && ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; fi\n"
      "  done\n"
      "  case $command in\n";
  std::string commands;
  for (const CommandType* type : kCommands) {
    const std::vector<Help> options = WithOptions(*type).options.Helps();
    script += fmt::format("    {}) words='{} {}' ;;\n", type->name, type->words, Names(options));
    commands += fmt::format("{} ", type->name);
  }
  script += fmt::format("    '') words='{}{}' ;;\n    *) words='{}' ;;\n  esac\n  case $before in\n", commands,
                        Names(CommonHelps()), Names(WithOptions(kRunCommand).options.Helps()));
  for (const Help& option : CommonHelps()) {
    if (option.choices.empty()) continue;
    script += fmt::format("    {}) words='{}' ;;\n", fmt::join(option.names, "|"), fmt::join(option.choices, " "));
  }
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  if [[ $word != -* ]]; then mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$word\"); fi\n"
         "}\n"
         "complete -o filenames -F _opsrun opsrun\n";
}

// One specification of _arguments for each name: '*--output[write to FILE]:FILE:_files'.
std::string ZshOption(const Help& option) {
  const std::string values = option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
  std::string help, specs;
  for (const char c : option.help) help += c == '[' || c == ']' ? fmt::format("\\{}", c) : std::string(1, c);
  const std::string action = option.value.empty() ? "" : fmt::format(":{}:{}", option.value, values);
  for (const std::string& name : option.names)
    specs += " \\\n      " + ShellText(fmt::format("*{}[{}]{}", name, help, action));
  return specs;
}

std::string ZshOptions(const CommandType& type) {
  std::string specs;
  for (const Help& option : WithOptions(type).options.Helps()) specs += ZshOption(option);
  return specs;
}

std::string Zsh() {
  std::string script =
      "#compdef opsrun\n# Completions of opsrun for zsh: copy this file as _opsrun to a folder of $fpath.\n";
  std::string commands, cases;
  for (const CommandType* type : kCommands) {
    commands += fmt::format("    {}\n", ShellText(fmt::format("{}:{}", type->name, type->summary)));
    const std::string words = type->words.empty() ? "_files" : fmt::format("({})", type->words);
    cases += fmt::format("    {}) _arguments{} \\\n      '*:argument:{}' ;;\n", type->name, ZshOptions(*type), words);
  }
  return script + "local -a commands\nlocal line state\ncommands=(\n" + commands + ")\n_arguments -C -A '-*'" +
         ZshOptions(kRunCommand) +
         " \\\n      '1: :->command' '*:: :->rest'\ncase $state in\n"
         "  command) _describe command commands; _files ;;\n"
         "  rest) case $line[1] in\n" +
         cases + "    *) _arguments" + ZshOptions(kRunCommand) + " ;;\n  esac ;;\nesac\n";
}

std::string FishOption(std::string_view condition, const Help& option) {
  std::string line = fmt::format("complete -c opsrun {}", condition);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.value.empty()) line += " -r";
  if (!option.choices.empty()) line += fmt::format(" -f -a '{}'", fmt::join(option.choices, " "));
  return fmt::format("{} -d {}\n", line, ShellText(option.help));
}

std::string Fish() {
  std::string script = "# Completions of opsrun for fish: copy this file to ~/.config/fish/completions/opsrun.fish.\n";
  for (const Help& option : CommonHelps()) script += FishOption("", option);
  for (const CommandType* type : kCommands) {
    script +=
        fmt::format("complete -c opsrun -n __fish_use_subcommand -a {} -d {}\n", type->name, ShellText(type->summary));
    const std::string given = fmt::format("-n '__fish_seen_subcommand_from {}'", type->name);
    if (!type->words.empty()) script += fmt::format("complete -c opsrun {} -f -a '{}'\n", given, type->words);
    for (const Help& option : WithOptions(*type).options.Helps()) {
      if (!IsCommon(option)) script += FishOption(given, option);
    }
  }
  return script;
}

constexpr struct {
  const char* name;
  std::string (*script)();
} kShells[] = {{"bash", Bash}, {"zsh", Zsh}, {"fish", Fish}};

class CompletionCommand final : public Command {
 public:
  void AddOptions(Options& options) override { options.Argument(shell_, "SHELL", true); }

  int Execute(const CommonOptions&, Console& console) override {
    std::vector<std::string> shells;
    for (const auto& [name, script] : kShells) {
      if (name == shell_) return console.Print(script()), kExitOk;
      shells.emplace_back(name);
    }
    return console.Report(MakeError("U005", fmt::format("there are no completions for '{}'", shell_),
                                    DidYouMean(shell_, shells, "shells")));
  }

 private:
  std::string shell_;
};

}  // namespace

WithOptions::WithOptions(const CommandType& type) : command(type.make()), options(type.name) {
  command->AddOptions(options);
  AddCommonOptions(options, common);
}

std::string HelpOf(const CommandType& type) {
  const std::vector<Help> options = WithOptions(type).options.Helps();
  const std::string own = OptionList(options, false);
  return Filled(type.about) + "\n" + UsageOf(type) + Paragraph(type.details) + (own.empty() ? "" : "\n" + own) +
         Paragraph(CommonNames(options)) + Paragraph(type.notes) + Examples(type.examples);
}

std::string HelpOfProgram() {
  std::string commands;
  for (const CommandType* type : kCommands)
    commands += Item(fmt::format("{} {}", type->name, type->arguments), type->summary);
  return fmt::format(
      "{}\n\nUsage: opsrun GRAPH.yaml [OPTIONS]\n       opsrun COMMAND [OPTIONS] ...\n\nCommands:\n{}\n"
      "Help on a command: opsrun COMMAND --help. The version: opsrun -V.\n\n{}{}\n{}{}",
      kAbout, commands, OptionList(CommonHelps(), true), Paragraph(kSearch),
      Filled(fmt::format("Exit codes: {}", kExitCodes)), Examples(kExamples));
}

std::string ManualPage() {
  std::string page = fmt::format(
      ".TH OPSRUN 1 \"\" \"opsrun {}\"\n.SH NAME\nopsrun \\- run graphs of ops that live in plugins\n.SH SYNOPSIS\n"
      ".B opsrun\nGRAPH.yaml [OPTIONS]\n.br\n.B opsrun\nCOMMAND [OPTIONS] ...\n.SH OPTIONS\n{}",
      OPSRUN_VERSION, RoffItems(CommonHelps(), true));
  for (const CommandType* type : kCommands) {
    page += fmt::format(".SH \"opsrun {} {}\"\n{}{}{}{}.PP\nExamples:\n.PP\n.nf\n{}.fi\n", type->name, type->arguments,
                        Roff(type->about), Roff(type->details), RoffItems(WithOptions(*type).options.Helps(), false),
                        type->notes.empty() ? "" : ".PP\n" + Roff(type->notes), Roff(type->examples));
  }
  return page + ".SH \"EXIT STATUS\"\n" + Roff(kExitCodes) + ".SH FILES\n" + Roff(kSearch);
}

std::string VersionText() {
  return fmt::format("opsrun {} (level {})\n", OPSRUN_VERSION, OPSRUN_LEVEL);
}

const CommandType kCompletionCommand = {
    .name = "completion",
    .arguments = "SHELL",
    .words = "bash zsh fish",
    .summary = "print completions of commands and options for a shell",
    .about =
        "Prints completions of commands and options for a shell: bash, zsh or fish. An installed opsrun has them.\n",
    .examples = "source <(opsrun completion bash)\nopsrun completion fish > ~/.config/fish/completions/opsrun.fish\n",
    .make = Make<CompletionCommand>,
};

}  // namespace opsrun::host
