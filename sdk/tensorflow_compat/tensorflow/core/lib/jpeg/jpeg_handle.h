// tensorflow/core/lib/jpeg/jpeg_handle.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/lib/jpeg/jpeg_handle.h: include the library's own header, such as re2/re2.h, and link the plugin with it"
