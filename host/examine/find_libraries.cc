// SPDX-License-Identifier: Apache-2.0
#include <link.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "host/base/environment.h"
#include "host/base/text.h"
#include "host/examine/elf_file.h"
#include "host/examine/judge_library.h"

namespace opsrun::host {
namespace {

constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
constexpr uint64_t kMostCacheBytes = 64 << 20;

struct CacheHeader {
  char magic[20];
  uint32_t count, text_size;
  uint8_t flags, padding[3];
  uint32_t extensions, unused[3];
};
static_assert(sizeof(CacheHeader) == 48);

struct CacheEntry {
  int32_t flags;
  uint32_t soname, path, os_version;
  uint64_t processor;
};

#if defined(__x86_64__)
#define OPSRUN_PLATFORM "x86_64"
#elif defined(__aarch64__)
#define OPSRUN_PLATFORM "aarch64"
#else
#define OPSRUN_PLATFORM "riscv64"
#endif
constexpr const char* kSystemFolders[] = {"/lib/" OPSRUN_PLATFORM "-linux-gnu",
                                          "/usr/lib/" OPSRUN_PLATFORM "-linux-gnu",
                                          "/lib64",
                                          "/usr/lib64",
                                          "/lib",
                                          "/usr/lib"};

std::string TextAt(std::string_view bytes, uint64_t at) {
  return at >= bytes.size() ? "" : std::string(bytes.substr(at, bytes.substr(at).find('\0')));
}

// Splits ":a:b". Empty parts mean the current directory. In LD_LIBRARY_PATH, ';' is also a separator.
std::vector<std::string> Folders(std::string_view path, const char* separators) {
  std::vector<std::string> folders;
  while (!path.empty()) {
    const std::string_view folder = TakePart(&path, separators);
    folders.emplace_back(folder.empty() ? "." : folder);
  }
  return folders;
}

void Replace(std::string& text, std::string_view what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string Expanded(std::string folder, const std::string& origin) {
  const std::pair<std::string, std::string> words[] = {
      {"ORIGIN", origin}, {"LIB", "lib64"}, {"PLATFORM", OPSRUN_PLATFORM}};
  for (const auto& [word, meaning] : words) {
    Replace(folder, "${" + word + "}", meaning);
    Replace(folder, "$" + word, meaning);
  }
  return folder;
}

// The linker skips libraries for other machines.
bool IsLibrary(const std::string& path) {
  const OpenedBytes file(path);
  if (file.bytes() == nullptr) return false;
  const ElfFile elf(*file.bytes());
  return elf.is_elf() && !elf.Problem();
}

int AddLoaded(dl_phdr_info* info, size_t, void* paths) {
  const std::string name = info->dlpi_name;
  auto& loaded = *static_cast<std::vector<std::string>*>(paths);
  if (name.empty() && loaded.empty()) loaded.emplace_back("/proc/self/exe");
  if (name.starts_with('/')) loaded.push_back(name);  // the kernel's own library (linux-vdso) has no file
  return 0;
}

}  // namespace

std::map<std::string, std::vector<std::string>> ReadLinkerCache(const FileBytes& bytes) {
  std::map<std::string, std::vector<std::string>> cache;
  std::string all;
  CacheHeader header;
  if (bytes.size() > kMostCacheBytes || !bytes.Read(0, bytes.size(), &all)) return cache;
  const size_t begin = all.find(kCacheMagic);  // some files have an older format before it
  if (begin == std::string::npos || all.size() - begin < sizeof(header)) return cache;
  const std::string_view content = std::string_view(all).substr(begin);
  std::memcpy(&header, content.data(), sizeof(header));
  for (uint64_t i = 0; i < header.count; ++i) {
    CacheEntry entry;
    const uint64_t at = sizeof(header) + i * sizeof(entry);
    if (content.size() < at + sizeof(entry)) break;
    std::memcpy(&entry, content.data() + at, sizeof(entry));
    std::string soname = TextAt(content, entry.soname), path = TextAt(content, entry.path);
    if (!soname.empty() && !path.empty()) cache[std::move(soname)].push_back(std::move(path));
  }
  return cache;
}

LibrarySearch LibrarySearch::OfThisProcess() {
  const char* path = Environment("LD_LIBRARY_PATH");  // as the linker reads it
  LibrarySearch search(Folders(path == nullptr ? "" : path, ":;"), "/etc/ld.so.cache");
  dl_iterate_phdr(AddLoaded, &search.loaded_);
  for (const std::string& file : search.loaded_)
    search.by_soname_.emplace(std::filesystem::path(file).filename().string(), file);
  return search;
}

const std::vector<std::string>& LibrarySearch::Cached(const std::string& library) const {
  static const std::vector<std::string> none;
  if (!cache_) {
    const OpenedBytes file(cache_file_);
    cache_ =
        file.bytes() == nullptr ? std::map<std::string, std::vector<std::string>>() : ReadLinkerCache(*file.bytes());
  }
  const auto found = cache_->find(library);
  return found == cache_->end() ? none : found->second;
}

std::optional<std::string> LibrarySearch::Find(const std::string& library, const LibraryFacts& user,
                                               const std::string& user_path) const {
  const auto loaded = by_soname_.find(library);
  return loaded != by_soname_.end() ? loaded->second : FindAfresh(library, user, user_path);
}

std::vector<std::string> LibrarySearch::Candidates(const std::string& library, const LibraryFacts& user,
                                                   const std::string& user_path) const {
  const std::string origin = std::filesystem::path(user_path).parent_path().string();
  if (library.find('/') != std::string::npos) return {Expanded(library, origin)};
  std::vector<std::string> candidates;
  const auto add = [&](const std::vector<std::string>& folders) {
    for (const std::string& folder : folders) candidates.push_back(Expanded(folder, origin) + '/' + library);
  };
  if (user.runpath.empty()) add(Folders(user.rpath, ":"));
  for (const std::string& folder : library_path_) candidates.push_back(folder + '/' + library);
  add(Folders(user.runpath, ":"));
  const std::vector<std::string>& cached = Cached(library);
  candidates.insert(candidates.end(), cached.begin(), cached.end());
  for (const char* folder : kSystemFolders) candidates.push_back(std::string(folder) + '/' + library);
  return candidates;
}

std::optional<std::string> LibrarySearch::FindAfresh(const std::string& library, const LibraryFacts& user,
                                                     const std::string& user_path) const {
  for (const std::string& path : Candidates(library, user, user_path)) {
    if (IsLibrary(path)) return path;
  }
  return std::nullopt;
}

std::optional<LibrarySearch::Unreadable> LibrarySearch::FindUnreadable(const std::string& library,
                                                                       const LibraryFacts& user,
                                                                       const std::string& user_path) const {
  for (const std::string& path : Candidates(library, user, user_path)) {
    const int error = OpenedBytes(path).error();
    if (error != 0 && error != ENOENT && error != ENOTDIR) return Unreadable{path, error};
  }
  return std::nullopt;
}

}  // namespace opsrun::host
