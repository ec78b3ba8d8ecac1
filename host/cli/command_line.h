// host/cli/command_line.h: parses a command line.
//
// Prints nothing, and looks at files only to tell a graph from a misspelled command.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <variant>

#include "host/cli/commands.h"

namespace opsrun::host {

struct Invocation {
  const CommandType* type = nullptr;
  CommonOptions common;
  std::unique_ptr<Command> command;
};

// The text for --help or --version.
struct HelpText {
  std::string text;
};

// No words were given: show an introduction.
struct Introduction {
  std::string text;
};

// The request is invalid or ambiguous.
struct UsageError {
  CommonOptions common;  // as far as parsed, for the format of the message
  Diagnostic diagnostic;
};

using CommandLine = std::variant<Invocation, HelpText, Introduction, UsageError>;

// words: without the name of the program. A first word that is neither an option nor a command means "run" if it ends
// in .yaml or .yml, is "-", contains a slash, or names a file. Errors: U002 for an unknown command, and those of
// Options::Parse. (U006: the file that bench compares with is not a bench document.)
CommandLine ParseCommandLine(std::vector<std::string> words);

// The texts of --help.
std::string HelpOf(const CommandType& type);
std::string HelpOfProgram();

// "opsrun 0.1.0 (level 1)" and a newline.
std::string VersionText();

}  // namespace opsrun::host
