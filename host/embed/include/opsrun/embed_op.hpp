// opsrun/embed_op.hpp: one op with its attrs, which is called with tensors of any types and shapes. The headers that
// `opsrun wrap --cpp` writes consist of such ops. opsrun/embed.hpp describes the rules for errors, threads and
// ownership.
//
// SPDX-License-Identifier: Apache-2.0
#ifndef OPSRUN_EMBED_OP_HPP_
#define OPSRUN_EMBED_OP_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opsrun/embed.hpp"

namespace opsrun::embed {

// An argument of a call: a tensor, or a list of tensors. Everything is borrowed until the call returns.
struct OpArg {
  OpArg(std::string_view of, const View& tensor) : name(of), tensors(&tensor), n(1), list(false) {}
  OpArg(std::string_view of, const std::vector<View>& all) : name(of), tensors(all.data()), n(all.size()), list(true) {}

  std::string_view name;
  const View* tensors;
  size_t n;
  bool list;
};

// What a call returned. Take it in the order of the op's outputs, each once.
class OpResults {
 public:
  OpResults(std::vector<Tensor> tensors, std::shared_ptr<const PreparedOp> prepared)
      : tensors_(std::move(tensors)), prepared_(std::move(prepared)) {}

  Tensor Take() { return std::move(tensors_[next_++]); }
  // All tensors of the list output `name`, which may be empty.
  std::vector<Tensor> TakeList(std::string_view name) {
    std::vector<Tensor> list;
    while (next_ < tensors_.size() && IsElementOf(name)) list.push_back(Take());
    return list;
  }

 private:
  // The elements of "parts" are "parts.0", "parts.1" ...
  bool IsElementOf(std::string_view name) const {
    const std::string_view here = Text(prepared_->output(static_cast<uint32_t>(next_)).name);
    return here.size() > name.size() && here.substr(0, name.size()) == name && here[name.size()] == '.';
  }

  std::vector<Tensor> tensors_;
  std::shared_ptr<const PreparedOp> prepared_;
  size_t next_ = 0;
};

// An op with its attrs. The first call with tensors of new data types and shapes prepares the op for them; the object
// keeps the latest 64 prepared ops. A stateful op has a kernel, and so a state, for each of them.
//
// The engine must live as long as the object. It can be moved but not copied.
class Op {
 public:
  // name: "ZeroOut" or "plugin.Op". Attrs that are left out are inferred from the inputs, or have their defaults.
  Op(const Engine& engine, std::string name, std::vector<Attr> attrs = {})
      : engine_(&engine), name_(std::move(name)), attrs_(std::move(attrs)), known_(std::make_unique<Known>()) {}

  // [one] Before the first call.
  void Add(Attr attr) { attrs_.push_back(std::move(attr)); }

  // [any] opsrun_prepared_call, after opsrun_engine_prepare if that is necessary. Throws Error, and
  // std::invalid_argument for a view of DLPack: pass its data as an array.
  OpResults Call(std::initializer_list<OpArg> args, const RunOptions& options = {}) const {
    std::vector<opsrun_array> arrays;
    size_t n = 0;
    for (const OpArg& arg : args) n += arg.n;
    arrays.reserve(n);  // `ins` points to its elements
    std::vector<opsrun_in> ins;
    ins.reserve(n);
    std::vector<int64_t> key;
    key.reserve(args.size() + 6 * n);
    for (const OpArg& arg : args) {
      key.push_back(arg.list ? static_cast<int64_t>(arg.n) : -1);
      for (size_t i = 0; i < arg.n; ++i) {
        const opsrun_array& array = arrays.emplace_back(arg.tensors[i].array());
        if (ins.emplace_back(arg.tensors[i].in(array)).tensor != nullptr)
          throw std::invalid_argument("a typed op takes arrays, not views of DLPack");
        key.insert(key.end(), {array.dtype, array.rank});
        key.insert(key.end(), array.shape, array.shape + array.rank);
      }
    }
    std::shared_ptr<const PreparedOp> prepared = Find(key);
    if (prepared == nullptr) prepared = Prepare(std::move(key), args);
    std::vector<opsrun_out> outs(prepared->n_outputs());
    std::vector<Tensor> results =
        detail::CallWith<opsrun_prepared_call>(prepared->get(), ins, std::move(outs), options);
    return OpResults(std::move(results), std::move(prepared));
  }

 private:
  struct Prepared {
    std::vector<int64_t> key;  // types and shapes
    std::shared_ptr<const PreparedOp> op;
  };
  struct Known {
    std::mutex mutex;
    std::vector<Prepared> latest;  // the latest first
  };

  static constexpr size_t kMostKnown = 64;

  std::shared_ptr<const PreparedOp> Find(const std::vector<int64_t>& key) const {
    const std::lock_guard<std::mutex> lock(known_->mutex);
    return FindLocked(key);
  }
  std::shared_ptr<const PreparedOp> FindLocked(const std::vector<int64_t>& key) const {
    std::vector<Prepared>& latest = known_->latest;
    for (size_t i = 0; i < latest.size(); ++i) {
      if (latest[i].key != key) continue;
      const auto at = latest.begin() + static_cast<std::ptrdiff_t>(i);
      std::rotate(latest.begin(), at, at + 1);
      return latest.front().op;
    }
    return nullptr;
  }

  std::shared_ptr<const PreparedOp> Prepare(std::vector<int64_t> key, std::initializer_list<OpArg> args) const {
    std::vector<OpInput> inputs;
    for (const OpArg& arg : args) {
      for (size_t i = 0; i < arg.n; ++i) {
        const opsrun_array array = arg.tensors[i].array();
        inputs.push_back({std::string(arg.name), array.dtype, {array.shape, array.shape + array.rank}, arg.list});
      }
    }
    auto made = std::make_shared<const PreparedOp>(engine_->Prepare(name_, inputs, attrs_));
    const std::lock_guard<std::mutex> lock(known_->mutex);
    // Another thread may have been first. There must be one state.
    if (std::shared_ptr<const PreparedOp> other = FindLocked(key)) return other;
    std::vector<Prepared>& latest = known_->latest;
    if (latest.size() == kMostKnown) latest.pop_back();
    latest.insert(latest.begin(), {std::move(key), made});
    return made;
  }

  const Engine* engine_;
  std::string name_;
  std::vector<Attr> attrs_;
  std::unique_ptr<Known> known_;
};

}  // namespace opsrun::embed

#endif  // OPSRUN_EMBED_OP_HPP_
