// host/cli/commands.h: the commands of the program, which are in host/cli/commands, and the parser of its command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>

#include "host/cli/console.h"

namespace opsrun::host {

// One invocation of a command.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  virtual ~Command() = default;

  // Declares the options and arguments, which parsing stores in this object.
  virtual void AddOptions(Options& options) = 0;

  // Runs the command and prints its results. Returns an exit status. Call once, after the options were parsed.
  virtual int Execute(const CommonOptions& common, Console& console) = 0;
};

// A command as the help describes it. Help for options is declared with the options.
struct CommandType {
  std::string_view name;
  std::string_view arguments;     // "GRAPH...", as the usage line shows them
  std::string_view words = {};    // what the argument may be, if that is a word of a list: "bash zsh fish"
  std::string_view summary;       // a line in the help of the program
  std::string_view about;         // the first paragraph of its own help
  std::string_view usage = {};    // a second usage line
  std::string_view details = {};  // before its options
  std::string_view notes = {};    // after them
  std::string_view examples;      // one command line per line
  std::unique_ptr<Command> (*make)();
};

template <typename AnyCommand>
std::unique_ptr<Command> Make() {
  return std::make_unique<AnyCommand>();
}

extern const CommandType kRunCommand, kBatchCommand, kBenchCommand, kCheckCommand, kConfigCommand, kPlanCommand,
    kOpsCommand, kExplainCommand, kPluginsCommand, kInspectCommand, kInstallCommand, kUninstallCommand, kSignCommand,
    kKeygenCommand, kCompatCommand, kSchemaCommand, kGraphCommand, kSdkCommand, kWrapCommand, kDoctorCommand,
    kGradCommand, kGradcheckCommand, kNewCommand, kReportCommand, kCompileCommand, kLockCommand, kCompletionCommand,
    kDevCommand, kPackCommand, kTestCommand;

// In the order of the help.
inline constexpr const CommandType* kCommands[] = {
    &kRunCommand,     &kBatchCommand,     &kBenchCommand, &kCompileCommand,   &kLockCommand,    &kCheckCommand,
    &kConfigCommand,  &kPlanCommand,      &kGradCommand,  &kGradcheckCommand, &kTestCommand,    &kOpsCommand,
    &kExplainCommand, &kNewCommand,       &kDevCommand,   &kPackCommand,      &kPluginsCommand, &kInspectCommand,
    &kInstallCommand, &kUninstallCommand, &kSignCommand,  &kKeygenCommand,    &kCompatCommand,  &kSchemaCommand,
    &kGraphCommand,   &kReportCommand,    &kSdkCommand,   &kWrapCommand,      &kDoctorCommand,  &kCompletionCommand};

struct Invocation {
  const CommandType* type = nullptr;
  CommonOptions common;
  std::unique_ptr<Command> command;
};

// The text for --help or --version, or an introduction.
struct HelpText {
  std::string text;
  bool requested = true;  // false: no words were given
};

// The request is invalid or ambiguous.
struct UsageError {
  CommonOptions common;  // as far as parsed, for the format of the message
  Diagnostic diagnostic;
};

using CommandLine = std::variant<Invocation, HelpText, UsageError>;

// Prints nothing, and looks at files only to tell a graph from a misspelled command.
// words: without the name of the program. A first word that is neither an option nor a command means "run" if it ends
// in .yaml or .yml, is "-", contains a slash, or names a file. Errors: U002 for an unknown command, and those of
// Options::Parse. (U006: the file that bench compares with is not a bench document.)
CommandLine ParseCommandLine(std::vector<std::string> words);

// A command with all its options.
struct WithOptions {
  explicit WithOptions(const CommandType& type);

  CommonOptions common;
  std::unique_ptr<Command> command;
  Options options;
};

// Texts made from the commands and their options. Help fits 80 columns, but for examples.
std::string HelpOf(const CommandType& type);
std::string HelpOfProgram();
std::string ManualPage();  // opsrun(1), in the language of man

// "opsrun 0.1.0 (level 1)" and a newline.
std::string VersionText();

}  // namespace opsrun::host
