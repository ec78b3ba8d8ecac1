// adapters/tensorflow/native/resources.h: shared objects of plugins as TensorFlow resource handles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/embed.h"
#include "tensorflow/core/framework/resource_handle.h"

namespace opsrun_tf {

// A handle that takes over the caller's reference.
tensorflow::ResourceHandle HandleOf(const opsrun_resource* resource);

// A plugin's object, borrowed from the handle; null if the handle refers to an object of TensorFlow.
const opsrun_resource* ResourceIn(const tensorflow::ResourceHandle& handle);

}  // namespace opsrun_tf
