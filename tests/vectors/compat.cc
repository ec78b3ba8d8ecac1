// tests/vectors/compat.cc: versions of an op: may graphs of the old one be run with the new one?
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/compat.h"

#include <stdexcept>

#include "tests/vectors/section.h"

namespace opsrun::vectors {

namespace spec = host::spec;

namespace {

const char* Word(bool yes) {
  return yes ? "true" : "false";
}

// The first reason, which the rules put first.
std::string WhyText(const Tree& entry, const std::vector<spec::OpChange>& changes) {
  if (entry.Find("why") == nullptr || AllSafe(changes)) return "";
  return " why " + changes[0].rule;
}

std::string Expected(const Tree& entry) {
  std::string text;
  for (const char* answer : {"compatible", "defaults_unchanged", "added_defaults_unchanged"}) {
    if (const Tree* given = entry.Find(answer)) text += std::string(answer) + " " + Word(given->AsBool()) + " ";
  }
  if (entry.Find("why") != nullptr) text += " why " + entry.Text("why");
  return text;
}

}  // namespace

Verdict RunCompat(const Tree& entry, const Tree&) {
  CheckFields(entry, {"id", "quirk", "old", "mid", "new", "compatible", "why", "defaults_unchanged",
                      "added_defaults_unchanged"});
  const spec::OpDef before = OpOf(entry["old"]);
  const spec::OpDef now = OpOf(entry["new"]);
  const std::vector<spec::OpChange> changes = CompareOps(before, now);
  std::string found;
  if (entry.Find("compatible") != nullptr) found += std::string("compatible ") + Word(AllSafe(changes)) + " ";
  if (entry.Find("defaults_unchanged") != nullptr) {
    found += std::string("defaults_unchanged ") + Word(AllSafe(CompareDefaults(before, now))) + " ";
  }
  if (entry.Find("added_defaults_unchanged") != nullptr) {
    const spec::OpDef mid = OpOf(entry["mid"]);
    found += std::string("added_defaults_unchanged ") + Word(AllSafe(CompareAddedDefaults(before, mid, now))) + " ";
  }
  if (found.empty()) throw std::runtime_error("the case asks for no answer");
  return {Expected(entry), found + WhyText(entry, changes), {}};
}

}  // namespace opsrun::vectors
