// tensorflow/cc/client/client_session.h: not there; the error says what to do instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun has no tensorflow/cc/client/client_session.h: a kernel cannot build or run graphs; make what it runs nodes of the graph"
