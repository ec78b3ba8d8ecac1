// tests/sdk/register_types_test.cc: the sets of types.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/register_types.h"

#include <gtest/gtest.h>

#include <set>

namespace opsrun {
namespace {

#define OPSRUN_TEST_ENUM(T) DataTypeToEnum<T>::value,

TEST(RegisterTypes, HaveTheSetsOfTheFrameworkThatTheyComeFrom) {
  EXPECT_EQ((std::set<DataType>{TF_CALL_REAL_NUMBER_TYPES(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_FLOAT, DT_DOUBLE, DT_INT32, DT_UINT8, DT_INT16, DT_INT8, DT_INT64, DT_BFLOAT16,
                                DT_UINT16, DT_HALF, DT_UINT32, DT_UINT64}));
  EXPECT_EQ((std::set<DataType>{TF_CALL_INTEGRAL_TYPES(OPSRUN_TEST_ENUM)}).size(), 8u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_NUMBER_TYPES(OPSRUN_TEST_ENUM)}).size(), 14u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_NUMBER_TYPES_NO_INT32(OPSRUN_TEST_ENUM)}).count(DT_INT32), 0u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_POD_TYPES(OPSRUN_TEST_ENUM)}).size(), 15u);
  EXPECT_EQ((std::set<DataType>{TF_CALL_QUANTIZED_TYPES(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_QINT8, DT_QUINT8, DT_QINT32}));
  EXPECT_EQ((std::set<DataType>{TF_CALL_GPU_NUMBER_TYPES(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_HALF, DT_FLOAT, DT_DOUBLE}));
}

TEST(RegisterTypes, NameTheFloatsOf8BitsOneByOne) {
  EXPECT_EQ((std::set<DataType>{TF_CALL_float8_e5m2(OPSRUN_TEST_ENUM) TF_CALL_float8_e4m3fn(OPSRUN_TEST_ENUM)
                                    TF_CALL_float8_e4m3fnuz(OPSRUN_TEST_ENUM)
                                        TF_CALL_float8_e4m3b11fnuz(OPSRUN_TEST_ENUM)
                                            TF_CALL_float8_e5m2fnuz(OPSRUN_TEST_ENUM)}),
            (std::set<DataType>{DT_FLOAT8_E5M2, DT_FLOAT8_E4M3FN, DT_FLOAT8_E4M3FNUZ, DT_FLOAT8_E4M3B11FNUZ,
                                DT_FLOAT8_E5M2FNUZ}));
}

#undef OPSRUN_TEST_ENUM

}  // namespace
}  // namespace opsrun
