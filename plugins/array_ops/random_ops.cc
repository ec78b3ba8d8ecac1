// plugins/array_ops/random_ops.cc: RandomUniform and RandomNormal.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/register_types.h"
#include "random_numbers.h"

namespace array_ops {

namespace {

constexpr int kMostNormals = 256;

// Compiled for several instruction sets, for vectors and an fma that is no call. All give the same numbers.
#define ARRAY_OPS_INLINE inline __attribute__((always_inline))

// Computes all numbers as if they were in the middle, and then those in the tails again.
ARRAY_OPS_INLINE void ComputeNormals(uint64_t seed, uint64_t first, int n, double* out) {
  double distances[kMostNormals], roots[kMostNormals], ends[kMostNormals];
  for (int i = 0; i < n; ++i) {
    distances[i] = DistanceOf(RandomBits(seed, first + static_cast<uint64_t>(i)));
    out[i] = NormalInMiddle(distances[i]);
  }
  int places[kMostNormals], count = 0;
  for (int i = 0; i < n; ++i) {
    places[count] = i;
    count += IsInTail(distances[i]) ? 1 : 0;
  }
  for (int k = 0; k < count; ++k) ends[k] = EndOf(distances[places[k]]);
  for (int k = 0; k < count; ++k) {
    roots[k] = RootOf(ends[k]);
    ends[k] = NearEnd(roots[k] - 1.6);
  }
  for (int k = 0; k < count; ++k) {
    if (roots[k] > 5) ends[k] = FarEnd(roots[k] - 5);
    out[places[k]] = std::copysign(ends[k], distances[places[k]]);
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void NormalsWithAvx2(uint64_t seed, uint64_t first, int n, double* out) {
  ComputeNormals(seed, first, n, out);
}
__attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl"))) void NormalsWithAvx512(uint64_t seed, uint64_t first,
                                                                                     int n, double* out) {
  ComputeNormals(seed, first, n, out);
}
#endif
void NormalsWithoutExtensions(uint64_t seed, uint64_t first, int n, double* out) {
  ComputeNormals(seed, first, n, out);
}

auto BestNormals() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? &NormalsWithAvx512
                                                                                    : &NormalsWithAvx2;
  }
#endif
  return &NormalsWithoutExtensions;
}

struct Uniform {
  template <typename T>
  static void Draw(uint64_t seed, uint64_t first, int64 n, T* to) {
    for (int64 i = 0; i < n; ++i) to[i] = UniformNumbers::Of<T>(RandomBits(seed, first + static_cast<uint64_t>(i)));
  }
};

struct Normal {
  template <typename T>
  static void Draw(uint64_t seed, uint64_t first, int64 n, T* to) {
    static const auto normals = BestNormals();
    double numbers[kMostNormals];
    for (int64 begin = 0; begin < n; begin += kMostNormals) {
      const int size = static_cast<int>(std::min<int64>(n - begin, kMostNormals));
      normals(seed, first + static_cast<uint64_t>(begin), size, numbers);
      for (int i = 0; i < size; ++i) to[begin + i] = static_cast<T>(static_cast<Drawn<T>>(numbers[i]));
    }
  }
};

template <typename Distribution>
struct CpuDraws {
  template <typename T>
  static Status Run(OpKernelContext* context, uint64_t seed, uint64_t first, int64 n, T* to) {
    constexpr int64 kBytesInTheTimeOfANumber = 64;
    ForIndices(context, n, kBytesInTheTimeOfANumber, [&](int64 begin, int64 end) {
      Distribution::Draw(seed, first + static_cast<uint64_t>(begin), end - begin, to + begin);
    });
    return Status::OK();
  }
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

// A paragraph of both docs. TensorFlow takes a random seed if seed and seed2 are 0.
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

#define REGISTER_RANDOM(T)                                                                            \
  REGISTER_KERNEL_BUILDER(Name("RandomUniform").Device(DEVICE_CPU).TypeConstraint<T>("dtype"),        \
                          RandomOp<T, CpuDraws<Uniform>>)                                             \
  REGISTER_KERNEL_BUILDER(Name("RandomStandardNormal").Device(DEVICE_CPU).TypeConstraint<T>("dtype"), \
                          RandomOp<T, CpuDraws<Normal>>)                                              \
  REGISTER_KERNEL_BUILDER(Name("RandomNormal").Device(DEVICE_CPU).TypeConstraint<T>("dtype"),         \
                          RandomOp<T, CpuDraws<Normal>>);
TF_CALL_FLOAT_TYPES(REGISTER_RANDOM)
#undef REGISTER_RANDOM

}  // namespace
}  // namespace array_ops
