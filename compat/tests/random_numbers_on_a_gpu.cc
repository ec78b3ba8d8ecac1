// compat/tests/random_numbers_on_a_gpu.cc: FillPhiloxRandom is for the CPU; the error says what to do.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/kernels/random_op.h"

struct OtherDevice {};

typedef tensorflow::random::UniformDistribution<tensorflow::random::PhiloxRandom, float> Distribution;

tensorflow::functor::FillPhiloxRandom<OtherDevice, Distribution> fill;
