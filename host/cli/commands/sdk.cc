// host/cli/commands/sdk.cc: opsrun sdk, which prints the flags that the SDK lists with its actual paths.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <stdio.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "host/base/environment.h"
#include "host/base/file.h"
#include "host/cli/commands.h"
#include "host/show/json_text.h"

namespace opsrun::host {
namespace {

// A kind of flags: the word at the start of their lines in the list.
using Part = std::string_view;
constexpr Part kCompileFlags = "compile ", kLinkFlags = "link ", kCudaFlags = "nvcc ", kTestFlags = "test ",
               kCudaLanguage = "arch ", kGpuFlags = "gpu ", kGpuLinkFlags = "gpulink ", kLayerFlags = "layer ",
               kAbslFlags = "absl ";

// Where the SDK is in an install, or in a build folder, which has the same layout.
struct SdkPaths {
  std::string folder;
  std::string eigen;
  std::string libraries;
  std::string cuda;  // the CUDA toolkit, which may be missing
};

// The CUDA toolkit: CUDA_PATH, otherwise the toolkit of the nvcc in PATH, otherwise the usual place.
std::string FindToolkit() {
  constexpr char kUsual[] = "/usr/local/cuda";
  if (const char* path = Environment("CUDA_PATH"); path != nullptr && *path != '\0') return path;
  const std::string nvcc = FindProgram("nvcc");
  std::error_code error;
  const std::filesystem::path program = std::filesystem::canonical(nvcc, error);
  return error ? kUsual : program.parent_path().parent_path().string();
}

// Empty paths if this program cannot find its own file.
SdkPaths FindSdk() {
  const std::filesystem::path prefix = AboveOwnFolder(1);
  if (prefix.empty()) return {};
  const std::string share = prefix / "share/opsrun";
  return {share + "/sdk", share + "/eigen", prefix / "lib", FindToolkit()};
}

Result<std::string> ReadFlags(const SdkPaths& sdk) {
  constexpr size_t kMostBytes = 1 << 20;
  if (sdk.folder.empty())
    return NotFound("the location of this program is unknown, or others may write to the folder above it");
  return ReadFile(sdk.folder + "/cmake/flags.txt", kMostBytes);
}

void ReplaceAll(std::string& text, std::string_view word, const std::string& value) {
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + value.size())) {
    text.replace(at, word.size(), value);
  }
}

// Quotes a word for a POSIX shell.
std::string Quoted(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string inside = word;
  ReplaceAll(inside, "'", "'\\''");
  return "'" + inside + "'";
}

// The flags of one part, which are on lines such as "compile -fPIC".
std::vector<std::string> Flags(std::string_view list, Part part, const SdkPaths& sdk) {
  std::vector<std::string> flags;
  for (const std::string_view line : LinesOf(list)) {
    if (!line.starts_with(part)) continue;
    std::string flag(line.substr(part.size()));
    ReplaceAll(flag, "@SDK@", sdk.folder);
    ReplaceAll(flag, "@EIGEN@", sdk.eigen);
    ReplaceAll(flag, "@LIB@", sdk.libraries);
    ReplaceAll(flag, "@CUDA@", sdk.cuda);
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::string OneLine(std::string_view list, const std::vector<Part>& parts, const SdkPaths& sdk) {
  std::vector<std::string> words;
  for (Part part : parts) {
    for (const std::string& flag : Flags(list, part, sdk)) {
      std::string word = Quoted(flag);
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    }
  }
  return fmt::format("{}\n", fmt::join(words, " "));
}

// The output of `command` as one line. Empty if it cannot run or fails.
std::string OutputOf(const std::string& command) {
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  std::string text;
  char part[256];
  while (fgets(part, sizeof(part), pipe) != nullptr) text += part;
  if (pclose(pipe) != 0) return {};
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

// The flags for compiling and linking with abseil, from pkg-config. Empty without abseil. Modules that some versions
// lack are queried one by one.
std::string AbseilFlags() {
  const std::string program = FindProgram("pkg-config");
  if (program.empty()) return {};
  std::string modules = "absl_status absl_statusor absl_strings absl_str_format absl_time absl_synchronization";
  for (const char* module : {"absl_flat_hash_map", "absl_flat_hash_set", "absl_node_hash_map", "absl_btree",
                             "absl_hash", "absl_inlined_vector", "absl_span", "absl_optional", "absl_cord", "absl_log",
                             "absl_check", "absl_random_random"}) {
    if (std::system(fmt::format("{} --exists {} 2> /dev/null", Quoted(program), module).c_str()) == 0) {
      modules += fmt::format(" {}", module);
    }
  }
  return OutputOf(fmt::format("{} --cflags --libs {} 2> /dev/null", Quoted(program), modules));
}

// A shell splits the output of $(...) at spaces and does not interpret quotes in it.
void NoteSpaces(const std::string& flags, Console& console) {
  if (flags.find('\'') == std::string::npos) return;
  console.Note(
      "the path of the SDK contains spaces or other special characters, so $(opsrun sdk ...) works only under eval: "
      "eval \"g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags)\"");
}

std::string Overview(std::string_view list, const SdkPaths& sdk) {
  return fmt::format(
      "opsrun SDK {} (level {}) in {}\n\n--compile-flags\n  {}\n--link-flags\n  {}\n--cuda-cflags\n  "
      "{}\n--gpu\n  {}\n--test-flags\n  {}",
      OPSRUN_VERSION, OPSRUN_LEVEL, sdk.folder, OneLine(list, {kCompileFlags, kLayerFlags}, sdk),
      OneLine(list, {kLinkFlags}, sdk), OneLine(list, {kCudaLanguage, kCudaFlags}, sdk),
      OneLine(list, {kGpuFlags, kGpuLinkFlags}, sdk), OneLine(list, {kTestFlags}, sdk));
}

class SdkCommand final : public Command {
 public:
  void AddOptions(Options& options) override {
    options.Flag("--cflags", all_, "all flags for a g++ or clang++ command that compiles and links");
    options.Flag("--compile-flags", compile_, "only the flags for compiling");
    options.Flag("--link-flags", link_, "only the flags for linking");
    options.Flag("--absl", absl_, "with --cflags: for sources that use abseil itself; pkg-config must find it");
    options.Flag("--cuda-cflags", cuda_, "all flags for compiling a .cu.cc file with nvcc");
    options.Flag("--gpu", gpu_, "with --cflags: also the flags for a plugin with such files");
    options.Flag("--cmake-dir", cmake_dir_, "the folder of opsrun-config.cmake, for find_package(opsrun HINTS ...)");
    options.Flag("--test-flags", test_, "for a program that tests a plugin with opsrun/testing.h and GoogleTest");
  }

  int Execute(const CommonOptions&, Console& console) override {
    const SdkPaths sdk = FindSdk();
    const Result<std::string> list = ReadFlags(sdk);
    if (!list.ok()) {
      return console.Report(MakeError(
          "P105", fmt::format("the SDK was not found: {}", list.status().message()),
          "install opsrun with its SDK: the program in <prefix>/bin looks for it in <prefix>/share/opsrun/sdk"));
    }
    if (cmake_dir_) {
      console.Print(fmt::format("{}/cmake/opsrun\n", sdk.libraries));
      return kExitOk;
    }
    const std::string library = sdk.libraries + "/libopsrun_testing.so";
    std::error_code error;
    if (test_ && !std::filesystem::exists(library, error)) {
      // Builds of the program alone do not include it.
      return console.Report(MakeError("P105", fmt::format("the testing library was not found: no file '{}'", library),
                                      "install opsrun with its SDK, or build its target opsrun_testing_library"));
    }
    const std::vector<Part> parts = Parts();
    std::string flags = OneLine(*list, parts, sdk);
    if (absl_) {
      const std::string abseil = AbseilFlags();
      if (abseil.empty()) {
        return console.Report(
            MakeError("P105", "abseil was not found: pkg-config does not know absl_status and related packages",
                      "install abseil and pkg-config (libabsl-dev and pkg-config on Debian), or leave out --absl: "
                      "the SDK itself has the most common names of abseil"));
      }
      flags.insert(flags.size() - 1, " " + abseil);
    }
    console.Print(parts.empty() ? Overview(*list, sdk) : flags);
    NoteSpaces(flags, console);
    return kExitOk;
  }

 private:
  // In the order of printing; empty: print an overview.
  std::vector<Part> Parts() const {
    std::vector<Part> parts;
    if (all_ || compile_) parts.insert(parts.end(), {kCompileFlags, absl_ ? kAbslFlags : kLayerFlags});
    if (absl_ && parts.empty()) parts.push_back(kAbslFlags);
    if (all_ || link_) parts.push_back(kLinkFlags);
    if (cuda_) parts.insert(parts.end(), {kCudaLanguage, kCudaFlags});
    if (gpu_) parts.insert(parts.end(), {kGpuFlags, kGpuLinkFlags});
    if (test_) parts.push_back(kTestFlags);
    return parts;
  }

  bool all_ = false, compile_ = false, link_ = false, cuda_ = false, gpu_ = false, test_ = false, absl_ = false,
       cmake_dir_ = false;
};

}  // namespace

const CommandType kSdkCommand = {
    .name = "sdk",
    .arguments = "",
    .summary = "print the compiler flags that build a plugin",
    .about =
        "Prints the compiler flags that build a plugin, quoted for a shell. Without options, an overview of them.\n",
    .notes = "If the path of the SDK contains spaces, write: eval \"g++ ... $(opsrun sdk --cflags)\"\n",
    .examples = R"(g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags)
nvcc -std=c++17 -O2 -c my_op.cu.cc -o my_op.cu.o $(opsrun sdk --cuda-cflags)
g++ -std=c++17 -O2 -shared my_op.cc my_op.cu.o -o my_op.so $(opsrun sdk --cflags --gpu)
g++ -std=c++17 -O2 -shared my_op.cc -o my_op.so $(opsrun sdk --cflags --absl)
g++ -std=c++17 my_test.cc -o my_test $(opsrun sdk --test-flags)
)",
    .make = Make<SdkCommand>,
};

}  // namespace opsrun::host
