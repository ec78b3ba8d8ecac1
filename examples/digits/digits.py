"""Trains a network that reads handwritten digits, and stores it as a graph that the program opsrun runs.

    pip install --no-deps scikit-learn          # only its data is used
    python examples/digits/digits.py            # writes digits.yaml, digits.npz, unseen.npy; --device gpu: on a GPU
    opsrun digits.yaml --feed image=unseen.npy

The 1,797 images of 8 x 8 pixels come with scikit-learn; 1,437 of them are for training, the others for testing.
SPDX-License-Identifier: Apache-2.0
"""

import argparse
import gzip
import importlib.util
import pathlib

import numpy as np

import opsrun
from opsrun.ops import array_ops, math_ops, shape_ops


def read_digits():
    """Images [1797, 8, 8, 1] of brightness 0 to 1, and their digits, shuffled with a fixed seed."""
    found = importlib.util.find_spec("sklearn")
    if found is None:
        raise SystemExit("the images are those of scikit-learn, which is not installed: pip install --no-deps scikit-learn")
    with gzip.open(pathlib.Path(found.origin).parent / "datasets" / "data" / "digits.csv.gz") as file:
        table = np.loadtxt(file, np.float32, delimiter=",")
    table = np.random.default_rng(0).permutation(table)
    return table[:, :64].reshape(-1, 8, 8, 1) / 16, table[:, 64].astype(np.int32)


def new_params(seed=0):
    """The parameters of two layers of 3 x 3 filters and a dense layer."""
    random = np.random.default_rng(seed)

    def weights(*shape):
        return (random.normal(size=shape) * np.sqrt(2 / np.prod(shape[:-1]))).astype(np.float32)

    return {"edges": weights(3, 3, 1, 16), "shapes": weights(3, 3, 16, 32), "digits": weights(2 * 2 * 32, 10),
            "bias": np.zeros(10, np.float32)}


# [network]
def score(params, image):
    """The logits of each image for each digit."""
    for name in ("edges", "shapes"):
        found = math_ops.relu(math_ops.conv2d(image, params[name], strides=[1, 1, 1, 1], padding="SAME"))
        image = math_ops.max_pool(found, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    return shape_ops.reshape(image, [-1, 2 * 2 * 32]) @ params["digits"] + params["bias"]


def loss(params, image, digit):
    """The mean of -log of the probability of the right digit."""
    right = array_ops.one_hot(digit, 10, np.float32(1), np.float32(0))
    return -(math_ops.log_softmax(score(params, image)) * right).sum(axis=1).mean()


@opsrun.function(image=opsrun.TensorSpec("image", "float32", (None, 8, 8, 1)))
def classify(params, image):
    """The predicted digit of each image, and its probability."""
    probabilities = math_ops.softmax(score(params, image))
    return {"digit": math_ops.arg_max(probabilities, 1), "probability": probabilities.max(axis=1)}
# [/network]


def train(params, images, digits, epochs, batch=32, rate=0.05):
    """Gradient descent with momentum."""
    step = opsrun.value_and_grad(loss)
    velocity = {name: 0 * value for name, value in params.items()}
    random = np.random.default_rng(1)
    for epoch in range(epochs):
        order = random.permutation(len(images))
        losses = []
        for begin in range(0, len(order) - batch + 1, batch):
            chosen = order[begin:begin + batch]
            value, gradient = step(params, images[chosen], digits[chosen])
            for name in params:
                velocity[name] = np.float32(0.9) * velocity[name] - np.float32(rate) * gradient[name]
                params[name] = params[name] + velocity[name]
            losses.append(value)
        print(f"epoch {epoch + 1}: loss {np.mean([float(value) for value in losses]):.4f}")
    return params


def picture(images, read, right):
    """An SVG of images with the prediction below each, in red where it is wrong."""
    levels, texts = {}, []
    for i, image in enumerate(images):
        x, y = i % 12 * 10, i // 12 * 13
        for row, column in np.argwhere(image[..., 0] > 0.1):
            levels.setdefault(int(image[row, column, 0] * 4), []).append(f"M{x + column} {y + row + .5}h1")
        color = "#333" if read[i] == right[i] else "#d00"
        texts.append(f'<text x="{x + 4}" y="{y + 11.5}" fill="{color}">{read[i]}</text>')
    strokes = [f'<path d="{"".join(moves)}" stroke="#0072b2" stroke-opacity="{(level + 1) / 5}"/>'
               for level, moves in sorted(levels.items())]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 122 {-(-len(images) // 12) * 13 + 2}" width="732">\n'
            '<rect x="-2" y="-2" width="122" height="100%" fill="white"/>\n'
            '<g font-family="Helvetica,Arial,sans-serif" font-size="3.4" text-anchor="middle">\n' + "\n".join(strokes + texts)
            + "\n</g>\n</svg>\n")


def main():
    arguments = argparse.ArgumentParser(description="Trains a network that reads handwritten digits.")
    arguments.add_argument("--epochs", type=int, default=6)
    arguments.add_argument("--device", default="cpu", help="where the parameters are, and with them the work: cpu, gpu, gpu:1")
    arguments.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."), help="the folder for what is stored")
    arguments.add_argument("--picture", type=pathlib.Path, help="an SVG file: the 36 images that are hardest to read")
    options = arguments.parse_args()
    images, digits = read_digits()
    n = len(images) * 4 // 5
    params = {name: opsrun.asarray(value, options.device) for name, value in new_params().items()}
    params = train(params, images[:n], digits[:n], options.epochs)
    found = {name: np.asarray(value) for name, value in classify(params, images[n:]).items()}
    print(f"{np.mean(found['digit'] == digits[n:]):.1%} of {len(images) - n} images that it has not seen are read right")
    classify.graph.save(options.out / "digits.yaml", weights={f"params_{name}": np.asarray(value) for name, value in params.items()})
    np.save(options.out / "unseen.npy", images[n:])
    if options.picture:
        shown = np.argsort(found["probability"])[:36]
        options.picture.write_text(picture(images[n:][shown], found["digit"][shown], digits[n:][shown]))


if __name__ == "__main__":
    main()
