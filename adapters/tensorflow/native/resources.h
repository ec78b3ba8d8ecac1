// adapters/tensorflow/native/resources.h: shared objects of plugins as resource handles of TensorFlow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/embed.h"
#include "tensorflow/core/framework/resource_handle.h"

namespace opsrun_tf {

// A handle that owns the reference which the caller holds.
tensorflow::ResourceHandle HandleOf(const opsrun_resource* resource);

// The object of a plugin, borrowed from the handle; null if it is one of TensorFlow's own.
const opsrun_resource* ResourceIn(const tensorflow::ResourceHandle& handle);

}  // namespace opsrun_tf
