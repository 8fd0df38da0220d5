"""Train the fast shot detector: the network that finds changes, and the one that confirms them.

    python -m training.train_shots [--data ../shared/data] [--cache build/shot-set] [--check]

The first network judges every frame. It is trained on films composed by code and on films of pure
motion (shot_films.py), disturbed in light, noise, frame rate, repeated frames and direction of
time, and measured by the very code that runs in the product. The second one is shown every gradual
transition that the first suggests in those films, and thousands of clips drawn at random
(shot_clips.py), and learns which of them are motion.

Every random number has a seed and every sum is computed by one thread, so the same versions give
the same weights, number for number: --check trains and fails if they are not those in the package,
--write replaces those and their card. Two cores take about half an hour, most of it composing
films, which are kept in the cache. --quick trains for a few seconds on one drawn film, to see that
the program works.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path

# Sums are rounded differently if several threads share them.
os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}

import cv2
import numpy as np
import torch
from torch import nn
from torch.nn import functional

from benchmarks.shots.motion_camera import World, load_world
from benchmarks.shots.shot_footage import film_paths, load_takes
from storyscope.shots.confirm import EVIDENCE, features
from storyscope.shots.decide import gradual_runs
from storyscope.shots.describe import describe
from storyscope.shots.measure import CHANNELS, REACH, measure, sketch
from storyscope.shots.network import DILATIONS, MARGIN, OUTPUTS, score
from storyscope.shots.weights import CARD, WEIGHTS, digest
from training import pin_weights
from training.shot_clips import Stock, clip
from training.shot_films import QUICK, composed, disturbed, moving, sources_digest
from training.shot_layers import PICTURE

ROOT = Path(__file__).parents[1]
STRETCH = 512
WIDTH = 48
STEPS = 3000
"""Steps of training the first network."""
CONFIRM_WIDTH = 32
CONFIRM_STEPS = 1500
CLIPS = 6000
"""Clips drawn at random: half of them transitions, half of them motion."""
PICTURES = 300
"""Pictures for the layers of those clips."""
SHORTEST_STRETCH, LONGEST_STRETCH = 30, 96
"""Frames of uncut film that those clips are made of."""
CANDIDATE = 0.35
"""The second network learns from every run of frames that rises above this."""
MOTION_VERSIONS = 4
"""Disturbed copies of films of pure motion."""

Weights = dict[str, np.ndarray]
Example = tuple[np.ndarray, bool]
"""The features of a change, and whether it is a transition."""
Clip = tuple[np.ndarray, np.ndarray]
"""Small frames (n x 27 x 48 x 3), or what was measured of them, and labels (n x OUTPUTS)."""


def measured(rgb: np.ndarray) -> np.ndarray:
    return measure(sketch(_padded(rgb, REACH)))


def _padded(rows: np.ndarray, reach: int) -> np.ndarray:
    return np.concatenate([np.repeat(rows[:1], reach, 0), rows, np.repeat(rows[-1:], reach, 0)])


class Net(nn.Module):
    """The network of `storyscope.shots.network`, for training."""

    def __init__(self) -> None:
        super().__init__()
        self.enter = nn.Linear(CHANNELS, WIDTH)
        self.layers = nn.ModuleList(nn.Conv1d(WIDTH, WIDTH, 3, dilation=d) for d in DILATIONS)
        self.leave = nn.Linear(WIDTH, OUTPUTS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = functional.relu(self.enter(x)).transpose(1, 2)
        for layer, dilation in zip(self.layers, DILATIONS, strict=True):
            h = h[:, :, dilation:-dilation] + functional.relu(layer(h))
        return self.leave(h.transpose(1, 2))

    def arrays(self) -> dict[str, np.ndarray]:
        """Weights as the product stores them: the three taps of a layer stacked in one matrix."""
        half = {"enter": self.enter.weight.T, "enter_bias": self.enter.bias}
        half |= {"leave": self.leave.weight.T, "leave_bias": self.leave.bias}
        for number, layer in enumerate(self.layers):
            half[f"layer{number}"] = layer.weight.permute(2, 1, 0).reshape(-1, layer.out_channels)
            half[f"layer{number}_bias"] = layer.bias
        return {name: value.detach().numpy().astype(np.float16) for name, value in half.items()}


def train_network(clips: list[Clip], *, steps: int, seed: int = 3) -> dict[str, np.ndarray]:
    """Learn to score frames from measured clips, stretches of which are drawn at random."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    net = Net()
    optimiser = torch.optim.AdamW(net.parameters(), lr=3e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 3e-3, total_steps=steps)
    weight = torch.tensor([4.0, 1.5, 1.0, 1.0])
    long = [(x, y) for x, y in clips if len(x) > STRETCH + 2 * MARGIN]
    chance = np.array([len(x) for x, _ in long], float)
    running = 0.0
    for step in range(steps):
        batch = []
        for which in rng.choice(len(long), 16, p=chance / chance.sum()):
            x, y = long[which]
            at = int(rng.integers(0, len(x) - STRETCH - 2 * MARGIN))
            batch.append(
                (x[at : at + STRETCH + 2 * MARGIN], y[at + MARGIN : at + MARGIN + STRETCH])
            )
        x = torch.from_numpy(np.stack([b[0] for b in batch]).astype(np.float32))
        y = torch.from_numpy(np.stack([b[1] for b in batch]))
        loss = functional.binary_cross_entropy_with_logits(net(x), y, pos_weight=weight)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        running += 0.01 * (float(loss.detach()) - running)
        if step % 250 == 249:
            print(f"step {step + 1}: loss {running:.4f}", flush=True)
    return net.arrays()


def suggested(clip: Clip, weights: Weights) -> Iterator[Example]:
    """Every gradual transition that the network suggests in a film: its features, and if it is one.

    One that covers part of a true transition and much else is neither.
    """
    rgb, labels = clip
    scores = score(_padded(measured(rgb), MARGIN), weights)
    true = labels[:, 1] > 0
    for run in gradual_runs(scores, CANDIDATE):
        hit = int(true[run.start : run.stop].sum())
        if hit == 0 or hit > 0.6 * len(run):
            yield features(rgb, run, scores[run.start : run.stop]), hit > 0


def examples_of(films: list[Clip], weights: Weights, *, jobs: int) -> list[Example]:
    """What the network suggests in all films: as they are, and disturbed.

    A film without any gradual transition is pure motion; it is disturbed more often, because few
    suggestions are wrong and those teach most.
    """
    tasks = [
        (number, version, film, weights)
        for number, film in enumerate(films)
        for version in range(1 + (MOTION_VERSIONS if not film[1][:, 1].any() else 0))
    ]
    with get_context("fork").Pool(jobs) as pool:
        return [example for found in pool.imap(_suggested_in, tasks) for example in found]


def _suggested_in(task: tuple[int, int, Clip, Weights]) -> list[Example]:
    number, version, film, weights = task
    clip = disturbed(*film, np.random.default_rng([12, number, version])) if version else film
    return list(suggested(clip, weights))


def drawn_examples(stock: Stock, count: int, *, jobs: int) -> list[Example]:
    """Clips drawn at random, with nothing known of what the first network thinks of them."""
    with get_context("fork").Pool(jobs, initializer=_draw_from, initargs=(stock,)) as pool:
        return list(pool.imap(_drawn, range(count), chunksize=50))


def _draw_from(stock: Stock) -> None:
    """Keep in this process what its clips are drawn from, which is too much to send each time."""
    _drawn.stock = stock  # type: ignore[attr-defined]


def _drawn(number: int) -> Example:
    real = number % 2 == 0
    made, length = clip(_drawn.stock, [31, number], real=real)  # type: ignore[attr-defined]
    return np.append(describe(made, length), np.full(EVIDENCE, np.nan, np.float32)), real


def stock_of(films: list[Clip], world: World) -> Stock:
    """What clips are drawn from: a piece of every uncut stretch of the films, and pictures."""
    rng = np.random.default_rng(3)
    pictures = [
        cv2.resize(world.picture(rng), PICTURE, interpolation=cv2.INTER_AREA).transpose(2, 0, 1)
        for _ in range(PICTURES)
    ]
    stretches = []
    for rgb, labels in films:
        inside = (labels[:, 1] > 0).astype(np.int8)
        edges = np.flatnonzero((labels[:, 0] > 0) | (np.diff(inside, prepend=inside[0]) != 0))
        for first, end in zip([0, *edges], [*edges, len(rgb)], strict=True):
            if end - first >= SHORTEST_STRETCH and not inside[first]:
                length = min(end - first, LONGEST_STRETCH)
                start = first + int(rng.integers(0, end - first - length + 1))
                stretches.append(rgb[start : start + length])
    return Stock(stretches, np.stack(pictures).astype(np.float32) / 255)


def train_confirmation(examples: list[Example], *, steps: int, seed: int = 5) -> Weights:
    """Learn which changes are motion: two layers on standardised features.

    What is not known (NaN) counts as average. Half of the time the second network does without the
    evidence of the first one, so that it learns from clips and films alike what motion looks like.
    """
    torch.manual_seed(seed)
    known = np.stack([features for features, _ in examples])
    centre, spread = np.nanmean(known, axis=0), np.nanstd(known, axis=0) + 1e-3
    x = torch.from_numpy(np.nan_to_num((known - centre) / spread).clip(-5, 5))
    y = torch.tensor([[float(real)] for _, real in examples])
    net = nn.Sequential(
        nn.Linear(x.shape[1], CONFIRM_WIDTH), nn.Tanh(), nn.Linear(CONFIRM_WIDTH, 1)
    )
    optimiser = torch.optim.AdamW(net.parameters(), lr=4e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, 4e-3, total_steps=steps)
    for _ in range(steps):
        chosen = torch.randint(0, len(x), (512,))
        batch = x[chosen] + 0.1 * torch.randn(512, x.shape[1])
        batch[:256, -EVIDENCE:] = 0
        loss = functional.binary_cross_entropy_with_logits(net(batch), y[chosen])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    wrong = float(((net(x) > 0) != (y > 0.5)).float().mean())
    print(f"{len(y)} changes, {int(y.sum())} transitions; {wrong:.2%} judged wrong", flush=True)
    first, last = net[0], net[2]
    values = {
        "confirm_centre": torch.from_numpy(centre),
        "confirm_spread": torch.from_numpy(spread),
        "confirm_enter": first.weight.T,
        "confirm_enter_bias": first.bias,
        "confirm_leave": last.weight.T,
        "confirm_leave_bias": last.bias,
    }
    return {name: value.detach().numpy().astype(np.float32) for name, value in values.items()}


def measured_versions(films: list[Clip]) -> Iterator[Clip]:
    """Every film as it is and disturbed, measured."""
    rng = np.random.default_rng(11)
    for rgb, labels in films:
        for pixels, marks in ((rgb, labels), disturbed(rgb, labels, rng)):
            yield measured(pixels).astype(np.float16), marks


def train(films: list[Clip], world: World, *, quick: bool, jobs: int) -> Weights:
    """The weights of both networks."""
    network = train_network(list(measured_versions(films)), steps=5 if quick else STEPS)
    print(f"first network: digest {digest(network)}", flush=True)
    as_loaded = {name: value.astype(np.float32) for name, value in network.items()}
    examples = examples_of(films, as_loaded, jobs=jobs)
    clips = drawn_examples(stock_of(films, world), 40 if quick else CLIPS, jobs=jobs)
    return network | train_confirmation(examples + clips, steps=50 if quick else CONFIRM_STEPS)


def write(weights: Weights, frames: int) -> None:
    """Let these weights ship, with a card that says what they are."""
    np.savez_compressed(WEIGHTS, **weights)
    card = {
        "made_by": "python -m training.train_shots --write",
        "digest": digest(weights),
        "numbers": int(sum(value.size for value in weights.values())),
        "trained_on": "the tuning half of benchmarks/shots/shot_set.py, the training kinds of "
        "benchmarks/shots/motion_footage.py, and clips of training/shot_clips.py",
        "frames": frames,
        "clips": CLIPS,
        "versions": {
            "torch": torch.__version__,
            "numpy": np.__version__,
            "opencv": cv2.__version__,
        },
    }
    CARD.write_text(json.dumps(card, indent=1) + "\n")
    pin_weights.main()


def films_for(options: argparse.Namespace) -> tuple[list[Clip], World]:
    """Every film to train on, composed or taken from the cache, and pictures for more.

    Films that other code composed lie in another folder of the cache, and are not used.
    """
    kept = options.cache / f"training-{sources_digest()[:12]}"
    if options.quick:
        return list(moving(range(1), World(()), kept, QUICK)), World(())
    takes = load_takes("tuning", film_paths(options.data), options.cache / "decoded")
    world = load_world("tuning", takes["film"])
    seeds = range(2)
    return [*composed(seeds, takes, kept), *moving(seeds, world, kept)], world


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--cache", type=Path, default=ROOT / "build" / "shot-set")
    parser.add_argument("--jobs", type=int, default=2, help="films looked at at a time")
    parser.add_argument("--out", type=Path, help="keep the weights here too")
    parser.add_argument("--quick", action="store_true", help="a few seconds on one small film")
    parser.add_argument("--write", action="store_true", help="let these weights ship")
    parser.add_argument("--check", action="store_true", help="fail unless these are what ships")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    films, world = films_for(options)
    weights = train(films, world, quick=options.quick, jobs=options.jobs)
    if options.out:
        np.savez_compressed(options.out, **weights)
    if options.write and not options.quick:
        write(weights, sum(len(rgb) for rgb, _ in films))
    with np.load(WEIGHTS) as shipped:
        same = digest(weights) == digest(dict(shipped))
    print(f"digest {digest(weights)}: {'' if same else 'NOT '}the weights that ship")
    if options.check and not same:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
