// host/cli/batch/inputs.cc: the arrays of an item, and what tells them from others.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>

#include "host/base/text.h"
#include "host/cli/batch/rows.h"
#include "host/graph/tensor_value.h"
#include "host/tensor/npy.h"

namespace opsrun::host {
namespace {

// In the feeds of numbers, texts are numbers that JSON lacks: ".nan", "1+2j".
Value ValueOf(const Json& json, bool is_text) {
  if (json.is_array()) {
    Value list = ListValue();
    for (const Json& each : json) list.items.push_back(ValueOf(each, is_text));
    return list;
  }
  if (!json.is_string()) {
    std::string text = json.is_number_unsigned() ? std::to_string(json.get<uint64_t>()) : json.dump();
    return is_text ? StringValue(std::move(text)) : PlainValue(std::move(text));
  }
  std::string text = json.get<std::string>();
  return is_text ? StringValue(std::move(text)) : PlainValue(std::move(text));
}

// What the item gives `feed`, without its elements if it is in an .npy file and `all` is false.
struct Found {
  DType dtype = DType::kInvalid;
  Shape shape;
  std::optional<Tensor> tensor;
};

std::optional<Found> FoundIn(const Tensor& tensor) {
  return Found{tensor.dtype(), tensor.shape(), tensor};
}

Status ReadHeader(const std::string& path, std::optional<DType> as, Found& found) {
  constexpr size_t kMostHeaderBytes = 4096;
  std::ifstream file(path, std::ios::binary);
  std::string begin(kMostHeaderBytes, '\0');
  if (!file) return CannotRead(path, errno);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<size_t>(file.gcount()));
  const Result<NpyHeader> header = ParseNpyHeader(begin, as);
  if (!header.ok()) return Named(path, header.status());
  found.dtype = header->dtype;
  found.shape = header->shape;
  return OkStatus();
}

std::optional<Found> Find(const BatchItem& item, size_t i, const Manifest& manifest, bool all,
                          Diagnostics& diagnostics) {
  const Feed& feed = *manifest.columns()[i];
  const auto& [file, value] = item.inputs[i];
  const std::optional<DType> as = feed.dtype ? std::optional<DType>(feed.dtype->value) : std::nullopt;
  if (file.path.empty()) {
    const SourceFile nowhere{};
    Diagnostics problems;
    Reporter reporter(nowhere, problems);
    const std::optional<Tensor> tensor = ReadTensorValue(ValueOf(value, IsText(feed)), as, reporter);
    if (tensor) return FoundIn(*tensor);
    for (const Diagnostic& d : problems.all()) diagnostics.Error(d.code, d.message).help = d.help;
    return std::nullopt;
  }
  std::error_code error;
  const auto kind = std::filesystem::status(file.path, error).type();
  Status status;
  if (kind != std::filesystem::file_type::regular) {
    status = kind == std::filesystem::file_type::not_found || HoldsNul(file.path)
                 ? CannotRead(file.path, ENOENT)
                 : FailedPrecondition(fmt::format("cannot read '{}': it is not a regular file", file.path));
  }
  Found found;
  if (status.ok() && (all || !file.key.empty())) {
    const Result<Tensor> tensor = file.key.empty() ? ReadNpy(file.path, as) : ReadNpz(file.path, file.key, as);
    if (tensor.ok()) return FoundIn(*tensor);
    status = tensor.status();
  } else if (status.ok()) {
    status = ReadHeader(file.path, as, found);
    if (status.ok()) return found;
  }
  Diagnostic& d = diagnostics.Error("F302", status.message());
  if (status.code() == OPSRUN_NOT_FOUND && !manifest.path().empty())
    d.help = {"what is neither a number nor a list is the path of a file, relative to the manifest"};
  return std::nullopt;
}

// The rest of what planning says of a feed, but of the item.
bool Fits(const Found& found, const Feed& feed, Diagnostics& diagnostics) {
  if (feed.dtype && feed.dtype->value != found.dtype) {
    const std::string has = DTypeName(found.dtype), declared = DTypeName(feed.dtype->value);
    diagnostics.Error("F202", fmt::format("it is {}, but the graph declares {}", has, declared)).help = {
        fmt::format("declare dtype: {}, or save the array as {}", has, declared)};
  } else if (feed.shape && !ShapeAllows(feed.shape->value, found.shape)) {
    const std::string has = ShapeText(found.shape);
    diagnostics
        .Error("F203", fmt::format("it has shape {}, but the graph declares {}", has, ShapeText(feed.shape->value)))
        .help = {fmt::format("declare shape: {}, or give an array of the declared shape", has)};
  } else {
    return true;
  }
  return false;
}

std::optional<Tensor> Input(const BatchItem& item, size_t i, const Manifest& manifest, bool all,
                            Diagnostics& diagnostics) {
  const Feed& feed = *manifest.columns()[i];
  Diagnostics problems;
  const std::optional<Found> found = Find(item, i, manifest, all, problems);
  const bool fits = found && Fits(*found, feed, problems);
  for (Diagnostic& d : problems.all()) {
    d.message = fmt::format("feed '{}' of item '{}': {}", feed.name.value, item.id, d.message);
    diagnostics.all().push_back(std::move(d));
  }
  return fits ? found->tensor : std::nullopt;
}

}  // namespace

std::optional<Tensor> ReadInput(const BatchItem& item, size_t i, const Manifest& manifest, Diagnostics& diagnostics) {
  return Input(item, i, manifest, /*all=*/true, diagnostics);
}

void CheckInput(const BatchItem& item, size_t i, const Manifest& manifest, Diagnostics& diagnostics) {
  (void)Input(item, i, manifest, /*all=*/false, diagnostics);
}

uint64_t StampOf(const BatchItem& item) {
  std::string text;
  for (const auto& [file, value] : item.inputs) {
    if (file.path.empty()) {
      text += value.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
      continue;
    }
    const std::optional<FileState> state = host::StateOf(file.path.c_str());
    text += fmt::format("{}:{} {} {}\n", std::filesystem::absolute(file.path).lexically_normal().string(), file.key,
                        state ? state->size : 0, state ? state->time : 0);
  }
  return HashOf(text);
}

}  // namespace opsrun::host
