// host/cli/help_text.h: the text of --help.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/cli/commands.h"

namespace opsrun::host {

std::string HelpOf(const CommandType& type);
std::string HelpOfProgram();

// "opsrun 0.1.0 (level 1)" and a newline.
std::string VersionText();

// The text for a command line without arguments.
std::string IntroductionText();

}  // namespace opsrun::host
