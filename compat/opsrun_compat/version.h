// opsrun_compat/version.h: the version of TensorFlow that sources see.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"

#ifndef TF_MAJOR_VERSION
#define TF_MAJOR_VERSION 2
#define TF_MINOR_VERSION 18
#define TF_PATCH_VERSION 0
#define TF_VERSION_SUFFIX ""
#endif
#define TF_VERSION_STRING "2.18.0"

#define TF_GRAPH_DEF_VERSION_MIN_PRODUCER 0
#define TF_GRAPH_DEF_VERSION_MIN_CONSUMER 0
#define TF_GRAPH_DEF_VERSION 1987
