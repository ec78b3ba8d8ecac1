// host/cli/command_line.h: what the words of a command line ask for.
//
// Parsing looks at no file but to tell a graph from a mistyped command, and prints nothing.
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

using CommandLine = std::variant<Invocation, HelpText, Introduction, UsageError>;

// words: without the program's name. A first word that is neither an option nor a command means "run" if it ends in
// .yaml or .yml, is "-", holds a slash, or names a file. Codes of errors: U002 unknown command, and those of
// Options::Parse. (U006: bench, a file to compare with that is not a bench document.)
CommandLine ParseCommandLine(std::vector<std::string> words);

}  // namespace opsrun::host
