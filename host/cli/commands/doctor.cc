// host/cli/commands/doctor.cc: opsrun doctor. Reports what this program finds on this machine.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include "host/base/diagnostic.h"
#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/open_engine.h"
#include "host/device/cuda_device.h"
#include "host/examine/judge_library.h"
#include "host/examine/prober.h"
#include "host/show/json_text.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

// A fact, with a name for programs and one for people. Each line is a value.
struct Fact {
  const char* name;
  std::vector<std::string> values;
};

std::string ProcessorText() {
  const std::string cpus = Several(static_cast<size_t>(AvailableCpus()), "CPU");
  const uint32_t isa = MachineHere().x86_isa;
  return isa == 0 ? cpus : fmt::format("{}, {}", HighestIsa(isa), cpus);
}

// Of the C++ library that plugins will share with this program.
std::string HighestVersion(const std::string& prefix) {
  std::string highest;
  const LibrarySearch search = LibrarySearch::OfThisProcess();
  for (const std::string& path : search.loaded()) {
    if (path.find("libstdc++") == std::string::npos) continue;
    const std::optional<LibraryFacts> facts = ReadLibraryFacts(path);
    for (const std::string& version : facts ? facts->own_versions : std::vector<std::string>()) {
      if (version.starts_with(prefix) &&
          (highest.empty() || IsOlder(highest.substr(prefix.size()), version.substr(prefix.size()))))
        highest = version;
    }
  }
  return highest;
}

std::vector<std::string> Libraries() {
  std::vector<std::string> libraries;
  const std::string glibc = MachineHere().glibc;
  libraries.push_back(glibc.empty() ? "a C library other than glibc" : "glibc " + glibc);
  for (const char* prefix : {"GLIBCXX_", "CXXABI_"}) {
    if (std::string version = HighestVersion(prefix); !version.empty()) libraries.push_back(std::move(version));
  }
  return {fmt::format("{}", fmt::join(libraries, ", "))};
}

std::vector<std::string> CudaTexts() {
  const CudaCards driver = LookAtCudaCards();
  if (!driver.problem.empty()) return {driver.problem};
  std::vector<std::string> texts = {fmt::format("driver for CUDA {}.{}, {}{}", driver.version / 1000,
                                                driver.version % 1000 / 10, Several(driver.cards.size(), "card"),
                                                VisibleCardsText())};
  for (const CudaCard& card : driver.cards) {
    texts.push_back(fmt::format("card {}: {}, sm_{}{}, {}", &card - driver.cards.data(), card.name, card.major,
                                card.minor, BytesText(static_cast<double>(card.memory))));
  }
  return texts;
}

std::vector<std::string> PlaceTexts(const Catalog& catalog) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < catalog.places.size(); ++i) {
    size_t files = 0, refused = 0;
    for (const CatalogEntry& entry : catalog.entries) {
      files += entry.place == i;
      refused += entry.place == i && entry.refusal;
    }
    const std::string of_those = refused == 0 ? "" : fmt::format(", {} refused", refused);
    texts.push_back(fmt::format("{} ({}{})", catalog.places[i].directory, Several(files, "plugin"), of_those));
  }
  return texts;
}

std::vector<Fact> Facts(const CommonOptions& common, const Catalog& catalog) {
  const std::string probe = FindProbe(), folder = VerdictFolder();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kProbeLimit).count();
  return {
      {"opsrun", {fmt::format("{}, level {}, built with {}", OPSRUN_VERSION, OPSRUN_LEVEL, OPSRUN_COMPILER)}},
      {"program", {OwnFile().string()}},
      {"processor", {ProcessorText()}},
      {"libraries", Libraries()},
      {"probe",
       {common.no_probe ? "off: --no-probe"
        : probe.empty() ? "missing: plugins are opened without trying them first; install libexec/opsrun/opsrun-probe"
                        : fmt::format("{}, {} s at most for each plugin", probe, seconds)}},
      {"verdicts", {folder.empty() ? "not kept: neither XDG_CACHE_HOME nor HOME is an absolute path" : folder}},
      {"cuda", CudaTexts()},
      {"plugins", PlaceTexts(catalog)}};
}

class DoctorCommand final : public Command {
 public:
  void AddOptions(Options& options) override { options.Flag("--json", json_, "print one JSON object"); }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    Json json;
    std::string text;
    for (const Fact& fact : Facts(common, *engine->catalog())) {
      json[fact.name] = fact.values.size() == 1 ? Json(fact.values.front()) : Json(fact.values);
      const char* name = fact.name;
      for (const std::string& value : fact.values) text += fmt::format("{:11}{}\n", std::exchange(name, ""), value);
    }
    console.Print(json_ ? JsonDocument(json) : Printable(text));
    return kExitOk;
  }

 private:
  bool json_ = false;
};

}  // namespace

const CommandType kDoctorCommand = {
    .name = "doctor",
    .arguments = "",
    .summary = "show what opsrun finds on this machine",
    .about =
        "Shows what opsrun finds on this machine: processor, C and C++ libraries, probe, CUDA driver and cards,\n"
        "and where it searches for plugins.\n",
    .examples = "opsrun doctor\nopsrun doctor --json\n",
    .make = Make<DoctorCommand>,
};

}  // namespace opsrun::host
