// tests/adapters/onnxruntime/program.cc: a program without Python that runs a model with a plugin's op.
// usage: program LIBOPSRUN_ONNX.SO MODEL.ONNX
// The model has one input and one output, vectors of float32. Prints the output for the input [5, 4, 3].
// SPDX-License-Identifier: Apache-2.0
#include <onnxruntime_cxx_api.h>

#include <iostream>
#include <vector>

int main(int, char** args) try {
  Ort::Env environment(ORT_LOGGING_LEVEL_FATAL);
  Ort::SessionOptions options;
  options.RegisterCustomOpsLibrary(args[1]);
  Ort::Session session(environment, args[2], options);
  std::vector<float> x = {5, 4, 3};
  const std::vector<int64_t> shape = {3};
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const auto input = Ort::Value::CreateTensor<float>(memory, x.data(), x.size(), shape.data(), shape.size());
  const char *in = "in0", *out = "out0";
  const std::vector<Ort::Value> results = session.Run(Ort::RunOptions(), &in, &input, 1, &out, 1);
  for (size_t i = 0; i < results[0].GetTensorTypeAndShapeInfo().GetElementCount(); ++i) {
    std::cout << results[0].GetTensorData<float>()[i] << '\n';
  }
  return 0;
} catch (const std::exception& problem) {
  std::cerr << problem.what() << '\n';
  return 1;
}
