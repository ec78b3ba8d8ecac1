// tensorflow/core/kernels/queue_base.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/kernels/queue_base.h: a graph has no queues; keep the elements in a class of your own derived from ResourceBase"
