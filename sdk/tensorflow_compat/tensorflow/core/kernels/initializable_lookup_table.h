// tensorflow/core/kernels/initializable_lookup_table.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/kernels/initializable_lookup_table.h: keep the table in a class of your own derived from ResourceBase (tensorflow/core/framework/resource_mgr.h)"
