// tests/fuzz/verdict_target.cc: the text of a kept verdict.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/verdict.h"
#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

using namespace host;  // NOLINT: a test of it

void Eat(std::string_view bytes) {
  const std::optional<Verdict> verdict = ParseVerdict(bytes);
  if (verdict) Require(ParseVerdict(VerdictText(*verdict)) == verdict, "a verdict survives being written");
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds = Corpus("verdict", {});
  Verdict verdict{"0.1.0 level 1", "/lib/a.so", {1234, 5678}, "00ff", 0x123456789, {{"/lib/libc.so.6", {1, 2}}}};
  seeds.push_back(VerdictText(verdict));
  verdict.libraries.clear();
  verdict.build_id.clear();
  seeds.push_back(VerdictText(verdict));
  return seeds;
}

std::vector<std::string> Words() {
  return {"opsrun verdict 1\n", "host ", "path ", "stamp ", "build ", "content ",
          "library 1 2 /x\n",   "end\n", "-",     "\n"};
}

}  // namespace

const Target kVerdict = {"verdict", Eat, Seeds, Words};

}  // namespace opsrun::fuzz
