// tensorflow/core/framework/device_attributes.pb.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/framework/device_attributes.pb.h: the SDK has no protobuf messages but those of tensors, attrs and nodes; read attrs with GetAttr"
