// tests/fuzz/target.h: functions that accept any bytes and must return, and inputs to try.
//
// clang's libFuzzer calls one of them in its own program; replay.cc calls all of them in the ordinary suite.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace opsrun::fuzz {

struct Target {
  std::string_view name;
  void (*eat)(std::string_view bytes);
  std::vector<std::string> (*seeds)();  // inputs that reach deep code, besides those in corpus/NAME; null: none
  std::vector<std::string> (*words)();  // texts that a mutation may insert
};

extern const Target kNotes, kLibrary, kGpu, kCache, kVerdict, kTable, kGraph, kNpy, kNpz, kSpec, kGradient, kOps,
    kProto, kSymbol, kCompiled, kKey, kLock, kIsolate;

// Ends the program, like a crash, unless the condition holds.
void Require(bool holds, std::string_view what);

// The texts between the semicolons.
std::vector<std::string> SplitWords(const std::string& texts);
std::string ContentOf(const std::string& path);
// The paths of the files in a directory with this ending, sorted; empty if the directory does not exist.
std::vector<std::string> FilesIn(const std::string& directory, std::string_view ending);
std::vector<std::string> ContentsOf(const std::vector<std::string>& files);
// What mutations start from: the seeds, and the files in corpus/NAME, most of which caused failures in the past.
std::vector<std::string> SeedsOf(const Target& target);

}  // namespace opsrun::fuzz
