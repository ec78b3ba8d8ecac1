// tensorflow/core/kernels/lookup_table_op.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/kernels/lookup_table_op.h: keep the table in a class of your own derived from ResourceBase (tensorflow/core/framework/resource_mgr.h)"
