// opsrun_compat/path.h: file names and device names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>

#include "opsrun_compat/basics.h"
#include "opsrun_compat/numbers.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace io {

inline bool IsAbsolutePath(StringPiece path) {
  return !path.empty() && path.front() == '/';
}
inline StringPiece Dirname(StringPiece path) {
  const size_t slash = path.rfind('/');
  if (slash == StringPiece::npos) return path.substr(0, 0);
  return path.substr(0, slash == 0 ? 1 : slash);
}
inline StringPiece Basename(StringPiece path) {
  return path.substr(path.rfind('/') + 1);
}
inline StringPiece Extension(StringPiece path) {
  const StringPiece name = Basename(path);
  const size_t dot = name.rfind('.');
  return dot == StringPiece::npos ? name.substr(name.size()) : name.substr(dot + 1);
}
inline StringPiece BasenamePrefix(StringPiece path) {
  const StringPiece name = Basename(path);
  return name.substr(0, name.rfind('.'));
}

// Joins parts with one slash; empty parts are skipped.
template <typename... Parts>
std::string JoinPath(const Parts&... parts) {
  std::string path;
  for (const StringPiece part : {StringPiece(parts)...}) {
    if (part.empty()) continue;
    const bool has_slash = !path.empty() && path.back() == '/';
    if (!path.empty() && !has_slash && part.front() != '/') path += '/';
    path.append(part.substr(has_slash && part.front() == '/' ? 1 : 0));
  }
  return path;
}

// The shortest equivalent path by its text: without "//", "." and "..". "." if nothing is left.
inline std::string CleanPath(StringPiece path) {
  std::string clean = std::filesystem::path(std::string_view(path)).lexically_normal();
  if (clean.size() > 1 && clean.back() == '/') clean.pop_back();
  return clean.empty() ? "." : clean;
}

// Splits "scheme://host/path"; the parts point into the text. Text without a scheme is a path.
inline void ParseURI(StringPiece text, std::string_view* scheme, std::string_view* host, std::string_view* path) {
  const size_t colon = text.find("://");
  const auto is_letter = [](char c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; };
  bool has_scheme = colon != StringPiece::npos && colon > 0 && is_letter(text[0]);
  for (size_t i = 0; has_scheme && i < colon; ++i) {
    has_scheme = is_letter(text[i]) || (text[i] >= '0' && text[i] <= '9') || text[i] == '.';
  }
  *scheme = text.substr(0, has_scheme ? colon : 0);
  if (has_scheme) text.remove_prefix(colon + 3);
  const size_t slash = has_scheme ? text.find('/') : 0;
  *host = text.substr(0, slash);
  *path = text.substr(host->size());
}
// The inverse of ParseURI. Only the path if there is no scheme.
inline std::string CreateURI(StringPiece scheme, StringPiece host, StringPiece path) {
  if (scheme.empty()) return std::string(path);
  return strings::StrCat(scheme, "://", host, path);
}

// Creates an empty temporary file and returns its name. The caller removes it. Empty: the file could not be created.
inline std::string GetTempFilename(const std::string& extension) {
  const char* const folder = getenv("TMPDIR");
  std::string name = JoinPath(folder == nullptr ? "/tmp" : folder, "opsrun_XXXXXX");
  if (!extension.empty()) name += "." + extension;
  const int file = mkstemps(name.data(), extension.empty() ? 0 : static_cast<int>(extension.size()) + 1);
  if (file < 0) return "";
  close(file);
  return name;
}

}  // namespace io

// DeviceNameUtils: parses names of devices, such as that of DeviceBase::name().

class DeviceNameUtils {
 public:
  // Every part is optional; a missing one is 0 or empty.
  struct ParsedName {
    bool has_job = false, has_replica = false, has_task = false, has_type = false, has_id = false;
    std::string job, type;
    int replica = 0, task = 0, id = 0;
  };

  // Parses "/job:worker/replica:0/task:1/device:GPU:2" or parts of it. "*" is a missing value; "/gpu:2" is allowed.
  static bool ParseFullName(StringPiece name, ParsedName* parsed) {
    *parsed = ParsedName();
    if (name == "/") return true;
    while (!name.empty()) {
      if (name.front() != '/') return false;
      const size_t end = name.find('/', 1);
      if (!ParsePart(name.substr(1, end == StringPiece::npos ? end : end - 1), parsed)) return false;
      name.remove_prefix(end == StringPiece::npos ? name.size() : end);
    }
    return true;
  }
  // The same for "GPU:2".
  static bool ParseLocalName(StringPiece name, ParsedName* parsed) {
    *parsed = ParsedName();
    return name.find('*') == StringPiece::npos && ParseDevice(name, parsed) && parsed->has_id;
  }

  static std::string ParsedNameToString(const ParsedName& parsed) {
    std::string name;
    if (parsed.has_job) strings::StrAppend(&name, "/job:", parsed.job);
    if (parsed.has_replica) strings::StrAppend(&name, "/replica:", parsed.replica);
    if (parsed.has_task) strings::StrAppend(&name, "/task:", parsed.task);
    if (parsed.has_type) strings::StrAppend(&name, "/device:", parsed.type, ":");
    if (parsed.has_type && parsed.has_id) strings::StrAppend(&name, parsed.id);
    if (parsed.has_type && !parsed.has_id) name += "*";
    return name;
  }
  static std::string FullName(const std::string& job, int replica, int task, const std::string& type, int id) {
    return strings::StrCat("/job:", job, "/replica:", replica, "/task:", task, "/device:", type, ":", id);
  }
  static std::string LocalName(StringPiece type, int id) { return strings::StrCat("/device:", type, ":", id); }

 private:
  static bool IsWord(StringPiece text) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    for (const char c : text) {
      if (!is_letter(c) && c != '_' && !(c >= '0' && c <= '9')) return false;
    }
    return !text.empty() && is_letter(text.front());
  }
  static bool ParseNumber(StringPiece text, bool* has, int* number) {
    *has = text != "*";
    return !*has ||
           (text.find_first_not_of("0123456789") == StringPiece::npos && internal::ReadInteger(text, 10, number));
  }
  // "GPU:2", "GPU:*", "GPU" or "*".
  static bool ParseDevice(StringPiece text, ParsedName* parsed) {
    const size_t colon = text.find(':');
    const StringPiece type = text.substr(0, colon);
    parsed->has_id = false;
    parsed->has_type = type != "*";
    if (parsed->has_type) parsed->type = type;
    if (parsed->has_type && !IsWord(type)) return false;
    return colon == StringPiece::npos || ParseNumber(text.substr(colon + 1), &parsed->has_id, &parsed->id);
  }
  static bool ParsePart(StringPiece part, ParsedName* parsed) {
    const size_t colon = part.find(':');
    if (colon == StringPiece::npos) return false;
    const StringPiece name = part.substr(0, colon), value = part.substr(colon + 1);
    if (name == "job") {
      parsed->has_job = value != "*";
      if (parsed->has_job) parsed->job = value;
      return !parsed->has_job || IsWord(value);
    }
    if (name == "replica") return ParseNumber(value, &parsed->has_replica, &parsed->replica);
    if (name == "task") return ParseNumber(value, &parsed->has_task, &parsed->task);
    if (name == "device") return ParseDevice(value, parsed);
    // The older names "/cpu:0" and "/gpu:0".
    if (name != "cpu" && name != "gpu" && name != "CPU" && name != "GPU") return false;
    parsed->has_type = true;
    parsed->type = (name.front() | 32) == 'c' ? "CPU" : "GPU";
    return ParseNumber(value, &parsed->has_id, &parsed->id);
  }
};

}  // namespace OPSRUN_HIDDEN
