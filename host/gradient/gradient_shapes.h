// host/gradient/gradient_shapes.h: whether gradients have the shapes of their tensors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/diagnostic.h"
#include "host/gradient/differentiate.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// False if the shapes differ whatever their unknown sizes are.
bool MayBeEqual(const ResolvedShape& a, const ResolvedShape& b);

// G302 for each op whose declared gradient gives an input a gradient of another shape. resolution: of with_gradients,
// which is WithGradients of the graph and these gradients. The places are those of the graph.
bool CheckGradientShapes(const Graph& graph, const Graph& with_gradients, const Resolution& resolution,
                         const DerivedGradients& gradients, Diagnostics& diagnostics);

}  // namespace opsrun::host
