// opsrun/internal/plugin_note.h: the PLUGIN note of this translation unit.
//
// Every unit has its own note, so that the host detects a unit that was built with different flags.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"

OPSRUN_C_PLUGIN_NOTE(opsrun_sdk_plugin_note);
