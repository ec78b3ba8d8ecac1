// host/cli/explain_code.h: the part of opsrun explain that is about codes of messages, not about ops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/cli/common_options.h"
#include "host/cli/console.h"

namespace opsrun::host {

// Explains the code that `word` is, or lists all for "codes", and answers the exit code. Nothing if an op is
// meant: no op's name begins with a small letter, so "g204" is always the code, and "G204" is it unless there is such
// an op.
std::optional<int> ExplainCode(const std::string& word, bool json, const CommonOptions& common, Console& console);

// After an op was explained that has the name of a code: how to get the other one.
void NoteCode(const std::string& word, Console& console);

// For what is no op: reports it and answers the exit code if it looks like a code.
std::optional<int> RefuseCode(const std::string& word, Console& console);

}  // namespace opsrun::host
