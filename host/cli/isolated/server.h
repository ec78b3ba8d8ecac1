// host/cli/isolated/server.h: answers the requests of messages.h with an ordinary engine, which has one plugin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/cli/isolated/handles.h"
#include "host/engine/engine.h"
#include "host/engine/loaded_graph.h"
#include "host/isolate/channel.h"
#include "host/isolate/messages.h"

namespace opsrun::host {

inline Status Damaged() {
  return Internal("the request to the isolated process is damaged");
}

// Null if there is none.
inline const Diagnostic* FirstError(const Diagnostics& diagnostics) {
  for (const Diagnostic& d : diagnostics.all()) {
    if (d.severity == Diagnostic::Severity::kError) return &d;
  }
  return nullptr;
}

class Server {
 public:
  Server(std::shared_ptr<Channel> channel, const SharedRegion& tensors)
      : channel_owner_(std::move(channel)), channel_(*channel_owner_), tensors_(tensors) {}
  Server(const Server&) = delete;

  // Returns when it is asked to end. On the main thread, whose stack a report of a timeout shows.
  void Serve();

 private:
  // Nodes of a graph. Each member uses those above it.
  struct Runnable {
    std::vector<uint64_t> nodes;                 // their numbers in the part
    std::vector<std::optional<size_t>> outputs;  // by output of the part: which one it is here; nothing: it is left out
    std::shared_ptr<LoadedGraph> graph;
    std::shared_ptr<const PlannedGraph> planned;
    std::vector<std::vector<const opsrun_resource*>> handles;  // by feed: what the lane has borrowed
    std::unique_ptr<Lane> lane;
  };
  struct Part {
    std::vector<TensorFacts> facts;  // of its feeds
    bool infer_shapes = true;
    Runnable whole;
    std::vector<uint64_t> left_out;  // nodes that `rest`, if it is made, is without, and without what depends on them
    Runnable rest;
  };

  Status Answer(IsolateRequest kind, WireReader& in, std::string& body);
  Status Open(WireReader& in, std::string& body);
  Status Load(WireReader& in);
  Status Infer(WireReader& in, std::string& body);
  Status Plan(WireReader& in, std::string& body);
  Status Run(WireReader& in, std::string& body);
  Status MakeLane(Runnable& part, const Part& of, std::vector<PartError>& errors);
  Result<Runnable*> Without(Part& part, const std::vector<uint64_t>& nodes);
  Status SetFeeds(Runnable& part, const RunRequest& request) const;
  Status Send(const opsrun_tensor& view, size_t& left, RunTensor& to);

  const std::shared_ptr<Channel> channel_owner_;  // with the alarm's thread, which does not end
  Channel& channel_;
  const SharedRegion& tensors_;
  std::shared_ptr<Engine> engine_;
  std::map<uint64_t, Part> parts_;
  Handles handles_;
  std::vector<std::string> gaps_;  // of the sandbox, as lines about the plugin
  std::string table_;              // of the plugin
};

}  // namespace opsrun::host
