"""bench/peers/gpu_pytorch.py: what PyTorch needs on a GPU for the work that bench/gpu_ops.py measures.

usage: gpu_pytorch.py --bytes N --size N --links N [--device cuda|cpu]

Prints a JSON object: PyTorch's version, and the seconds of one call by the name of the case. Exits with 77 if PyTorch
or its GPU is missing. --device cpu runs each case once, to test this file.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import math
import statistics
import sys
import time

TRIES = 7


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, required=True)
    parser.add_argument("--size", type=int, required=True)
    parser.add_argument("--links", type=int, required=True)
    parser.add_argument("--device", default="cuda")
    return parser.parse_args()


def moving_cases(torch, options):
    """Calls on arrays of that many bytes, as in gpu_ops.py."""
    elements = options.bytes // 4
    columns = 1 << max(int(math.log2(elements)) // 2, 1)
    rows = elements // columns
    x = torch.rand(rows, columns, device=options.device) / 2 + 0.5
    odd = x[:, :-1].contiguous()
    row, column, odd_row = x[:1].clone(), x[:, :1].clone(), odd[:1].clone()
    halves = [x, x.half()]
    order = torch.tensor([(i * 7919 + 13) % rows for i in range(rows)], device=options.device)
    pad, softmax = torch.nn.functional.pad, torch.nn.functional.softmax
    return {
        "ConcatV2, one more row": lambda i: torch.cat([x, row]),
        "Cast, float32 to float16 and back": lambda i: halves[i % 2].to(halves[1 - i % 2].dtype),
        "Neg": lambda i: -x,
        "Tanh": lambda i: torch.tanh(x),
        "Add": lambda i: x + x,
        "Add, a row to all rows": lambda i: x + row,
        "Add, a column to all columns": lambda i: x + column,
        "Add, a row to all odd rows": lambda i: odd + odd_row,
        "Sum of rows": lambda i: x.sum(1),
        "Sum of columns": lambda i: x.sum(0),
        "Sum of odd rows": lambda i: odd.sum(1),
        "ArgMax of rows": lambda i: x.argmax(1),
        "ArgMax of columns": lambda i: x.argmax(0),
        "Sum of all": lambda i: x.sum(),
        "Cumsum of rows": lambda i: x.cumsum(1),
        "Cumsum of columns": lambda i: x.cumsum(0),
        "Transpose": lambda i: x.t().contiguous(),
        "GatherV2 of rows": lambda i: x.index_select(0, order),
        "Softmax of rows": lambda i: softmax(x, 1),
        "Softmax of odd rows": lambda i: softmax(odd, 1),
        "Pad, one more row and column": lambda i: pad(x, (0, 1, 0, 1)),
    }


def product_cases(torch, options):
    n = options.size
    limit = (3 / n) ** 0.5
    made = {}
    for dtype in "float32", "float64", "float16", "bfloat16":
        x, y = ((torch.rand(n, n, device=options.device) * 2 - 1) * limit for _ in range(2))
        x, y = x.to(getattr(torch, dtype)), y.to(getattr(torch, dtype))
        made[f"MatMul {dtype}"] = lambda i, x=x, y=y: x @ y
    for side, channels in (56, 64), (28, 128), (14, 256):
        images, filters = (torch.rand(*shape, device=options.device).to(memory_format=torch.channels_last)
                           for shape in convolution_shapes(n, side, channels))
        made[f"Conv2D, {side} x {side} x {channels}"] = lambda i, images=images, filters=filters: torch.nn.functional.conv2d(
            images, filters, padding=1)
    return made


def convolution_shapes(size, side, channels):
    """As in gpu_ops.py."""
    side, channels = min(side, size), min(channels, size)
    return (max(size // 128, 1), channels, side, side), (channels, channels, 3, 3)


def seconds_of(torch, links, call, on_card):
    """The median of what `links` more calls take, divided by their number."""
    def run(count):
        begin = time.perf_counter()
        for i in range(count):
            call(i)
        if on_card:
            torch.cuda.synchronize()
        return time.perf_counter() - begin

    run(links)
    tries = [run(2 * links) - run(links) for _ in range(TRIES if on_card else 1)]
    return max(statistics.median(tries) / links, 1e-9)


def in_cuda_graph(torch, call, count):
    """A call that launches a CUDA graph of `count` calls."""
    call(0)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            call(i)
    return lambda i: graph.replay()


def main():
    options = read_options()
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed", file=sys.stderr)
        sys.exit(77)
    on_card = options.device == "cuda"
    if on_card and not torch.cuda.is_available():
        print("PyTorch finds no GPU", file=sys.stderr)
        sys.exit(77)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    torch.set_grad_enabled(False)
    seconds = {name: seconds_of(torch, options.links, call, on_card)
               for name, call in {**moving_cases(torch, options), **product_cases(torch, options)}.items()}
    one = torch.ones(1, 1, device=options.device)
    many = 20 * options.links
    seconds["a node of one element"] = seconds_of(torch, many, lambda i: -one, on_card)
    if on_card:
        replay = in_cuda_graph(torch, lambda i: -one, many)
        seconds["the same in a CUDA graph"] = seconds_of(torch, options.links, replay, on_card) / many
    print(json.dumps({"version": torch.__version__, "seconds": seconds}))


main()
