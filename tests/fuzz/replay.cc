// tests/fuzz/replay.cc: runs the targets without libFuzzer: every seed, then a few thousand simple mutations.
//
// usage: fuzz_replay TARGET [FILE...]          only the files, if there are any
//        fuzz_replay --seeds TARGET DIRECTORY  writes the seeds, for libFuzzer
//
// The mutations are the same on every machine. An input that ends the program, or takes longer than a second, is saved
// as replay-TARGET.input.
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <random>

#include "tests/fuzz/target.h"

namespace opsrun::fuzz {
namespace {

constexpr size_t kRounds = 12'000;
constexpr size_t kMostBytes = 8192;
constexpr double kMostSecondsInAll = 2;  // of this program; with a sanitizer, rounds end earlier
#if defined(OPSRUN_SANITIZED)
constexpr double kMostSeconds = 10;
#else
constexpr double kMostSeconds = 1;
#endif

std::string current;
std::string left_behind;

// Called from a signal handler: async-signal-safe calls only.
void LeaveBehind() {
  const int fd = open(left_behind.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd >= 0 && write(fd, current.data(), current.size()) >= 0) close(fd);
  constexpr std::string_view kWhere = "the input is in ";
  if (write(STDERR_FILENO, kWhere.data(), kWhere.size()) < 0) return;
  if (write(STDERR_FILENO, left_behind.data(), left_behind.size()) > 0 && write(STDERR_FILENO, "\n", 1) < 0) return;
}

extern "C" void Die(int signal) {
  LeaveBehind();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

double CpuSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void Eat(const Target& target, std::string input) {
  current = std::move(input);
  const double begin = CpuSeconds();
  target.eat(current);
  Require(CpuSeconds() - begin < kMostSeconds, "an input of this size takes less than a second");
}

class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
      : seeds_(std::move(seeds)), words_(std::move(words)) {}

  std::string Next() {
    std::string input = Any(seeds_);
    for (size_t n = 1 + Below(6); n > 0; --n) Change(input);
    input.resize(std::min(input.size(), kMostBytes));
    return input;
  }

 private:
  size_t Below(size_t n) { return n == 0 ? 0 : random_() % n; }
  const std::string& Any(const std::vector<std::string>& texts) { return texts[Below(texts.size())]; }
  // Headers are at the beginning: half of the changes are made there.
  size_t Place(const std::string& input) {
    return Below(Below(2) == 0 ? std::min<size_t>(input.size(), 300) : input.size());
  }

  void Change(std::string& input) {
    const size_t at = Place(input);
    const size_t n = Below(32);
    switch (Below(7)) {
      case 0:
        return void(input.erase(at, n));
      case 1:
        return void(input.insert(at, Any(words_)));
      case 2:
        return void(input.replace(at, Any(words_).size(), Any(words_)));
      case 3:
        return void(input.insert(at, input.substr(Place(input), n)));
      case 4:
        return Splice(input, at, Any(seeds_));
      case 5:
        return void(input.insert(at, n, static_cast<char>(random_())));
      default:
        if (!input.empty()) input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
    }
  }

  void Splice(std::string& input, size_t at, const std::string& other) {
    input.insert(at, other.substr(Below(std::min(other.size(), kMostBytes)), Below(128)));
  }

  std::minstd_rand random_{1};  // the same numbers on every machine
  std::vector<std::string> seeds_;
  std::vector<std::string> words_;
};

void EatSeedsAndMutations(const Target& target) {
  const std::vector<std::string> seeds = SeedsOf(target);
  for (const std::string& seed : seeds) Eat(target, seed);
  Mutator mutator(seeds, target.words());
  size_t round = 0;
  for (; round < kRounds && CpuSeconds() < kMostSecondsInAll; ++round) Eat(target, mutator.Next());
  std::printf("%s: %zu seeds, %zu mutations\n", target.name.data(), seeds.size(), round);
}

int WriteSeeds(const Target& target, const std::string& directory) {
  size_t i = 0;
  for (const std::string& seed : SeedsOf(target))
    std::ofstream(directory + "/seed" + std::to_string(i++), std::ios::binary) << seed;
  return 0;
}

int Run(const Target& target, const std::vector<std::string>& files) {
  left_behind = "replay-" + std::string(target.name) + ".input";
  for (int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, Die);
  for (const std::string& file : files) Eat(target, ContentOf(file));
  if (files.empty()) EatSeedsAndMutations(target);
  return 0;
}

const Target* Find(std::string_view name) {
  for (const Target* each : {&kNotes, &kLibrary, &kGpu, &kCache, &kVerdict, &kTable, &kGraph, &kNpy, &kNpz, &kSpec,
                             &kGradient, &kOps, &kProto, &kSymbol, &kCompiled, &kKey, &kLock, &kIsolate}) {
    if (each->name == name) return each;
  }
  return nullptr;
}

}  // namespace
}  // namespace opsrun::fuzz

int main(int argc, char** argv) {
  using namespace opsrun::fuzz;
  std::vector<std::string> words(argv + 1, argv + argc);
  const bool seeds = words.size() == 3 && words[0] == "--seeds";
  if (seeds) words.erase(words.begin());
  const Target* target = words.empty() ? nullptr : Find(words[0]);
  if (target == nullptr) {
    std::fprintf(stderr, "usage: fuzz_replay TARGET [FILE...] or fuzz_replay --seeds TARGET DIRECTORY\n");
    return 2;
  }
  words.erase(words.begin());
  return seeds ? WriteSeeds(*target, words[0]) : Run(*target, words);
}
