// host/cli/help_text.h: what --help says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

// Of one command ("run"); of the program for a word that is none.
std::string HelpOf(std::string_view command);

// "opsrun 0.1.0 (level 1)" and a line break.
std::string VersionText();

// For someone who typed the program's name alone.
std::string IntroductionText();

}  // namespace opsrun::host
