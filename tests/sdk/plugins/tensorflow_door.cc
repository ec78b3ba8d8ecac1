// tests/sdk/plugins/tensorflow_door.cc: the op of a plugin whose kernel is in a file that includes opsrun/ headers.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"

REGISTER_OP("Answer").Output("answer: int32");
