// host/base/refusal.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/refusal.h"

#include <cerrno>

#include "host/base/errno_text.h"

namespace opsrun::host {
namespace {

const char* RemedyFor(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "make it readable (chmod), with the folders that lead to it; if it is, a security module forbids it "
             "(SELinux, AppArmor)";
    case EMFILE:
      return "close files of this program, or raise its limit of open files (ulimit -n)";
    case ENFILE:
      return "close other programs, or raise the system's limit of open files (fs.file-max)";
    case ENOMEM:
      return "close other programs, or raise the limit that the shell or the container sets (ulimit -v)";
    case ENOENT:
    case ENOTDIR:
      return "try again: it was moved or removed meanwhile";
    case ELOOP:
      return "correct its symbolic link, which leads to itself";
    case ESTALE:
    case ENOTCONN:
    case EHOSTDOWN:
    case ETIMEDOUT:
      return "mount its file system again: the server has replaced it, or does not answer";
    case EIO:
    case EREMOTEIO:
    case ENXIO:
      return "see the system's log (dmesg): its disk or network fails";
    default:
      return "make it readable, or copy it again";
  }
}

}  // namespace

Refusal RefusedBySystem(std::string_view what, int error) {
  return {std::string(what) + ": " + ErrnoText(error), RemedyFor(error), error == ENOMEM};
}

}  // namespace opsrun::host
