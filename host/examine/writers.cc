// SPDX-License-Identifier: Apache-2.0
#include "host/examine/writers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

namespace fs = std::filesystem;

struct UserEntry {
  std::string name;
  gid_t group = 0;
};

struct GroupEntry {
  std::string name;
  std::vector<std::string> members;  // without those whose primary group it is
};

// Calls one of the C library's functions for users and groups, with enough memory for its texts.
template <typename Entry, typename Get>
const Entry* Lookup(Get get, Entry* entry, std::vector<char>* texts) {
  constexpr size_t kMost = size_t{1} << 20;
  Entry* found = nullptr;
  int error = ERANGE;
  for (size_t size = 1024; error == ERANGE && size <= kMost; size *= 4) {
    texts->resize(size);
    error = get(entry, texts->data(), size, &found);
  }
  return error == 0 ? found : nullptr;
}

std::optional<UserEntry> FindUser(uid_t id) {
  passwd entry = {};
  std::vector<char> texts;
  const auto get = [id](passwd* to, char* buffer, size_t size, passwd** found) {
    return getpwuid_r(id, to, buffer, size, found);
  };
  const passwd* const found = Lookup(get, &entry, &texts);
  return found == nullptr ? std::nullopt : std::optional(UserEntry{found->pw_name, found->pw_gid});
}

std::optional<GroupEntry> FindGroup(gid_t id) {
  group entry = {};
  std::vector<char> texts;
  const auto get = [id](group* to, char* buffer, size_t size, group** found) {
    return getgrgid_r(id, to, buffer, size, found);
  };
  const group* const found = Lookup(get, &entry, &texts);
  if (found == nullptr) return std::nullopt;
  GroupEntry of{found->gr_name, {}};
  for (char** member = found->gr_mem; *member != nullptr; ++member) of.members.emplace_back(*member);
  return of;
}

// True for the group that systems create for each user, so that a umask of 002 is safe.
bool IsPrivateGroup(const struct stat& status) {
  const std::optional<UserEntry> user = FindUser(status.st_uid);
  if (!user || user->group != status.st_gid) return false;
  const std::optional<GroupEntry> group = FindGroup(status.st_gid);
  return group && group->name == user->name &&
         std::ranges::all_of(group->members, [&](const std::string& member) { return member == user->name; });
}

// With an access control list, the bits of the group are the most that anybody in the list may do.
bool HasAccessList(const std::string& path) {
  return getxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
}

std::vector<uid_t> OwnersOfThisCode() {
  std::vector<uid_t> owners;
  if (getauxval(AT_SECURE) != 0) return owners;  // another user may have chosen where it is
  struct stat status = {};
  for (fs::path path = OwnFile(); !path.empty(); path = path.parent_path()) {
    if (stat(path.c_str(), &status) == 0) owners.push_back(status.st_uid);
    if (path == path.parent_path()) break;
  }
  return owners;
}

// In a container, root works on files of a user of the machine, who is unknown inside.
bool IsOfOutside(uid_t owner) {
  return geteuid() == 0 && getauxval(AT_SECURE) == 0 && !FindUser(owner);
}

bool IsTrusted(uid_t owner) {
  return owner == 0 || owner == geteuid() || IsOfOutside(owner) || std::ranges::count(OwnersOfThisCode(), owner) > 0;
}

std::string NameOf(uid_t owner) {
  const std::optional<UserEntry> user = FindUser(owner);
  return user ? fmt::format("user '{}'", user->name) : fmt::format("the user with the number {}", owner);
}

// Who else may write, as chmod spells it: "g", "o", "go" or nothing.
std::string OtherWriters(const struct stat& status, const std::string& path) {
  std::string who;
  if ((status.st_mode & S_IWGRP) != 0 && (!IsPrivateGroup(status) || HasAccessList(path))) who += 'g';
  if ((status.st_mode & S_IWOTH) != 0) who += 'o';
  return who;
}

std::string WhoText(const std::string& who, gid_t group) {
  if (who != "g") return "others";
  const std::optional<GroupEntry> found = FindGroup(group);
  return found ? fmt::format("members of the group '{}'", found->name)
               : fmt::format("members of the group with the number {}", group);
}

std::optional<Refusal> RefuseFile(const struct stat& status, const std::string& path) {
  if (!IsTrusted(status.st_uid)) {
    return Refusal{fmt::format("it belongs to {}, who can change it", NameOf(status.st_uid)), "use a copy of your own"};
  }
  const std::string who = OtherWriters(status, path);
  if (who.empty()) return std::nullopt;
  return Refusal{
      fmt::format("{} can write to it: its mode is {:04o}", WhoText(who, status.st_gid), status.st_mode & ALLPERMS),
      fmt::format("run chmod {}-w {}", who, ShellWord(path))};
}

// In a directory such as /tmp, only the owner of a file can replace it.
bool IsSticky(const struct stat& status) {
  return (status.st_mode & S_ISVTX) != 0;
}

std::optional<Refusal> RefuseFolder(const struct stat& status, const std::string& path) {
  if (!IsTrusted(status.st_uid)) {
    return Refusal{fmt::format("{} can replace it, as the owner of the directory {}", NameOf(status.st_uid), path),
                   "use a copy in a directory of your own"};
  }
  const std::string who = IsSticky(status) ? "" : OtherWriters(status, path);
  if (who.empty()) return std::nullopt;
  return Refusal{fmt::format("{} can replace it: the directory {} has mode {:04o}", WhoText(who, status.st_gid), path,
                             status.st_mode & ALLPERMS),
                 fmt::format("run chmod {}-w {}", who, ShellWord(path))};
}

// Where the file is, whatever links led there.
fs::path PlaceOf(const Descriptor& file, const std::string& path) {
  std::error_code error;
  fs::path place = fs::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), error);
  if (error || !place.is_absolute()) place = fs::canonical(path, error);
  return error ? fs::absolute(path, error) : place;
}

}  // namespace

std::string ShellWord(const std::string& path) {
  constexpr std::string_view kPlain = "/._-+=:,@%";
  const bool plain = std::ranges::all_of(path, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || kPlain.find(c) != kPlain.npos;
  });
  if (plain) return path;
  std::string quoted = "'";
  for (const char c : path) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::optional<Refusal> RefuseOtherWriters(const Descriptor& file, const std::string& path) {
  struct stat status = {};
  if (fstat(file.get(), &status) != 0) return RefusedBySystem("its owner cannot be read", errno);
  const fs::path place = PlaceOf(file, path);
  if (std::optional<Refusal> refusal = RefuseFile(status, place.string())) return refusal;
  for (fs::path folder = place.parent_path();; folder = folder.parent_path()) {
    if (stat(folder.c_str(), &status) != 0)
      return RefusedBySystem(fmt::format("the owner of its directory {} cannot be read", folder.string()), errno);
    if (std::optional<Refusal> refusal = RefuseFolder(status, folder.string())) return refusal;
    if (folder == folder.parent_path()) return std::nullopt;
  }
}

std::optional<Refusal> RefuseWritablePlugin(const Descriptor& file, const std::string& path) {
  std::optional<Refusal> refusal = RefuseOtherWriters(file, path);
  if (refusal) refusal->remedy += ", or accept it with --allow-writable";
  return refusal;
}

}  // namespace opsrun::host
