// opsrun_compat/path.h: io::JoinPath, Dirname, Basename and relatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

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

}  // namespace io
}  // namespace OPSRUN_HIDDEN
