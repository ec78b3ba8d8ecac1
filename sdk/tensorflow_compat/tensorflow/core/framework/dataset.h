// tensorflow/core/framework/dataset.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/framework/dataset.h: a graph has no data sets and readers; write an op that returns the tensors, or read the data outside of the graph"
