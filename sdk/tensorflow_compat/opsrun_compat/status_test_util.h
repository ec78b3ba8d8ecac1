// opsrun_compat/status_test_util.h: TF_EXPECT_OK and TF_ASSERT_OK, for tests with GoogleTest, which they include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/status.h"

#define TF_EXPECT_OK(...) EXPECT_EQ(::OPSRUN_NAMESPACE::Status(), ::OPSRUN_NAMESPACE::Status(__VA_ARGS__))
#define TF_ASSERT_OK(...) ASSERT_EQ(::OPSRUN_NAMESPACE::Status(), ::OPSRUN_NAMESPACE::Status(__VA_ARGS__))
