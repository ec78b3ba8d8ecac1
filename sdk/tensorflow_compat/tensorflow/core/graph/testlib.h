// tensorflow/core/graph/testlib.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/graph/testlib.h: test the op with opsrun/testing.h; docs/test_an_op.md describes it"
