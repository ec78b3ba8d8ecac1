// host/cli/help_text.h: what --help says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/cli/commands.h"

namespace opsrun::host {

std::string HelpOf(const CommandType& type);
std::string HelpOfProgram();

// "opsrun 0.1.0 (level 1)" and a line break.
std::string VersionText();

// For someone who typed the program's name alone.
std::string IntroductionText();

}  // namespace opsrun::host
