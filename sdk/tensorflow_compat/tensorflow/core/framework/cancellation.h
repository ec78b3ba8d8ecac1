// tensorflow/core/framework/cancellation.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/framework/cancellation.h: ask context->IsCancelled() regularly"
