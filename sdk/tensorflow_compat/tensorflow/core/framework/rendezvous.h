// tensorflow/core/framework/rendezvous.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/framework/rendezvous.h: kernels pass tensors through their outputs only"
