// opsrun/namespace.h: the namespace in which the SDK's classes are defined.
//
// A translation unit that first includes opsrun/*.h has them in `opsrun`. One that first includes a tensorflow/ header
// has them in `tensorflow`, because such sources reopen that namespace and forward-declare its classes, which a
// using-directive does not support. In both cases the classes are also visible under the other name.
//
// The translation units of one plugin may use different namespaces: what they share (the list of registrations) has
// names outside both. A function of the author's own that takes an SDK class has a different mangled name in each
// namespace, so a call between two such units does not link. Let those files include the same kind of header first.
//
// Write `namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {` to open it. It is hidden because two plugins in one process each
// have their own copy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __cplusplus < 201703L
#error "the opsrun SDK needs C++17: add -std=c++17 to the compiler's flags"
#endif

#include "opsrun/c_api.h"

// Every translation unit has its own PLUGIN note, so that the host detects a unit that was built with different flags.
OPSRUN_C_PLUGIN_NOTE(opsrun_sdk_plugin_note);

#define OPSRUN_HIDDEN __attribute__((visibility("hidden")))

// For functions that GPU kernels call too.
#ifdef __CUDACC__
#define OPSRUN_HOST_DEVICE __host__ __device__
#else
#define OPSRUN_HOST_DEVICE
#endif

#ifndef OPSRUN_NAMESPACE
#define OPSRUN_NAMESPACE opsrun
#endif

namespace opsrun OPSRUN_HIDDEN {}
namespace tensorflow OPSRUN_HIDDEN {}
#ifdef OPSRUN_ENTERED_THROUGH_TENSORFLOW
namespace opsrun {
using namespace tensorflow;
}
#else
namespace tensorflow {
using namespace opsrun;
}
#endif
