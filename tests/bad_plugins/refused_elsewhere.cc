// tests/bad_plugins/refused_elsewhere.cc: prints refusals that no command can be brought to print on this machine:
// those of other machines, and of files that change between two looks at them.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "host/examine/compatibility.h"
#include "host/examine/judge_library.h"
#include "host/examine/prober.h"
#include "host/plugin/load.h"
#include "tests/bad_plugins/test_plugins.h"

namespace opsrun::host {
namespace {

void Print(const std::string& where, const std::optional<Refusal>& refusal) {
  const Refusal none{"not refused", "nothing"};
  std::printf("%s: %s\n  fix: %s\n", where.c_str(), refusal.value_or(none).reason.c_str(),
              refusal.value_or(none).remedy.c_str());
}

// Opens a file without the check of its requirements and exports.
void PrintUnjudged() {
  for (const char* name : {"needs_absent_library", "undefined_symbol", "no_entry", "entry_is_data", "borrowed_entry",
                           "absent/opsrun_test_absent"}) {
    for (const LoadRefusal& each : LoadFile(PluginPath(name), TestHost()).refused) Print(name, each.refusal);
  }
  Print("a folder", LoadFile(OPSRUN_BAD_PLUGINS, TestHost()).refused.at(0).refusal);
}

void PrintOtherMachines() {
  LibraryFacts packed;
  packed.packed_relocations = true;
  Print("packed relocations, glibc 2.31", FirstRefusal(JudgeFacts(packed, {0, "2.31"}, "entry")));
  Print("packed relocations, another C library", FirstRefusal(JudgeFacts(packed, {0, ""}, "entry")));
}

void PrintLoader() {
  for (const char* message : {"libx.so.1: cannot open shared object file: No such file or directory",
                              "libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by p.so)"})
    Print(message, ExplainLoaderMessage(message, "p.so", {}));
}

}  // namespace
}  // namespace opsrun::host

int main() {
  using namespace opsrun::host;
  PrintUnjudged();
  PrintOtherMachines();
  PrintLoader();
  Print("a file that is gone",
        FirstRefusal(JudgeLibrary("/nowhere/at/all.so", "entry", LibrarySearch::OfThisProcess())));
  Print("no unit", CheckCompatible({}, OPSRUN_LEVEL, CpuHere));
  PluginNote vectors;
  vectors.units.push_back({.header_level = 1, .min_level = 1, .cpu = 3, .sdk_version = "0.1.0", .compiler = "gcc 12"});
  Print("an older processor", CheckCompatible(vectors, OPSRUN_LEVEL, [] { return uint64_t{1}; }));
  const auto report = Probe("/bin/true", PluginPath("good"), OPSRUN_LEVEL, std::chrono::seconds(10));
  Print("a probe that says nothing", report ? report->refusal : std::nullopt);
}
