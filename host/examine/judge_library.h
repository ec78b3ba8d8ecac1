// host/examine/judge_library.h: decides from files alone whether this process can load a library. None of its code
// runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/elf_file.h"
#include "host/examine/library_facts.h"

namespace opsrun::host {

// Recognizes the file by its first bytes: "it is a Git LFS pointer, not a shared library", with a remedy.
Refusal ExplainForeign(const FileBytes& bytes);

// What this machine can run.
struct Machine {
  uint32_t x86_isa = 0;  // as in GNU_PROPERTY_X86_ISA_1_NEEDED: bit n is level n + 1 of x86-64; 0 elsewhere
  std::string glibc;     // "2.36"; empty if the C library is another one
};

Machine MachineHere();

// The highest level of these bits by name: "x86-64-v3" for bit 2; "x86-64" for bit 0 or no bit.
std::string HighestIsa(uint32_t bits);

// Compares numbers between dots: "2.9" is older than "2.36".
bool IsOlder(const std::string& version, const std::string& than);

// Finds the libraries that a library needs, as the dynamic linker of glibc does (ld.so(8)).
//
// In order: libraries that the process has loaded, by soname; DT_RPATH of the user, if it has no DT_RUNPATH;
// LD_LIBRARY_PATH; DT_RUNPATH of the user; /etc/ld.so.cache; the system's directories. Ignored: DT_RPATH of the
// libraries that loaded the user, and subdirectories for processors: the plain libraries give the same answer. Not
// thread-safe.
class LibrarySearch {
 public:
  // The search as this process would make it now.
  static LibrarySearch OfThisProcess();

  // The file, or nothing. user_path: the absolute path of the library that needs it, for $ORIGIN.
  std::optional<std::string> Find(const std::string& library, const LibraryFacts& user,
                                  const std::string& user_path) const;
  // The same, as if the process had not loaded anything.
  std::optional<std::string> FindAfresh(const std::string& library, const LibraryFacts& user,
                                        const std::string& user_path) const;

  // A file of that name exists, but this process may not read it. error: an errno.
  struct Unreadable {
    std::string path;
    int error = 0;
  };
  std::optional<Unreadable> FindUnreadable(const std::string& library, const LibraryFacts& user,
                                           const std::string& user_path) const;

  // The files that the process has loaded, the program first.
  const std::vector<std::string>& loaded() const { return loaded_; }

  // For a process that has not loaded anything. cache_file: in the format of /etc/ld.so.cache; read when needed.
  LibrarySearch(std::vector<std::string> library_path, std::string cache_file)
      : library_path_(std::move(library_path)), cache_file_(std::move(cache_file)) {}

 private:
  // The paths that the linker tries, in order.
  std::vector<std::string> Candidates(const std::string& library, const LibraryFacts& user,
                                      const std::string& user_path) const;
  const std::vector<std::string>& Cached(const std::string& library) const;

  std::vector<std::string> loaded_;
  std::map<std::string, std::string> by_soname_;  // of loaded_
  std::vector<std::string> library_path_;         // LD_LIBRARY_PATH
  std::string cache_file_;
  mutable std::optional<std::map<std::string, std::vector<std::string>>> cache_;  // read when needed
};

// The libraries listed in a file of the format of /etc/ld.so.cache: soname to paths. Damaged parts are skipped.
std::map<std::string, std::vector<std::string>> ReadLinkerCache(const FileBytes& bytes);

// The result has a finding for each check, in a fixed order, so that a tool can show what was checked. Only a refusal
// keeps the file from being loaded.
struct Signer {
  std::string key;      // its id
  std::string comment;  // the trusted comment
  bool checked = false;
};

struct Finding {
  enum class State { kOk, kWarning, kRefused };
  std::string check;  // one or two words: "symbols", "instruction set"
  State state = State::kOk;
  std::string text;            // what was found; the reason of a refusal
  std::string remedy;          // for warnings and refusals
  bool out_of_memory = false;  // as in Refusal
  std::optional<Signer> signer = {};
};

// The finding of a check that refuses the library.
Finding RefusedBy(std::string check, Refusal refusal);

// The first refusal.
std::optional<Refusal> FirstRefusal(const std::vector<Finding>& findings);

// entry: the only symbol that the library should export. path: absolute.
std::vector<Finding> JudgeLibrary(const std::string& path, const std::string& entry, const LibrarySearch& search);

// The checks that need no other file.
std::vector<Finding> JudgeFacts(const LibraryFacts& facts, const Machine& machine, const std::string& entry);

// The checks that do: missing and clashing libraries, and versions and symbols that no library defines.
std::vector<Finding> JudgeDependencies(const LibraryFacts& facts, const std::string& path, const LibrarySearch& search);

// Explanations why a library cannot be loaded. Pure functions.

// needed_by: the library that needs the missing one, as the subject of a sentence; empty: the plugin itself.
Refusal ExplainMissing(std::string_view library, std::string_view needed_by);

// For a library that exists. error: the errno of opening it.
Refusal ExplainUnreadable(std::string_view library, std::string_view needed_by, int error);

// For a symbol that no library defines. library: the library needed by the plugin that uses the symbol; empty: the
// plugin itself. others: the number of other undefined symbols. The remedy depends on the symbol's origin: the plugin,
// TensorFlow, abseil, protobuf, or a sanitizer.
Refusal ExplainUndefined(std::string_view library, std::string_view symbol, size_t others);

// Demangled symbols.
//
// A symbol comes from an untrusted file: it may be as long as the file, and its demangled form longer by orders of
// magnitude. Results are limited to a few hundred bytes.

// "_ZN4acme4blurEi" as "acme::blur(int)". What is not a mangled name, or would take long to demangle, is unchanged.
// Text that is too long ends in "...".
std::string SymbolText(std::string_view symbol);

// True if a mangled name belongs to a namespace, such as "google::protobuf". Parameter types do not count.
bool IsOfNamespace(std::string_view symbol, std::string_view name);

}  // namespace opsrun::host
