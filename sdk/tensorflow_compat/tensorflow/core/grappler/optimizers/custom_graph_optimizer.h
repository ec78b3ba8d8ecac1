// tensorflow/core/grappler/optimizers/custom_graph_optimizer.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/core/grappler/optimizers/custom_graph_optimizer.h: plugins cannot rewrite graphs; leave this file out of the plugin"
