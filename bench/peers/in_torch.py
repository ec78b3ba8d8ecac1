"""bench/peers/in_torch.py: the graphs of graphs.py in PyTorch: eager, in TorchScript and compiled.

SPDX-License-Identifier: Apache-2.0
"""

import warnings

import torch

ENDING = ".pt"
F = torch.nn.functional
warnings.simplefilter("ignore")  # TorchScript is deprecated


def version():
    return torch.__version__


def configure(threads):
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(threads)


def _call(op, inputs, attrs):
    functions = {
        "ZeroOut": lambda x: torch.ops.native_peer.ZeroOut(x), "Sub": torch.sub, "Add": torch.add, "Tanh": torch.tanh,
        "AddN": lambda *each: torch.stack(each).sum(0), "MatMul": torch.matmul, "Relu": torch.relu,
        "Conv2D": lambda x, w: F.conv2d(x, w, padding=w.shape[-1] // 2), "MaxPool": lambda x: F.max_pool2d(x, 2),
        "MeanOfImage": lambda x: x.mean((2, 3)), "Dense": lambda x, w: torch.flatten(x, 1) @ w,
        "Cast": lambda x: x.to(getattr(torch, attrs["to"])), "Concat": lambda *each: torch.cat(each, attrs["axis"]), "Exp": torch.exp,
        "Gather": lambda x, rows: torch.index_select(x, 0, rows), "Less": torch.less, "Log1p": torch.log1p,
        "Softmax": lambda x: torch.softmax(x, -1), "Sum": lambda x: torch.sum(x, attrs["axis"]),
        "Transpose": lambda x: x.permute(attrs["perm"]).contiguous(), "Unique": lambda x: torch.unique(x, return_inverse=True)[0],
        "Pad": lambda x: F.pad(x, [size for pair in reversed(attrs["paddings"]) for size in pair])}
    return functions[op](*inputs)


class Network(torch.nn.Module):
    def __init__(self, graph):
        super().__init__()
        self.graph = graph
        for name, weights in _weights(graph).items():
            self.register_buffer(name, weights)

    def forward(self, *feeds):
        tensors = dict(zip(self.graph.feeds, feeds))
        for name, op, inputs, attrs in self.graph.nodes:
            tensors[name] = _call(op, [tensors[each] if each in tensors else getattr(self, each) for each in inputs], attrs)
        return tensors[self.graph.nodes[-1][0]]


def _weights(graph):
    """The weights in the order in which the nodes need them, channels first."""
    weights = {name: torch.from_numpy(array) for name, array in graph.weights.items()}
    for _, op, inputs, attrs in graph.nodes:
        if op == "Conv2D":
            weights[inputs[1]] = weights[inputs[1]].permute(3, 2, 0, 1).contiguous()
        elif op == "Dense":
            dense = weights[inputs[1]]
            weights[inputs[1]] = dense.reshape(*attrs["image"], -1).permute(2, 0, 1, 3).reshape(dense.shape).contiguous()
    return weights


def _feeds(graph):
    feeds = [torch.from_numpy(array) for array in graph.feeds.values()]
    return [each.permute(0, 3, 1, 2).contiguous() if graph.images and each.dim() == 4 else each for each in feeds]


def _traced(graph, feeds):
    with torch.inference_mode():
        return torch.jit.trace(Network(graph).eval(), tuple(feeds), check_trace=False)


def save(graph, path):
    small = [torch.zeros(4)] * len(graph.feeds)  # a trace holds no sizes
    _traced(graph, small).save(path)


def load(path):
    module = torch.jit.load(path)

    def run(feeds):
        with torch.inference_mode():
            return module(*(torch.as_tensor(array) for array in feeds.values()))

    return run


def _without_gradients(function, feeds):
    def run():
        with torch.inference_mode():
            return function(*feeds)

    return run


def ways(graph, _threads, folder, compiles):
    if graph.nodes[0][1] == "ZeroOut":
        import native_ops

        torch.ops.load_library(native_ops.of_pytorch(folder))
    feeds = _feeds(graph)
    traced = _traced(graph, feeds)
    found = {"TorchScript": traced, "frozen": torch.jit.freeze(traced.eval()),
             "optimize_for_inference": torch.jit.optimize_for_inference(traced.eval())}
    if len(graph.nodes) < 100:
        found["eager"] = Network(graph).eval()
    found = {name: _without_gradients(function, feeds) for name, function in found.items()}
    if graph.images:
        last = [each.contiguous(memory_format=torch.channels_last) for each in feeds]
        eager = Network(graph).eval().to(memory_format=torch.channels_last)
        found["channels_last"] = _without_gradients(eager, last)
        if compiles:
            found["torch.compile"] = _without_gradients(torch.compile(Network(graph).eval()), feeds)
    return found


def to_numpy(result, graph):
    """graph: None if it has no images."""
    return (result.permute(0, 2, 3, 1) if graph is not None and graph.images and result.dim() == 4 else result).numpy()


def first_result(path):
    four = torch.tensor([1.0, 2.0, 3.0, 4.0])
    return load(path)({"x": four, "y": four})
