// host/cli/command_line.h: parses a command line.
//
// Parsing accesses files only to distinguish a graph from a misspelled command, and prints nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/cli/commands.h"

namespace opsrun::host {

// A command with its options.
struct Invocation {
  const CommandType* type = nullptr;
  CommonOptions common;
  std::unique_ptr<Command> command;
};

// Requested text: --help, --version.
struct HelpText {
  std::string text;
};

// There are no words: show an introduction.
struct Introduction {
  std::string text;
};

// What is requested does not exist or is ambiguous.
struct UsageError {
  CommonOptions common;  // as far as they were parsed, for the format of the message
  Diagnostic diagnostic;
};

using CommandLine = std::variant<Invocation, HelpText, Introduction, UsageError>;

// words: without the name of the program. A first word that is neither an option nor a command means "run" if it ends
// in .yaml or .yml, is "-", contains a slash, or names a file. Codes of errors: U002 for an unknown command, and those
// of Options::Parse. (U006: the file that bench compares with is not a bench document.)
CommandLine ParseCommandLine(std::vector<std::string> words);

}  // namespace opsrun::host
