// plugins/array_ops/random_ops.cc: RandomUniform and RandomNormal.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "elements.h"
#include "integers.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/register_types.h"
#include "random.h"

namespace array_ops {
namespace {

using namespace opsrun;

template <typename T>
constexpr int kDigits = sizeof(T) == 8 ? 53 : 24;
template <>
constexpr int kDigits<OPSRUN_HALF> = 11;
template <>
constexpr int kDigits<OPSRUN_BFLOAT16> = 8;

// Numbers are computed as double or float, and rounded to smaller types.
template <typename T>
using Wide = std::conditional_t<sizeof(T) == 8, double, float>;

struct Uniform {
  template <typename T>
  static void Draw(uint64_t seed, uint64_t first, int64 n, T* to) {
    for (int64 i = 0; i < n; ++i) {
      const uint64_t bits = RandomBits(seed, first + static_cast<uint64_t>(i));
      to[i] = static_cast<T>(static_cast<Wide<T>>(UniformFromBits(bits, kDigits<T>)));
    }
  }
};

struct Normal {
  template <typename T>
  static void Draw(uint64_t seed, uint64_t first, int64 n, T* to) {
    double numbers[kMostNormals];
    for (int64 begin = 0; begin < n; begin += kMostNormals) {
      const int size = static_cast<int>(std::min<int64>(n - begin, kMostNormals));
      NormalNumbers(seed, first + static_cast<uint64_t>(begin), size, numbers);
      for (int i = 0; i < size; ++i) to[begin + i] = static_cast<T>(static_cast<Wide<T>>(numbers[i]));
    }
  }
};

// Each run takes the numbers that follow those of the run before.
template <typename T, typename Distribution>
class RandomOp : public OpKernel {
 public:
  explicit RandomOp(OpKernelConstruction* context) : OpKernel(context) {
    int64 seed, seed2;
    OP_REQUIRES_OK(context, context->GetAttr("seed", &seed));
    OP_REQUIRES_OK(context, context->GetAttr("seed2", &seed2));
    seed_ = static_cast<uint64_t>(seed);
    if (seed2 != 0) seed_ ^= RandomBits(static_cast<uint64_t>(seed2), 0);
  }

  void Compute(OpKernelContext* context) override {
    TensorShape shape;
    OP_REQUIRES_OK(context, ReadShape(context->input(0), "shape", &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    const int64 n = output->NumElements();
    const uint64_t first = taken_.fetch_add(static_cast<uint64_t>(n));
    T* to = output->flat<T>().data();
    constexpr int64 kBytesInTheTimeOfANumber = 64;
    ForIndices(context, n, kBytesInTheTimeOfANumber, [&](int64 begin, int64 end) {
      Distribution::Draw(seed_, first + static_cast<uint64_t>(begin), end - begin, to + begin);
    });
  }

 private:
  uint64_t seed_ = 0;
  std::atomic<uint64_t> taken_{0};
};

#define REGISTER_RANDOM_OP(name)                      \
  REGISTER_OP(name)                                   \
      .Input("shape: T")                              \
      .Output("output: dtype")                        \
      .Attr("seed: int = 0")                          \
      .Attr("seed2: int = 0")                         \
      .Attr("dtype: {half, bfloat16, float, double}") \
      .Attr("T: {int32, int64}")                      \
      .SetIsStateful()                                \
      .SetShapeFn(shape_inference::RandomShape)       \
      .NotDifferentiable()

// What both docs say. TensorFlow takes a random seed if seed and seed2 are 0.
#define SEED_DOC                                                                                                       \
  "The numbers are the same on every machine and with any number of threads. Number k of a node, counted from 0 over " \
  "all "                                                                                                               \
  "of its runs, is made of number k of SplitMix64 with the seed: see random feeds in docs/graph_format.md.\n\n"        \
  "shape: A vector, the shape of the output.\noutput: The numbers.\n"                                                  \
  "seed: The seed. Unlike in TensorFlow, 0 is a seed like any other.\n"                                                \
  "seed2: A second seed: unless it is 0, the seed is seed XOR number 0 of SplitMix64 with seed2.\n"                    \
  "dtype: The type of the numbers.\n"

REGISTER_RANDOM_OP("RandomUniform")
    .Doc(
        "Draws random numbers from 0 up to, but without, 1; all are equally likely.\n\n"
        "A number is the upper 53 (float64), 24 (float32), 11 (float16) or 8 (bfloat16) bits, divided by their number "
        "of "
        "values. " SEED_DOC);

REGISTER_RANDOM_OP("RandomStandardNormal")
    .Doc(
        "Draws random numbers of the normal distribution with mean 0 and standard deviation 1.\n\n"
        "They are computed in float64 as for random feeds, and rounded to the type. " SEED_DOC);

REGISTER_RANDOM_OP("RandomNormal")
    .Doc("Draws random numbers of the normal distribution. It is another name of RandomStandardNormal.\n\n" SEED_DOC);

#define REGISTER_RANDOM(T)                                                                                           \
  REGISTER_KERNEL_BUILDER(Name("RandomUniform").Device(DEVICE_CPU).TypeConstraint<T>("dtype"), RandomOp<T, Uniform>) \
  REGISTER_KERNEL_BUILDER(Name("RandomStandardNormal").Device(DEVICE_CPU).TypeConstraint<T>("dtype"),                \
                          RandomOp<T, Normal>)                                                                       \
  REGISTER_KERNEL_BUILDER(Name("RandomNormal").Device(DEVICE_CPU).TypeConstraint<T>("dtype"), RandomOp<T, Normal>);
TF_CALL_FLOAT_TYPES(REGISTER_RANDOM)
#undef REGISTER_RANDOM

}  // namespace
}  // namespace array_ops
