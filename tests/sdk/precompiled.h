// tests/sdk/precompiled.h: what clang reads once for all plugins that build_plugins.sh builds.
//
// None of the SDK's notes may be among it: clang 14 then rejects those of the plugin's own file ("causes a section type
// conflict with a prior #pragma section"). Eigen is included as by opsrun_compat/eigen.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define OPSRUN_EIGEN_BY_COMPAT
#include <unsupported/Eigen/CXX11/Tensor>
#undef OPSRUN_EIGEN_BY_COMPAT

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <unordered_map>
