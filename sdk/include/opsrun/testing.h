// opsrun/testing.h: tests of a plugin's ops, in GoogleTest, on the host's own libraries.
//
// A test loads the plugin file that is shipped, with every check that opsrun makes, and runs its shape functions
// (ShapeInferenceTestOp, INFER_OK, INFER_ERROR) and kernels (OpTest) in its own process. It is linked with
// opsrun::testing and says which files it means: plugin_files.h. C++17; of the host no header is needed. It does not
// matter whether a file includes other headers of the SDK too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/testing/infer_ok.h"
#include "opsrun/testing/op_test.h"
