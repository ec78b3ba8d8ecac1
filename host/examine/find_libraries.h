// host/examine/find_libraries.h: finds the libraries that a library needs, as the dynamic linker of glibc does
// (ld.so(8)).
//
// In order: libraries that the process has loaded, by soname; DT_RPATH of the user, if it has no DT_RUNPATH;
// LD_LIBRARY_PATH; DT_RUNPATH of the user; /etc/ld.so.cache; the system's directories. Ignored: DT_RPATH of the
// libraries that loaded the user, and subdirectories for processors: the plain libraries give the same answer. Not
// thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/examine/library_facts.h"

namespace opsrun::host {

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

}  // namespace opsrun::host
