// host/gradient/filled_feeds.h: declared feeds that stand for gradients, as long as these do not exist.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/gradient/differentiate.h"

namespace opsrun::host {

// The declared feeds with the name of a gradient, and which element of request.wrt it is the gradient of.
std::map<std::string, size_t> FilledFeeds(const Graph& graph, const GradientRequest& request);

// False after errors: G304 for a feed that has not the type and shape of the gradient, G205 for one on which a tensor
// that is differentiated depends. of, wrt: values of the request.
bool CheckFilledFeeds(const Graph& graph, const Resolution& resolution, const std::map<std::string, size_t>& filled,
                      const std::vector<uint32_t>& of, const std::vector<uint32_t>& wrt, Diagnostics& diagnostics);

}  // namespace opsrun::host
