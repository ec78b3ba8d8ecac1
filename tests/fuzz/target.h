// tests/fuzz/target.h: functions that take any bytes at all and return, and what is worth trying on them.
//
// clang's libFuzzer calls one of them in a program of its own; replay.cc calls all of them in the ordinary suite.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsrun::fuzz {

struct Target {
  std::string_view name;
  void (*eat)(std::string_view bytes);
  std::vector<std::string> (*seeds)();  // inputs that reach far; mutations begin with them
  std::vector<std::string> (*words)();  // what a mutation may write into an input
};

extern const Target kNotes, kLibrary, kGpu, kCache, kVerdict, kTable, kGraph, kNpy, kNpz, kSpec, kGradient, kProto,
    kSymbol;

// Ends the program, as a crash would, if what must hold does not.
void Require(bool holds, std::string_view what);

std::string ContentOf(const std::string& path);
// Paths of the files in a directory whose names end so, sorted; none if there is no such directory.
std::vector<std::string> FilesIn(const std::string& directory, std::string_view ending);
// Their bytes, and those of the files in corpus/NAME: inputs that were a problem once.
std::vector<std::string> Corpus(std::string_view name, const std::vector<std::string>& files);

}  // namespace opsrun::fuzz
