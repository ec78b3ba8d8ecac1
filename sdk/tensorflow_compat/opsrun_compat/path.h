// opsrun_compat/path.h: io::JoinPath, Dirname, Basename and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/strings.h"

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

// One slash between parts; empty parts are left out.
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

// The shortest name of the same file: without "//", "." and ".." where the names tell. "." if nothing is left.
inline std::string CleanPath(StringPiece path) {
  const bool is_absolute = IsAbsolutePath(path);
  std::vector<StringPiece> parts;
  for (size_t begin = 0; begin < path.size();) {
    const size_t end = path.find('/', begin) < path.size() ? path.find('/', begin) : path.size();
    const StringPiece part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!is_absolute) {
      parts.push_back(part);
    }
  }
  std::string clean = is_absolute ? "/" : parts.empty() ? "." : "";
  for (const StringPiece part : parts) {
    if (part.data() != parts.front().data()) clean += '/';
    clean += part;
  }
  return clean;
}

// Takes "scheme://host/path" apart; the parts point into the text. Text without a scheme is a path.
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
// The reverse. The path alone if there is no scheme.
inline std::string CreateURI(StringPiece scheme, StringPiece host, StringPiece path) {
  if (scheme.empty()) return std::string(path);
  return strings::StrCat(scheme, "://", host, path);
}

// Creates an empty file in the folder for temporary files and returns its name. The caller removes it. Empty: failed.
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
}  // namespace OPSRUN_HIDDEN
