"""Reads 1,797 images of handwritten digits, each of them an item of a batch.

    pip install --no-deps scikit-learn                  # only its data is used
    python examples/batch/read_digits.py --prepare      # trains the network: writes digits.yaml, digits.npz and images/
    opsrun batch digits.yaml --feed image='images/*.npy' --out results
    python examples/batch/read_digits.py                # says how many were read right

The same with an engine, which needs pip install "opsrun[dask]" or "opsrun[ray]":

    python examples/batch/read_digits.py --engine dask
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import contextlib
import pathlib
import sys

import numpy as np

import opsrun

sys.path.append(str(pathlib.Path(__file__).parents[1] / "digits"))
import digits  # noqa: E402: the example beside this one


def prepare(folder):
    images, right = digits.read_digits()
    n = len(images) * 4 // 5
    params = digits.train(digits.new_params(), images[:n], right[:n], epochs=6)
    digits.classify(params, images[n:])
    digits.classify.graph.save(folder / "digits.yaml", weights={f"params_{name}": value for name, value in params.items()})
    (folder / "images").mkdir(exist_ok=True)
    for i, image in enumerate(images):
        np.save(folder / f"images/{i:04}.npy", image[None])


@contextlib.contextmanager
def client_of(engine):
    """A cluster of this machine. distributed.Client("tcp://scheduler:8786") or ray.init("auto") would be one of many."""
    # [clients]
    if engine == "dask":
        from distributed import Client
        with Client(threads_per_worker=1) as client:
            yield client
    elif engine == "ray":
        import ray
        ray.init()
        yield "ray"
    # [/clients]
    else:
        yield None


def main():
    arguments = argparse.ArgumentParser(description="Reads many images of handwritten digits.")
    arguments.add_argument("--prepare", action="store_true", help="train the network and write the images, instead of reading them")
    arguments.add_argument("--engine", choices=["dask", "ray"], help="what hands out the images; this machine alone by default")
    arguments.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("."), help="where digits.yaml is")
    options = arguments.parse_args()
    folder = options.folder
    if options.prepare:
        return prepare(folder)
    with client_of(options.engine) as client:
        # [batch]
        result = opsrun.batch(folder / "digits.yaml", {"image": f"{folder}/images/*.npy"}, folder / "results", client=client)
        # [/batch]
    _, right = digits.read_digits()
    found = {record["id"]: result.load(record["id"])["digit"].item() for record in result.records()}
    correct = sum(found[f"{i:04}"] == digit for i, digit in enumerate(right))
    print(f"{correct} of {result.ok} images are read right; {result.ran} were read by this command")


if __name__ == "__main__":
    main()
