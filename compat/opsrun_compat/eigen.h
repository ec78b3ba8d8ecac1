// opsrun_compat/eigen.h: includes Eigen, and thereby Eigen's maps and devices, as TensorFlow's headers do.
//
// Without Eigen on the include path, tensors have the SDK's light maps. If the compiler's flags put Eigen before the
// SDK, its header replaces the SDK's header of that name, so this file does what that header would do.
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
