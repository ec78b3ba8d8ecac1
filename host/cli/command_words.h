// host/cli/command_words.h: a command line cut into a command, its options and its arguments, all still text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"

namespace opsrun::host {

using Words = std::vector<std::string>;

// As they are typed, in the order of the help.
const Words& CommandNames();

// "see: opsrun run --help"; of the program for "".
std::string SeeHelp(const std::string& command);

struct CommandWords {
  std::string command;  // empty: there is none
  Words arguments;      // graphs, plugin files, an op
  bool help = false;
  bool version = false;

  Words plugins;
  bool no_default_plugins = false;
  std::string error_format = "human";
  std::string color = "auto";
  bool quiet = false;

  Words feeds;
  std::string repeat = "1";
  std::string concurrency = "1";
  std::string trace;
  bool profile = false;
  bool strict = false;
  bool shapes = false;
  std::string seconds = "3";
  bool json = false;
  std::string compare;
  std::string threads, memory_limit, timeout;  // empty: not given

  std::string output;
  bool dot = false;
  bool svg = false;

  bool cflags = false;
  bool compile_flags = false;
  bool link_flags = false;
  bool cuda_cflags = false;
  bool test_flags = false;
};

// Fills in *split, or says what is wrong: an unknown command or option (U002, U001), an option without its value
// (U003), given twice (U004), or written wrongly (U005). A first word that is no option and no command means "run" if
// it ends in .yaml or .yml, is "-", holds a slash, or names a file.
std::optional<Diagnostic> SplitWords(const Words& words, CommandWords* split);

}  // namespace opsrun::host
