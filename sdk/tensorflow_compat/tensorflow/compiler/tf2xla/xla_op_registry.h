// tensorflow/compiler/tf2xla/xla_op_registry.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/compiler/tf2xla/xla_op_registry.h: plugins are not compiled by XLA; leave this file out of the plugin"
