// host/probe/probe_records.h: what the probing process tells the one that waits for it.
//
// Records are a letter, a text and a NUL. They are written to descriptor 3, each at once, so that what was told before
// a crash is known. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opsrun::host {

inline constexpr int kProbeDescriptor = 3;

enum ProbeRecord : char {
  kProbePhase = 'p',    // what begins now: "in its entry"
  kProbeReason = 'r',   // why the open file is refused
  kProbeRemedy = 'f',   // what to do about that
  kProbeMemory = 'm',   // nothing but memory is missing
  kProbeChange = 'c',   // what it left changed
  kProbeLibrary = 'l',  // a file that was loaded with it
  kProbeOpened = 'o',   // everything was told; only the end of the process follows
};

}  // namespace opsrun::host
