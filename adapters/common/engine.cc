// adapters/common/engine.cc
// SPDX-License-Identifier: Apache-2.0
#include "engine.h"

#include <algorithm>

namespace opsrun_adapter {
namespace {

// The length in bytes of the character at `at`; 0 if it is invalid. See the Unicode Standard 15.0, table 3-7.
size_t SizeOfCharacter(const std::string& text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned lead = byte(at), next = byte(at + 1);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  if ((lead == 0xE0 && next < 0xA0) || (lead == 0xED && next > 0x9F)) return 0;
  if ((lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F)) return 0;
  const size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

// "/ops/my_op.opsrun.yaml:4:26: " if the message is about a file; other texts, such as those of calls, are not the
// user's.
std::string PlaceOf(const opsrun_diagnostic& d) {
  const std::string file = Text(d.file);
  if (file.empty() || file[0] != '/') return "";
  return file + ":" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column) + ": ";
}

// The messages with their help.
std::string TextOf(const opsrun_report* report) {
  std::string text;
  for (uint32_t i = 0; i < opsrun_report_count(report); ++i) {
    const opsrun_diagnostic& d = *opsrun_report_get(report, i);
    if (d.severity != OPSRUN_SEVERITY_ERROR) continue;
    text += (text.empty() ? "" : "\n") + PlaceOf(d) + Text(d.message);
    for (uint32_t k = 0; k < d.n_help; ++k) text += "; " + Text(d.help[k]);
  }
  return text.empty() ? "no reason is known" : text;
}

// Returns the result of a library function whose last two parameters receive the result and the report.
template <typename Owned, typename Fn, typename... Args>
Owned Make(const std::string& what, Fn fn, Args... args) {
  typename Owned::pointer made = nullptr;
  opsrun_report* report = nullptr;
  const int32_t code = fn(args..., &made, &report);
  Owned owned(made);
  Check(code, report, what);
  return owned;
}

template <typename T>
uint32_t CountOf(const std::vector<T>& list) {
  return static_cast<uint32_t>(list.size());
}

}  // namespace

const char* CodeName(int32_t code) {
  static constexpr const char* kNames[] = {
      "OK",        "CANCELLED",      "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
      "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
      "ABORTED",   "OUT_OF_RANGE",   "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
      "DATA_LOSS", "UNAUTHENTICATED"};
  return code >= 0 && code <= OPSRUN_UNAUTHENTICATED ? kNames[code] : kNames[OPSRUN_UNKNOWN];
}

std::string Utf8(const std::string& text) {
  std::string valid;
  for (size_t at = 0; at < text.size();) {
    const size_t size = SizeOfCharacter(text, at);
    valid += size == 0 ? "\xEF\xBF\xBD" : text.substr(at, size);
    at += std::max<size_t>(1, size);
  }
  return valid;
}

std::string Blame(std::string subject) {
  std::replace(subject.begin(), subject.end(), ':', ' ');
  return subject;
}

std::string OutputName(const opsrun_typed_op_info& op, uint32_t i) {
  for (uint32_t a = 0; a < op.n_out_args; ++a) {
    const opsrun_arg& arg = op.out_args[a];
    if (i < arg.first || i >= arg.first + arg.count) continue;
    const bool list = (arg.flags & OPSRUN_ARG_LIST) != 0;
    return "output '" + Text(arg.name) + (list ? "." + std::to_string(i - arg.first) : "") + "'";
  }
  return "output " + std::to_string(i);
}

void Check(int32_t code, opsrun_report* report, const std::string& what) {
  if (code == OPSRUN_OK) return opsrun_report_free(report);
  const std::string text = TextOf(report);
  opsrun_report_free(report);
  Throw(code, what + ": " + text);
}

OwnedKernel MakeKernel(const opsrun_typed_op* op, const std::string& what, const std::string& device) {
  opsrun_prepare_options options{};
  options.size = sizeof(options);
  options.device = Str(device);
  return Make<OwnedKernel>(what, opsrun_typed_op_make_kernel, op, &options);
}

OwnedShapes InferShapes(const opsrun_typed_op* op, const std::vector<opsrun_known_input>& inputs,
                        const std::string& what) {
  return Make<OwnedShapes>(what, opsrun_typed_op_infer, op, inputs.data(), CountOf(inputs));
}

OwnedGradient Differentiate(const opsrun_typed_op* op, const std::vector<opsrun_known_sizes>& shapes,
                            const std::string& what) {
  return Make<OwnedGradient>(what, opsrun_typed_op_differentiate, op, shapes.data(), CountOf(shapes));
}

std::string ToYaml(const opsrun_typed_op* op) {
  opsrun_text* yaml = nullptr;
  Check(opsrun_typed_op_to_yaml(op, &yaml), nullptr, "a call of an op as text");
  return Text(opsrun_text_get(OwnedText(yaml).get()));
}

Engine::Engine(const std::vector<std::string>& directories, const opsrun_host* (*make_table)(const opsrun_engine*)) {
  std::vector<opsrun_str> plugins;
  for (const std::string& directory : directories) plugins.push_back(Str(directory));
  opsrun_engine_options options{};
  options.size = sizeof(options);
  options.plugins = plugins.data();
  options.n_plugins = CountOf(plugins);
  opsrun_report* report = nullptr;
  const int32_t code = opsrun_engine_create(&options, &engine_, &report);
  Check(code, report, "opsrun");
  table_ = make_table(engine_);
}

std::string Engine::AddPlugin(const std::string& path, const std::string& ops_file) const {
  if (!ops_file.empty()) {
    opsrun_report* report = nullptr;
    const int32_t code = opsrun_engine_attach(engine_, Str(path), Str(ops_file), &report);
    Check(code, report, "opsrun");
  }
  return Text(opsrun_text_get(Make<OwnedText>("opsrun", opsrun_engine_add_plugin, engine_, Str(path)).get()));
}

std::vector<Plugin> Engine::Plugins() const {
  opsrun_listing* listing = nullptr;
  Check(opsrun_engine_list(engine_, &listing), nullptr, "opsrun");
  std::vector<Plugin> plugins;
  for (uint32_t i = 0; i < opsrun_listing_count(listing); ++i) {
    const opsrun_plugin_info& info = *opsrun_listing_get(listing, i);
    if (info.state != OPSRUN_PLUGIN_OK) continue;
    std::vector<std::string> ops;
    for (uint32_t k = 0; k < info.n_ops; ++k) ops.push_back(Text(info.ops[k]));
    plugins.emplace_back(Text(info.name), Text(info.path), std::move(ops));
  }
  opsrun_listing_free(listing);
  return plugins;
}

OwnedOpInfo Engine::FindOp(const std::string& op) const {
  return Make<OwnedOpInfo>("opsrun", opsrun_engine_find_op, engine_, Str(op));
}

std::string Engine::Describe(const std::string& op) const {
  return Text(FindOp(op)->json);
}

OwnedTypedOp Engine::TypeOp(const std::string& op, const std::vector<opsrun_op_input>& inputs,
                            const std::vector<opsrun_attr>& attrs, const std::string& what) const {
  return Make<OwnedTypedOp>(what, opsrun_engine_type_op, engine_, Str(op), inputs.data(), CountOf(inputs), attrs.data(),
                            CountOf(attrs));
}

OwnedTypedOp Engine::ReadOp(const std::string& yaml, const std::string& what) const {
  return Make<OwnedTypedOp>(what, opsrun_engine_read_op, engine_, Str(yaml));
}

}  // namespace opsrun_adapter
