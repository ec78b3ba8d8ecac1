// host/examine/writers.h: who can change a file that this process runs or obeys: only its user and the system, or
// others.
//
// The rules are those of OpenSSH for the keys of a user, and docs/trust.md explains them. Whoever owns opsrun itself
// may own plugins too, because nothing is safe from him.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/base/diagnostic.h"
#include "host/base/file.h"

namespace opsrun::host {

// Why somebody else than the user of this process and root can change the content of `file`, or put another file in its
// place; nothing if nobody can. The reason begins with "it"; the remedy has a command. file: an open file or directory,
// so that what is judged is what the caller reads. path: what was opened, used only if /proc is missing. Thread-safe.
std::optional<Refusal> RefuseOtherWriters(const Descriptor& file, const std::string& path);

// A path as a shell reads it, in quotes if it needs some.
std::string ShellWord(const std::string& path);

// The same as RefuseOtherWriters for a plugin or a file beside one; the remedy also names the option to accept it.
std::optional<Refusal> RefuseWritablePlugin(const Descriptor& file, const std::string& path);

}  // namespace opsrun::host
