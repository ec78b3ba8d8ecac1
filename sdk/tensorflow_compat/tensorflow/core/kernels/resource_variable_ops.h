// tensorflow/core/kernels/resource_variable_ops.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/kernels/resource_variable_ops.h: a graph has no variables; take the tensor as an input and return the new one as an output, or keep it in a ResourceBase"
