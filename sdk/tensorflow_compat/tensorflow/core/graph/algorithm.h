// tensorflow/core/graph/algorithm.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/graph/algorithm.h: a kernel cannot build or run graphs; make what it runs nodes of the graph"
