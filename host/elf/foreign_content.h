// host/elf/foreign_content.h: what a file is that is not an ELF file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/refusal.h"
#include "host/elf/file_bytes.h"

namespace opsrun::host {

// From its first bytes: "it is a Git LFS pointer, not a shared library", and how to get the library.
Refusal ExplainForeign(const FileBytes& bytes);

}  // namespace opsrun::host
