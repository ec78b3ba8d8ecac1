// opsrun/namespace.h: which namespace the SDK's classes are defined in.
//
// A translation unit that enters through opsrun/*.h has them in `opsrun`. One that enters through the tensorflow/
// headers has them in `tensorflow`, because such sources reopen that namespace and forward-declare its classes, which a
// using-directive cannot serve. Either way the other name sees them too. Only the first header of a translation unit
// decides.
//
// The units of one plugin may enter by different doors: what they share (the list of registrations) has names outside
// both. A function of the author's own that takes an SDK class and is called across such units has two names, and does
// not link: let those two files enter by one door.
//
// Write `namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {` to open it. Hidden, because two plugins in one process each have a
// copy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __cplusplus < 201703L
#error "the opsrun SDK needs C++17: add -std=c++17 to the compiler's flags"
#endif

#include "opsrun/internal/plugin_note.h"

#define OPSRUN_HIDDEN __attribute__((visibility("hidden")))

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
