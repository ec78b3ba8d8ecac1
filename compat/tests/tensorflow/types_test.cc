// compat/tests/tensorflow/types_test.cc: data types, memory and maps with int indices, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {
namespace {

TEST(DataTypes, AreOfKinds) {
  EXPECT_TRUE(DataTypeIsFloating(DT_HALF) && !DataTypeIsFloating(DT_INT32));
  EXPECT_TRUE(DataTypeIsInteger(DT_UINT64) && !DataTypeIsInteger(DT_BOOL));
  EXPECT_TRUE(DataTypeIsSigned(DT_INT8) && !DataTypeIsSigned(DT_UINT8) && DataTypeIsUnsigned(DT_UINT8));
  EXPECT_TRUE(DataTypeIsComplex(DT_COMPLEX64) && DataTypeIsQuantized(DT_QINT8));
  EXPECT_TRUE(DataTypeIsNumeric(DT_BFLOAT16) && !DataTypeIsNumeric(DT_STRING));
  EXPECT_TRUE(DataTypeCanUseMemcpy(DT_BOOL) && !DataTypeCanUseMemcpy(DT_RESOURCE));
  EXPECT_TRUE(DataTypeAlwaysOnHost(DT_STRING) && !DataTypeAlwaysOnHost(DT_INT32));
  EXPECT_TRUE(MTypeFromDType(DT_INT32) == HOST_MEMORY && MTypeFromDType(DT_FLOAT) == DEVICE_MEMORY);
}

TEST(DataTypes, AreInSets) {
  constexpr DataTypeSet kTwo = ToSet(DT_UINT64) | ToSet(DT_FLOAT);
  static_assert(kTwo.Contains(DT_UINT64) && !kTwo.Contains(DT_INVALID));
  EXPECT_EQ(kTwo.size(), 2u);
  std::vector<DataType> all;
  for (const DataType type : kTwo) all.push_back(type);
  EXPECT_EQ(all, (std::vector<DataType>{DT_FLOAT, DT_UINT64}));
  EXPECT_FALSE(kTwo.Contains(MakeRefType(DT_FLOAT)));
  EXPECT_TRUE(RealNumberTypes().Contains(DT_HALF) && !RealNumberTypes().Contains(DT_COMPLEX64));
  EXPECT_TRUE(NumberTypes().Contains(DT_QINT8) && QuantizedTypes().Contains(DT_QINT8));
  EXPECT_EQ(AllTypes().size(), 27u);
  EXPECT_EQ((kDataTypeIsSigned | kDataTypeIsUnsigned).size(), kDataTypeIsInteger.size());
  EXPECT_EQ((kDataTypeIsInteger | kDataTypeIsFloating | kDataTypeIsComplex | kQuantizedTypes).size(), 23u);
  EXPECT_TRUE(kRealNumberTypes.size() < kNumberTypes.size() && kNumberTypes.size() < kDataTypesCanUseMemcpy.size());
  EXPECT_EQ(kAllTypes.size(), kDataTypesCanUseMemcpy.size() + 3);
  DataTypeSet::Iterator first = kTwo.begin();
  EXPECT_EQ(*++first, DT_UINT64);
  EXPECT_TRUE(kTwo.begin() != kTwo.end());
}

TEST(DataTypes, HaveNames) {
  EXPECT_EQ(DataTypeVectorString({DT_FLOAT, DT_HALF}), "float, half");
  EXPECT_EQ(DataTypeSliceString(DataTypeSlice({DT_INT32})), "int32");
  EXPECT_EQ(DataType_Name(DT_BFLOAT16), "DT_BFLOAT16");
  DataType type = DT_INVALID;
  EXPECT_TRUE(DataTypeFromString("double", &type) && type == DT_DOUBLE);
  EXPECT_TRUE(DataTypeFromString("float16", &type) && type == DT_HALF);
  EXPECT_TRUE(DataTypeFromString("int8_ref", &type) && type == MakeRefType(DT_INT8));
  EXPECT_FALSE(DataTypeFromString("_ref", &type) || DataTypeFromString("number", &type));
  EXPECT_EQ(DeviceName<Eigen::ThreadPoolDevice>::value, "CPU");
  EXPECT_EQ(DeviceName<Eigen::GpuDevice>::value, "GPU");
  const DeviceTypeVector devices{DEVICE_CPU};
  EXPECT_EQ(DeviceTypeString(devices[0]), "CPU");
}

TEST(DataTypes, MayBeThoseOfReferences) {
  EXPECT_TRUE(IsRefType(MakeRefType(DT_INT32)) && !IsRefType(DT_INT32));
  EXPECT_EQ(MakeRefType(DT_INT32), DT_INT32 + kDataTypeRefOffset);
  EXPECT_EQ(RemoveRefType(MakeRefType(DT_INT32)), DT_INT32);
  EXPECT_TRUE(BaseType(MakeRefType(DT_INT32)) == DT_INT32 && BaseType(DT_INT32) == DT_INT32);
  EXPECT_TRUE(TypesCompatible(DT_INT32, MakeRefType(DT_INT32)) && !TypesCompatible(DT_INT32, DT_INT8));
  const MemoryTypeVector types{HOST_MEMORY};
  EXPECT_EQ(MemoryTypeSlice(types).size(), 1u);
}

TEST(Maps, AreMadeOfMemory) {
  int32 numbers[] = {1, 2, 3, 4};
  TTypes<int32>::UnalignedMatrix matrix(numbers, 2, 2);
  const TTypes<int32>::UnalignedConstMatrix read(numbers, 2, 2);
  TTypes<int32>::UnalignedVec vec(numbers, 4);
  matrix(1, 0) = 9;
  EXPECT_TRUE(read(1, 0) == 9 && vec(2) == 9);
  EXPECT_EQ(TTypes<int32>::UnalignedConstVec(numbers, 4).size(), 4);
  EXPECT_EQ(TTypes<int32>::UnalignedScalar(numbers)(), 1);
  EXPECT_EQ(TTypes<int32>::UnalignedConstScalar(numbers)(), 1);
}

TEST(To32Bit, HasTheSameElements) {
  Tensor x(DT_INT32, TensorShape({2, 3}));
  x.flat<int32>().setConstant(4);
  EXPECT_TRUE(SafeFor32BitIndexing(x.matrix<int32>()));
  EXPECT_FALSE(SafeFor32BitIndexing(Eigen::DSizes<ptrdiff_t, 1>(ptrdiff_t{1} << 31)));
  auto small = To32Bit(x.matrix<int32>());
  static_assert(std::is_same_v<decltype(small)::Index, int>);
  small(1, 2) = 5;
  EXPECT_EQ(x.SummarizeValue(9), "4 4 4 4 4 5");
  MaybeWith32BitIndexing<Eigen::ThreadPoolDevice>([](auto map) { map.setZero(); }, x.flat<int32>());
  EXPECT_EQ(x.SummarizeValue(1), "0 ...");
}

TEST(TensorShape, IsMadeOfAndBecomesSizes) {
  gtl::InlinedVector<int64, 4> sizes = {2, 3};
  EXPECT_EQ(TensorShape(sizes), TensorShape({2, 3}));
  EXPECT_EQ(TensorShape(absl::Span<const int64>(sizes)), TensorShape({2, 3}));
  const TensorShape shape({2, 3});
  EXPECT_EQ(shape.AsEigenDSizes<2>()[1], 3);
  EXPECT_EQ((shape.AsEigenDSizesWithPadding<3, int>()[2]), 1);
  Eigen::DSizes<ptrdiff_t, 1> one;
  EXPECT_EQ(shape.AsEigenDSizesWithStatus<1>(&one).code(), error::INTERNAL);
  Eigen::DSizes<ptrdiff_t, 3> three;
  EXPECT_EQ(shape.AsEigenDSizesWithStatus<3>(&three).code(), error::INTERNAL);
  TF_CHECK_OK(shape.AsEigenDSizesWithPaddingWithStatus<3>(&three));
  EXPECT_EQ(three[0], 2);
}

Status Old(int n) {
  if (n < 0) return Status(error::INVALID_ARGUMENT, "n is negative");
  return n > 0 ? Status::OK() : errors::NotFound("n is ", n);
}

absl::Status New(int n) {
  if (n < 0) return Status(absl::StatusCode::kInvalidArgument, "n is negative");
  TF_RETURN_IF_ERROR(Old(n));
  return Status();
}

TEST(Status, OfBothGenerationsAreEqual) {
  EXPECT_TRUE(Old(-1) == New(-1));
  EXPECT_TRUE(New(0) == Old(0));
  EXPECT_TRUE(Old(-1) != absl::OkStatus());
  EXPECT_TRUE(absl::OkStatus() != Old(0));
  EXPECT_TRUE(Old(1) == absl::OkStatus());
}

TEST(Status, ComparesWithCodesOfBothGenerations) {
  EXPECT_TRUE(Old(0).code() == error::NOT_FOUND && Old(0).code() == absl::StatusCode::kNotFound);
  EXPECT_TRUE(absl::StatusCode::kNotFound == Old(0).code());
  EXPECT_TRUE(Old(0).code() != absl::StatusCode::kInternal && absl::StatusCode::kOk != Old(0).code());
}

TEST(Status, OfOneGenerationIsStoredInTheOther) {
  Status old = New(0);
  EXPECT_EQ(old.error_message(), "n is 0");
  old.Update(New(-1));
  EXPECT_TRUE(errors::IsNotFound(old));
  const absl::StatusOr<int> none = old;
  EXPECT_TRUE(absl::IsNotFound(none.status()));
}

TEST(CompatMetrics, CountForEachLabel) {
  static auto* const counter = monitoring::Counter<1>::New("/compat/count", "What was counted.", "kind");
  EXPECT_TRUE(counter->GetStatus().ok());
  counter->GetCell("a")->IncrementBy(2);
  counter->GetCell("a")->IncrementBy(3);
  EXPECT_EQ(counter->GetCell("a")->value(), 5);
  EXPECT_EQ(counter->GetCell("b")->value(), 0);
}

TEST(CompatMetrics, KeepTheLastValue) {
  static auto* const gauge = monitoring::Gauge<std::string, 0>::New("/compat/gauge", "The last text.");
  monitoring::GaugeCell<std::string>* const cell = gauge->GetCell();
  cell->Set("text");
  EXPECT_EQ(cell->value(), "text");
  EXPECT_EQ(gauge->GetCell(), cell);
}

TEST(CompatMetrics, TakeSamples) {
  auto buckets = monitoring::Buckets::Exponential(1, 2, 3);
  EXPECT_EQ(buckets->explicit_bounds()[2], 4);
  EXPECT_EQ(monitoring::Buckets::Explicit({1.0, 10.0})->explicit_bounds().size(), 3u);
  static auto* const sampler = monitoring::Sampler<1>::New({"/compat/times", "Times.", "op"}, std::move(buckets));
  monitoring::SamplerCell* const cell = sampler->GetCell("Pad");
  cell->Add(1.5);
  const auto timed = monitoring::MakeTimed(cell);
}

struct Sum {
  void Add(double value) { sum += value; }
  double sum = -1;
};

TEST(CompatMetrics, MeasureTime) {
  Sum sum;
  { monitoring::Timed<Sum> timed(&sum, 1.0); }
  EXPECT_GE(sum.sum, -1);
  static auto* const counter = monitoring::Counter<0>::New("/compat/none", "No labels.");
  monitoring::CounterCell* const cell = counter->GetCell();
  EXPECT_EQ(cell->value(), 0);
}

TEST(CompatTypes, HaveReadableNames) {
  EXPECT_EQ(port::MaybeAbiDemangle(typeid(std::pair<int, bool>).name()), "std::pair<int, bool>");
  EXPECT_EQ(port::MaybeAbiDemangle("no name"), "no name");
  EXPECT_EQ(port::Demangle("_ZN1a1bEv"), "a::b()");
}

}  // namespace

}  // namespace tensorflow
