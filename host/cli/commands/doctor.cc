// host/cli/commands/doctor.cc: opsrun doctor, which reports what this program finds on this machine.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/cli/session.h"
#include "host/device/cuda_device.h"
#include "host/examine/judge_library.h"
#include "host/examine/prober.h"
#include "host/show/json_text.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {
namespace {

// The name of a fact, its values for people, each on a line, and for programs.
struct Fact {
  const char* name;
  std::vector<std::string> texts;
  Json json;
};

Fact OpsrunFact() {
  return {"opsrun",
          {fmt::format("{}, level {}, built with {}", OPSRUN_VERSION, OPSRUN_LEVEL, OPSRUN_COMPILER)},
          {{"version", OPSRUN_VERSION}, {"level", OPSRUN_LEVEL}, {"compiler", OPSRUN_COMPILER}}};
}

Fact ProcessorFact() {
  const int cpus = AvailableCpus();
  const std::string text = Several(static_cast<size_t>(cpus), "CPU");
  const uint32_t bits = MachineHere().x86_isa;
  const std::string isa = bits == 0 ? "" : HighestIsa(bits);
  return {"processor",
          {isa.empty() ? text : fmt::format("{}, {}", isa, text)},
          {{"isa", isa.empty() ? Json() : Json(isa)}, {"cpus", cpus}}};
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

Fact LibrariesFact() {
  const std::string glibc = MachineHere().glibc;
  std::vector<std::string> texts = {glibc.empty() ? "a C library other than glibc" : "glibc " + glibc};
  Json json = {{"glibc", glibc.empty() ? Json() : Json(glibc)}};
  for (const std::string prefix : {"GLIBCXX_", "CXXABI_"}) {
    const std::string version = HighestVersion(prefix);
    if (version.empty()) continue;
    texts.push_back(version);
    json[prefix.substr(0, prefix.size() - 1)] = version.substr(prefix.size());
  }
  return {"libraries", {fmt::format("{}", fmt::join(texts, ", "))}, json};
}

Fact ProbeFact(bool off) {
  const std::string probe = FindProbe();
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kProbeLimit).count();
  return {
      "probe",
      {off             ? "off: --no-probe"
       : probe.empty() ? "missing: plugins are opened without trying them first; install libexec/opsrun/opsrun-probe"
                       : fmt::format("{}, {} s at most for each plugin", probe, seconds)},
      {{"program", probe.empty() ? Json() : Json(probe)}, {"used", !off && !probe.empty()}, {"seconds", seconds}}};
}

Fact VerdictsFact() {
  const std::string folder = VerdictFolder();
  return {"verdicts",
          {folder.empty() ? "not kept: neither XDG_CACHE_HOME nor HOME is an absolute path" : folder},
          folder.empty() ? Json() : Json(folder)};
}

Fact CudaFact() {
  const CudaCards driver = LookAtCudaCards();
  if (!driver.problem.empty())
    return {"cuda", {driver.problem}, {{"problem", driver.problem}, {"driver", nullptr}, {"cards", Json::array()}}};
  const std::string version = fmt::format("{}.{}", driver.version / 1000, driver.version % 1000 / 10);
  Fact fact{
      "cuda",
      {fmt::format("driver for CUDA {}, {}{}", version, Several(driver.cards.size(), "card"), VisibleCardsText())},
      {{"problem", nullptr}, {"driver", version}, {"cards", Json::array()}}};
  for (const CudaCard& card : driver.cards) {
    fact.texts.push_back(fmt::format("card {}: {}, sm_{}{}, {}", &card - driver.cards.data(), card.name, card.major,
                                     card.minor, BytesText(static_cast<double>(card.memory))));
    fact.json["cards"].push_back(
        {{"name", card.name}, {"sm", card.major * 10 + card.minor}, {"memory_bytes", card.memory}});
  }
  return fact;
}

Fact PlacesFact(const Catalog& catalog) {
  Fact fact{"plugins", {}, Json::array()};
  for (size_t i = 0; i < catalog.places.size(); ++i) {
    const auto& [directory, origin, required, of_user] = catalog.places[i];
    size_t files = 0, refused = 0;
    for (const CatalogEntry& entry : catalog.entries) {
      files += entry.place == i;
      refused += entry.place == i && entry.refusal;
    }
    const std::string of_those = refused == 0 ? "" : fmt::format(", {} refused", refused);
    fact.texts.push_back(fmt::format("{} ({}{})", directory, Several(files, "plugin"), of_those));
    fact.json.push_back({{"directory", directory}, {"origin", origin}, {"plugins", files}, {"refused", refused}});
  }
  return fact;
}

class DoctorCommand final : public Command {
 public:
  void AddOptions(Options& options) override { options.Flag("--json", json_, "print one JSON object"); }

  int Execute(const CommonOptions& common, Console& console) override {
    const std::shared_ptr<Engine> engine = OpenEngine(common, console);
    if (engine == nullptr) return kExitPlugins;
    const std::string program = OwnFile().string();
    Json json;
    std::string text;
    for (const Fact& fact : {OpsrunFact(), Fact{"program", {program}, program}, ProcessorFact(), LibrariesFact(),
                             ProbeFact(common.no_probe), VerdictsFact(), CudaFact(), PlacesFact(*engine->catalog())}) {
      json[fact.name] = fact.json;
      const char* name = fact.name;
      for (const std::string& value : fact.texts) text += fmt::format("{:11}{}\n", std::exchange(name, ""), value);
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
