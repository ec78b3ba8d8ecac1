// tensorflow/core/framework/node_properties.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/framework/node_properties.h: a kernel learns about its node from OpKernelConstruction (GetAttr, input_type, num_inputs)"
