// host/base/own_file.h: the file that this code is in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace opsrun::host {

// The program, or the library that another program has loaded: the file that the kernel has mapped, without links.
// Never a name that the program was started with, or that the library was loaded by: those are resolved in the current
// folder, where anybody may have put anything. Empty if the kernel does not say it, as without /proc. If the file has
// been removed since, " (deleted)" follows its name; its folder is still right.
std::filesystem::path OwnFile();

// The folder that is `levels` above the one of OwnFile(), such as the prefix of an install: 1 above bin. Empty if it is
// unknown, or if others may add files to it while they cannot replace ours, as in /tmp: what is found there may be
// theirs.
std::filesystem::path AboveOwnFolder(int levels);

// Of a line of /proc/self/maps: the path of the file that is mapped at `address`, as it stands there; empty if it is
// another line, or the memory is no file's.
std::string FileOfMapping(std::string_view line, uintptr_t address);

}  // namespace opsrun::host
