// host/run/elements.h: what the elements of a buffer with slots own: strings their bytes, resources a reference.
// Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "host/run/buffer.h"

namespace opsrun::host {

// A block for `bytes` bytes of elements of `dtype`, with one reference; null if there is no memory. Elements with slots
// are in CPU memory. See Buffer::New.
Buffer* NewElements(Device& device, Stream stream, DType dtype, size_t bytes);

// Copies `bytes` bytes of elements into a fresh block of CPU memory: strings and references too. False if there is no
// memory.
bool CopyElements(Buffer& to, const void* from, size_t bytes);

// Sets element i of a block of strings to a copy of `text`. Returns a code.
int32_t AssignString(Buffer& strings, uint64_t i, std::string_view text);
int32_t SwapStrings(Buffer& strings, uint64_t i, uint64_t j);

// Releases what the elements own. Requires: buffer.slots.
void DropElements(Buffer& buffer);

}  // namespace opsrun::host
