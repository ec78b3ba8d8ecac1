// SPDX-License-Identifier: Apache-2.0
#include "host/graph/compiled_graph.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "host/graph/compiled_layout.h"
#include "host/graph/read_graph.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace opsrun::host {

using namespace compiled;

namespace {

// False if there are more or fewer.
bool SetPlaces(Value& head, std::span<const Span> places) {
  size_t count = 0;
  if (Value* const nodes = head.Find("nodes")) ForEachPlace(*nodes, [](Span& span) { span = {}; });
  ForEachPlace(head, [&](Span& span) { span = count < places.size() ? places[count] : Span{}, ++count; });
  return count == places.size();
}

// The bytes of the arrays.
struct ArrayBytes {
  std::shared_ptr<char> begin;
  size_t offset = 0;  // in the file
  bool whole = true;  // compare them with their hashes
};

class Reader {
 public:
  Reader(const std::string& path, std::shared_ptr<const char> front, ArrayBytes arrays)
      : path_(path), front_(std::move(front)), arrays_(std::move(arrays)) {
    std::memcpy(&header_, front_.get(), sizeof(header_));
  }

  Result<Graph> Read() {
    if (Status status = CheckParts(); !status.ok()) return status;
    const auto source = std::make_shared<const SourceFile>(SourceFile{path_, std::string(View(kText))});
    auto compiled = std::make_shared<CompiledGraph>(source, front_);
    Result<Graph> head = ReadHead(source, *compiled);
    if (!head.ok()) return head;
    compiled->names = View(kNames);
    compiled->nodes = Records<CompiledNode>(kNodes);
    compiled->inputs = Records<uint32_t>(kInputs);
    compiled->after = Records<CompiledAfter>(kAfter);
    compiled->named = Records<uint32_t>(kNamed);
    if (Status status = CheckNodes(*compiled, *head); !status.ok()) return status;
    if (Status status = SetArrays(*head); !status.ok()) return status;
    head->compiled = std::move(compiled);
    return head;
  }

 private:
  static Status Damaged(const std::string& what) { return InvalidArgument("it is damaged: " + what); }

  Status CheckParts() const {
    for (size_t part = 0; part < kParts; ++part) {
      const auto& [offset, bytes] = header_.parts[part];
      const bool inside = offset >= sizeof(header_) && offset <= header_.data && bytes <= header_.data - offset;
      if (!inside || offset % kAlignment != 0 || bytes % kRecordBytes[part] != 0)
        return Damaged(fmt::format("part {} has {} bytes at {}", part, bytes, offset));
    }
    return OkStatus();
  }

  std::string_view View(Part part) const {
    return {front_.get() + header_.parts[part].offset, header_.parts[part].bytes};
  }
  template <typename T>
  std::span<const T> Records(Part part) const {
    const std::string_view view = View(part);
    return {reinterpret_cast<const T*>(view.data()), view.size() / sizeof(T)};
  }

  Result<Graph> ReadHead(const std::shared_ptr<const SourceFile>& source, CompiledGraph& compiled) const {
    const SourceFile text{path_, std::string(View(kHead))};
    Diagnostics found;
    std::optional<Value> root = ReadYaml(text, found);
    if (!root || root->kind != Value::Kind::kMap) return Damaged("it has no head");
    if (!SetPlaces(*root, Records<Span>(kPlaces))) return Damaged("its head has other places");
    if (const Value* const ops = root->Find(kCompiledOps)) {
      for (const Value::Entry& op : ops->entries) compiled.ops.emplace_back(op.key, op.value.text);
    }
    std::optional<Graph> head = ReadTree(*std::move(root), source, found);
    if (!head || found.has_errors())
      return Damaged("its head: " + (found.all().empty() ? std::string() : found.all().front().message));
    head->left_out.clear();  // the ops
    return *std::move(head);
  }

  static Status CheckNodes(const CompiledGraph& compiled, const Graph& head) {
    uint32_t begin = 0;
    for (const CompiledNode& node : compiled.nodes) {
      if (node.kind >= head.nodes.size() || node.place >= compiled.nodes.size() || node.name_end < begin ||
          node.name_end > compiled.names.size() || !IsName(compiled.names.substr(begin, node.name_end - begin)))
        return Damaged(fmt::format("node {}", &node - compiled.nodes.data()));
      begin = node.name_end;
    }
    const auto is_node = [&](uint32_t node) { return node < compiled.nodes.size(); };
    const auto is_order = [&](const CompiledAfter& each) { return is_node(each.node) && each.earlier < each.node; };
    if (!std::ranges::all_of(compiled.named, is_node) || !std::ranges::all_of(compiled.after, is_order) ||
        !std::ranges::is_sorted(compiled.after, {}, &CompiledAfter::node))
      return Damaged("it names nodes that it does not have");
    return OkStatus();
  }

  Status SetArrays(Graph& head) const {
    for (const ArrayRecord& record : Records<ArrayRecord>(kArrays)) {
      Feed* const feed = record.feed < head.feeds.size() ? &head.feeds[record.feed] : nullptr;
      const bool fits = feed != nullptr && feed->source == Feed::Source::kDeclared && feed->dtype && feed->shape &&
                        IsWhole(feed->shape->value) && !HasSlots(feed->dtype->value);
      Result<Tensor> array = fits ? ReadArray(record, feed->dtype->value, feed->shape->value)
                                  : Damaged(fmt::format("an array of feed {}", record.feed));
      if (!array.ok()) return array.status();
      feed->source = Feed::Source::kValue;
      feed->value = *std::move(array);
      feed->shape.reset();
    }
    return OkStatus();
  }

  Result<Tensor> ReadArray(const ArrayRecord& record, DType dtype, const Shape& shape) const {
    const uint64_t end = header_.size;
    if (record.offset < header_.data || record.offset % kAlignment != 0 || record.offset > end ||
        record.bytes > end - record.offset)
      return Damaged(fmt::format("an array of {} bytes at {}", record.bytes, record.offset));
    char* const bytes = arrays_.begin.get() + (record.offset - arrays_.offset);
    Result<Tensor> array = Tensor::Over(dtype, shape, {arrays_.begin, bytes});
    if (!array.ok() || array->num_bytes() != record.bytes)
      return Damaged(fmt::format("{} bytes for {} {}", record.bytes, DTypeName(dtype), ShapeText(shape)));
    if (arrays_.whole && XXH3_64bits(bytes, record.bytes) != record.hash) return Damaged("the bytes of an array");
    if (dtype != DType::kBool) return array;
    array = Tensor::CopyOf(dtype, shape, bytes);
    if (array.ok()) NormalizeBools(*array);
    return array;
  }

  const std::string& path_;
  const std::shared_ptr<const char> front_;
  const ArrayBytes arrays_;
  Header header_;
};

// OK for a header, and a file of `size` bytes, that can be read.
Status CheckHeader(const Header& header, uint64_t size) {
  if (!std::equal(std::begin(kMagic), std::end(kMagic), header.magic))
    return InvalidArgument("it is not a compiled graph");
  if (header.format != kCompiledFormat)
    return InvalidArgument(
        fmt::format("it has format {}; this version of opsrun reads format {}", header.format, kCompiledFormat));
  if (header.size != size)
    return InvalidArgument(fmt::format("it has {} bytes, and should have {}", size, header.size));
  const bool aligned = header.data == size || header.data % kAlignment == 0;
  if (header.data < sizeof(Header) || header.data > size || header.data > kMostBytes || !aligned)
    return InvalidArgument(fmt::format("it is damaged: arrays at {}", header.data));
  return OkStatus();
}

Status CheckHash(const char* front, const Header& header) {
  if (XXH3_64bits(front + kHashed, header.data - kHashed) == header.hash) return OkStatus();
  return InvalidArgument("it is damaged: its bytes do not have their hash");
}

// Bytes that nobody else changes. Null if memory runs out.
std::shared_ptr<char> NewBytes(size_t bytes) {
  const auto free = [](char* at) { ::operator delete (at, std::align_val_t{kAlignment}); };
  void* const at = ::operator new (std::max(bytes, kAlignment), std::align_val_t{kAlignment}, std::nothrow);
  return {static_cast<char*>(at), free};
}

Status ReadAt(const Descriptor& file, uint64_t offset, char* to, size_t bytes, const std::string& path) {
  while (bytes > 0) {
    const ssize_t n = pread(file.get(), to, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return CannotRead(path, n < 0 ? errno : EIO);
    offset += static_cast<uint64_t>(n);
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return OkStatus();
}

Result<std::shared_ptr<char>> ReadBytes(const Descriptor& file, uint64_t offset, size_t bytes,
                                        const std::string& path) {
  std::shared_ptr<char> to = NewBytes(bytes);
  if (to == nullptr) return ResourceExhausted(fmt::format("there is no memory for {} bytes", bytes));
  if (Status status = ReadAt(file, offset, to.get(), bytes, path); !status.ok()) return status;
  return to;
}

Result<Graph> ReadFileOf(const std::string& path, MappedFiles* mapped, bool whole) {
  const Descriptor file(HoldsNul(path) ? -1 : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const std::optional<FileState> state = StateOf(file);
  if (!state) return CannotRead(path, errno);
  Header header;
  if (state->size < sizeof(header)) return InvalidArgument("it ends early");
  if (Status status = ReadAt(file, 0, reinterpret_cast<char*>(&header), sizeof(header), path); !status.ok())
    return status;
  if (Status status = CheckHeader(header, state->size); !status.ok()) return status;
  Result<std::shared_ptr<char>> front = ReadBytes(file, 0, header.data, path);
  if (!front.ok()) return front.status();
  if (Status status = CheckHash(front->get(), header); !status.ok()) return status;
  const size_t bytes = state->size - header.data;
  const auto pages = mapped != nullptr && bytes >= MappedFiles::kLeastArray ? mapped->MapAll(path) : std::nullopt;
  if (pages && pages->second.size() == state->size) {
    Result<Graph> graph =
        Reader(path, *std::move(front), {std::static_pointer_cast<char>(pages->first), 0, whole}).Read();
    if (graph.ok()) graph->mapped = mapped->files();
    return graph;
  }
  Result<std::shared_ptr<char>> read = ReadBytes(file, header.data, bytes, path);
  if (!read.ok()) return read.status();
  return Reader(path, *std::move(front), {*std::move(read), header.data, true}).Read();
}

Result<Graph> ReadBytesOf(const std::string& path, std::string_view bytes) {
  Header header;
  if (bytes.size() < sizeof(header)) return InvalidArgument("it ends early");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (Status status = CheckHeader(header, bytes.size()); !status.ok()) return status;
  const std::shared_ptr<char> copy = NewBytes(bytes.size());
  if (copy == nullptr) return ResourceExhausted("there is no memory");
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  if (Status status = CheckHash(copy.get(), header); !status.ok()) return status;
  return Reader(path, copy, {copy, 0, true}).Read();
}

std::optional<Graph> Reported(const std::string& path, Result<Graph> graph, Diagnostics& diagnostics) {
  if (graph.ok()) return *std::move(graph);
  RefuseCompiledGraph(path, graph.status().message(), diagnostics);
  return std::nullopt;
}

}  // namespace

void RefuseCompiledGraph(const std::string& path, const std::string& why, Diagnostics& diagnostics) {
  const bool names_it = why.find(path) != std::string::npos;
  Diagnostic& error = diagnostics.Error("G015", names_it ? why : fmt::format("'{}' cannot be used: {}", path, why));
  error.help = {"compile the graph again: opsrun compile GRAPH -o " + path};
}

std::optional<Graph> ReadCompiledGraph(const std::string& path, MappedFiles* mapped, bool whole,
                                       Diagnostics& diagnostics) {
  return Reported(path, ReadFileOf(path, mapped, whole), diagnostics);
}

std::optional<Graph> ParseCompiledGraph(const std::string& path, std::string_view bytes, Diagnostics& diagnostics) {
  return Reported(path, ReadBytesOf(path, bytes), diagnostics);
}

void TakeArrays(const Graph& from, Graph& made) {
  std::unordered_map<std::string_view, const Feed*> known;
  for (const Feed& feed : from.feeds) known.emplace(feed.name.value, &feed);
  for (Feed& feed : made.feeds) {
    const auto found = known.find(feed.name.value);
    if (found == known.end() || found->second->source != Feed::Source::kValue) continue;
    feed.source = Feed::Source::kValue;
    feed.value = found->second->value;
  }
  made.mapped = from.mapped;
}

const std::vector<Node>& CompiledGraph::AllNodes() const {
  std::call_once(read_once_, [this] {
    Diagnostics ignored;
    std::optional<Graph> read = ReadGraph(source_, ignored);
    const bool same = read && read->nodes.size() == nodes.size();
    all_nodes_.resize(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
      if (same && read->nodes[nodes[i].place].name.value == NameOf(i)) {
        all_nodes_[i] = read->nodes[nodes[i].place];
      } else {
        all_nodes_[i].name.value = NameOf(i);
      }
    }
  });
  return all_nodes_;
}

}  // namespace opsrun::host
