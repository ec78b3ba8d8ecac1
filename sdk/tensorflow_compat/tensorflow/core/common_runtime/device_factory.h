// tensorflow/core/common_runtime/device_factory.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/common_runtime/device_factory.h: a kernel cannot build or run graphs; make what it runs nodes of the graph"
