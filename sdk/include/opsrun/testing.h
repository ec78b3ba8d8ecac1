// opsrun/testing.h: tests for the ops of a plugin, with GoogleTest and the libraries of the host.
//
// A test loads the plugin file that is shipped, with all checks that opsrun makes, and runs its shape functions
// (ShapeInferenceTestOp, INFER_OK, INFER_ERROR) and kernels (OpTest) in its own process. It links opsrun::testing and
// states which plugin files it needs: see plugin_files.h. It requires C++17 and does not include headers of the host.
// The test may also include other headers of the SDK.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/testing/infer_ok.h"
#include "opsrun/testing/op_test.h"
