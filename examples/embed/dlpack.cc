// examples/embed/dlpack.cc: runs a graph on tensors of DLPack, and hands its result over as one. It compiles with
// dlpack.h 0.6, which is the one of Debian 12 (package libdlpack-dev), and later.
// build: c++ -std=c++17 dlpack.cc -o dlpack $(pkg-config --cflags --libs opsrun)
// usage: dlpack totals.yaml
// SPDX-License-Identifier: Apache-2.0
#include <dlpack/dlpack.h>  // before embed.hpp, which then takes a DLTensor

#include <exception>
#include <iostream>
#include <vector>

#include "opsrun/embed.hpp"

namespace embed = opsrun::embed;

// [give]
#if defined(DLPACK_MAJOR_VERSION) && DLPACK_MAJOR_VERSION >= 1
using Managed = DLManagedTensorVersioned;
static Managed* Give(embed::Tensor result) {
  return result.release();
}
#else
// The struct that a result has came with DLPack 1.0. This makes the older one, for float32.
using Managed = DLManagedTensor;
struct Given {
  embed::Tensor result;
  std::vector<int64_t> shape;
  DLManagedTensor tensor;
};
static Managed* Give(embed::Tensor result) {
  std::vector<int64_t> shape = result.shape();
  Given* const given = new Given{std::move(result), std::move(shape), {}};
  DLTensor& tensor = given->tensor.dl_tensor;
  tensor.data = const_cast<float*>(given->result.data<float>());
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int>(given->shape.size());
  tensor.dtype = {kDLFloat, 32, 1};
  tensor.shape = given->shape.data();
  given->tensor.manager_ctx = given;
  given->tensor.deleter = [](DLManagedTensor* self) { delete static_cast<Given*>(self->manager_ctx); };
  return &given->tensor;
}
#endif
// [/give]

static void Run(const char* file) {
  // [feeds]
  // A table with a row of price and tax for each item: its columns are feeds, which are strided.
  float table[3][2] = {{1.5f, 0.25f}, {20, 4}, {3.25f, 0.5f}};
  int64_t shape[] = {3}, strides[] = {2};
  DLTensor column{};
  column.data = table;
  column.device = {kDLCPU, 0};
  column.ndim = 1;
  column.dtype = {kDLFloat, 32, 1};
  column.shape = shape;
  column.strides = strides;
  DLTensor prices = column, taxes = column;
  taxes.byte_offset = sizeof(float);

  const embed::Engine engine;
  const embed::Graph graph = engine.LoadFile(file);
  std::vector<embed::Tensor> results = graph.Run({embed::View(&prices), embed::View(&taxes)});
  // [/feeds]
  Managed* const totals = Give(std::move(results[0]));
  for (int64_t i = 0; i < totals->dl_tensor.shape[0]; ++i) {
    std::cout << static_cast<const float*>(totals->dl_tensor.data)[i] << "\n";
  }
  totals->deleter(totals);  // what the consumer does when it needs the tensor no longer
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: " << argv[0] << " GRAPH.yaml\n";
    return 2;
  }
  try {
    Run(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << error.what();
    return 1;
  }
}
