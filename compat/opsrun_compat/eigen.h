// opsrun_compat/eigen.h: Eigen, and with it Eigen's maps and devices, as TensorFlow's tensors have them.
//
// Without Eigen on the include path there are the SDK's light maps. An Eigen that the command names before the SDK's
// flags does not pass through the SDK's own header of that name, so what that header does is made up for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"

#if defined(OPSRUN_EIGEN_IS_IN) || __has_include(<Eigen/Core>)
#define OPSRUN_EIGEN_BY_COMPAT
#include <unsupported/Eigen/CXX11/Tensor>
#undef OPSRUN_EIGEN_BY_COMPAT
#ifndef OPSRUN_EIGEN_IS_IN
#include "opsrun/internal/eigen_is_in.h"
#endif
#if !defined(EIGEN_USE_GPU) || !(defined(GOOGLE_CUDA) || defined(__CUDACC__) || defined(OPSRUN_CUDA_EMULATION))
#include "opsrun_compat/no_gpu_device.h"
#endif
#include "opsrun_compat/to_32_bit.h"
#endif
