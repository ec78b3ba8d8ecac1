// examples/embed/run_graph.cc: the same as run_graph.c, in C++17, where objects free themselves and errors are
// exceptions.
// usage: run_graph_cc totals.yaml
// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <iostream>
#include <vector>

#include "opsrun/embed.hpp"

namespace embed = opsrun::embed;

static void Run(const char* file) {
  // [run]
  const embed::Engine engine;                           // finds the installed plugins
  const embed::Graph graph = engine.LoadFile(file);     // checks everything that is known before a run
  const std::vector<float> prices = {1.5f, 20, 3.25f};  // feeds are read in place
  const std::vector<float> taxes = {0.25f, 4, 0.5f};
  const std::vector<embed::Tensor> results = graph.Run({{prices.data(), {3}}, {taxes.data(), {3}}});

  const embed::Tensor& totals = results[0];
  const float* values = totals.data<float>();
  for (size_t i = 0; i < totals.size(); ++i) std::cout << values[i] << "\n";
  // [/run]
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " GRAPH.yaml\n";
    return 2;
  }
  try {
    Run(argv[1]);
  } catch (const std::exception& error) {  // embed::Error, whose text has the location of each error in the graph
    std::cerr << error.what();
    return 1;
  }
}
