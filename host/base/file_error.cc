// host/base/file_error.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/file_error.h"

#include <cerrno>

#include "host/base/errno_text.h"

namespace opsrun::host {
namespace {

int CodeOfErrno(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return OPSRUN_NOT_FOUND;
    case EACCES:
    case EPERM:
    case EROFS:
      return OPSRUN_PERMISSION_DENIED;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return OPSRUN_RESOURCE_EXHAUSTED;
    case EISDIR:
    case ELOOP:
      return OPSRUN_FAILED_PRECONDITION;
    case ENAMETOOLONG:
      return OPSRUN_INVALID_ARGUMENT;
    default:
      return OPSRUN_UNKNOWN;
  }
}

}  // namespace

Status CannotRead(const std::string& path, int error) {
  return {CodeOfErrno(error), "cannot read '" + path + "': " + ErrnoText(error)};
}

Status CannotWrite(const std::string& path, int error) {
  return {CodeOfErrno(error), "cannot write '" + path + "': " + ErrnoText(error)};
}

}  // namespace opsrun::host
