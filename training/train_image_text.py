"""Train the head that maps texts into CLIP's image space, and evaluate it on held-out pictures.

    python -m training.train_image_text --captions FOLDER --named FILE [--cache texts.npz] [--write]

The folder contains CLIP's vectors of captioned pictures (Microsoft COCO; captions CC BY 4.0). Only
the head is trained: MiniLM and CLIP stay unchanged. Besides captions, it is trained on short
phrases, each with the mean of the pictures whose captions contain it, because people type a few
words instead of captions; and on names of things with their drawings
(`training/name_pictures.py`), because the captions mention few animals and tools. The mean of all
pictures is subtracted. 700 pictures are held out for evaluation; the shipped head is then trained
on all pictures.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from storyscope.models import write_weights
from storyscope.search.text_head import FACTS, HEAD, TextHead, unit
from storyscope.search.text_model import load_text_model
from training import pin_weights

HELD_OUT = 700
HEADS, HIDDEN = 3, 1024
EPOCHS, BATCH, LEARNING_RATE = 150, 1024, 2e-3
TEMPERATURE = 0.05
INPUT_DROPOUT, HIDDEN_DROPOUT = 0.2, 0.5
TEXT_NOISE = 0.5
"""Length of the random vector that is added to a text vector, which has length one."""
PHRASE_WEIGHT = 0.5
"""Weight of phrases relative to captions."""
NAME_WEIGHT, NAME_BATCH = 1.0, 600
"""Weight of the names of drawn things relative to captions, and their number per batch."""
USUAL_NAME = 0.6
"""Probability of using the usual name of a thing instead of a random one."""
PHRASE_PICTURES = range(2, 301)
"""Minimum and maximum number of pictures of a phrase: fewer may be chance, more say nothing."""
PHRASE_WORDS = 4
AVERAGING = 0.995
"""The shipped weights are a running mean of the trained ones."""
FUNCTION_WORDS = frozenset(
    """a an the with in on of and near next to at by from that is are has have his her its their
    while as for into over under behind front beside between sits sitting standing stands there
    this these some other another top it who which very being be or out up down off through
    around along he she they two three four several many one image picture photo view
    side""".split()  # noqa: SIM905
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captions", type=Path, required=True, help="vectors and captions")
    parser.add_argument("--named", type=Path, required=True, help="drawings of named things")
    parser.add_argument("--cache", type=Path, help="keep the texts' vectors in this file")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--write", action="store_true", help="replace the head that ships")
    options = parser.parse_args()
    data = read(options.captions, options.named, options.cache)
    held = np.zeros(len(data.pictures), bool)
    held[np.random.default_rng(0).permutation(len(held))[:HELD_OUT]] = True
    measured = train(data, ~held, options.device)
    for rank, share in recall(measured, data, held).items():
        print(f"text to picture among {HELD_OUT} held-out pictures, R@{rank}: {share:.3f}")
    if options.write:
        head = train(data, np.ones(len(held), bool), options.device)
        names = ("linear", "hidden", "output", "picture_mean")
        weights = {name: getattr(head, name).astype(np.float16) for name in names}
        facts = {key: value or "" for key, value in FACTS.items()}
        facts |= {"text_model": "minilm", "captions": "COCO Consortium, CC BY 4.0"}
        facts |= {"drawings": "Fluent, Noto, Twemoji (CC BY 4.0), Tux Paint, Open Clip Art"}
        write_weights(HEAD, weights, facts)
        pin_weights.main()
        print(f"{HEAD}: {HEAD.stat().st_size / 1e6:.1f} MB")


@dataclass(frozen=True, eq=False)
class TrainingData:
    """The training data: pictures and their texts, all as vectors of length one."""

    pictures: np.ndarray
    captions: np.ndarray
    caption_picture: np.ndarray
    """The picture of each caption."""
    phrases: np.ndarray
    phrase_pictures: list[np.ndarray]
    """The pictures of each phrase."""
    things: np.ndarray
    """Drawings of named things, with the mean of their series subtracted."""
    names: np.ndarray
    names_of: list[np.ndarray]
    """The names of each thing, the usual one first."""


def read(folder: Path, named: Path, cache: Path | None) -> TrainingData:
    """Read vectors and captions of a folder and the named things; encode all texts with MiniLM."""
    pictures = np.load(folder / "clip-b16-image-vectors.npz")["vectors"].astype(np.float32)
    with gzip.open(folder / "captions.json.gz", "rt", encoding="utf-8") as file:
        captions = [entry["captions"] for entry in json.load(file)]
    said_of = phrases_in(captions)
    drawn = np.load(named)
    names = json.loads(str(drawn["names"]))
    texts = {
        "captions": [text for texts in captions for text in texts],
        "phrases": list(said_of),
        "names": [text for texts in names for text in texts],
    }
    vectors = encoded(texts, cache)
    ends = np.cumsum([len(texts) for texts in names])
    return TrainingData(
        pictures=unit(pictures),
        captions=vectors["captions"],
        caption_picture=np.repeat(np.arange(len(captions)), [len(texts) for texts in captions]),
        phrases=vectors["phrases"],
        phrase_pictures=[np.array(sorted(numbers)) for numbers in said_of.values()],
        things=unit(drawn["vectors"].astype(np.float32)),
        names=vectors["names"],
        names_of=np.split(np.arange(ends[-1]), ends[:-1]),
    )


def encoded(texts: Mapping[str, list[str]], cache: Path | None) -> Mapping[str, np.ndarray]:
    """The texts encoded by MiniLM, or from the cache; encoding takes minutes."""
    if cache is None or not cache.exists():
        encode = load_text_model("minilm").encode
        vectors = {name: encode(of) for name, of in texts.items()}
        if cache is None:
            return vectors
        np.savez(cache, **vectors)
    kept = {name: rows.astype(np.float32) for name, rows in np.load(cache).items()}
    if {name: len(rows) for name, rows in kept.items()} != {n: len(of) for n, of in texts.items()}:
        raise SystemExit(f"{cache} is of other texts; delete it")
    return kept


def phrases_in(captions: list[list[str]]) -> dict[str, set[int]]:
    """Runs of up to four words between function words, and the pictures whose captions contain
    them."""
    said_of: dict[str, set[int]] = defaultdict(set)
    for picture, texts in enumerate(captions):
        for text in texts:
            words = [*re.findall(r"[a-z'-]+|[.,]", text.lower()), "."]
            run: list[str] = []
            for word in words:
                if word not in FUNCTION_WORDS and word not in ".,":
                    run.append(word)
                    said_of[word].add(picture)
                    continue
                if 1 < len(run) <= PHRASE_WORDS:
                    said_of[" ".join(run)].add(picture)
                run = []
    return {text: of for text, of in said_of.items() if len(of) in PHRASE_PICTURES}


class Head(nn.Module):
    """A linear map plus one hidden layer that is initialised to zero."""

    def __init__(self, text: int, picture: int) -> None:
        super().__init__()
        self.linear, self.hidden = nn.Linear(text, picture), nn.Linear(text, HIDDEN)
        self.output = nn.Linear(HIDDEN, picture)
        nn.init.zeros_(self.output.weight)
        nn.init.zeros_(self.output.bias)

    def forward(self, texts: torch.Tensor) -> torch.Tensor:
        texts = F.dropout(texts, INPUT_DROPOUT, self.training)
        hidden = F.gelu(self.hidden(texts), approximate="tanh")
        return F.normalize(
            self.linear(texts) + self.output(F.dropout(hidden, HIDDEN_DROPOUT, self.training)),
            dim=1,
        )


def train(data: TrainingData, used: np.ndarray, device: str) -> TextHead:
    """Train several heads with different seeds; `used` are the pictures for training."""
    mean = data.pictures[used].mean(axis=0)
    centred = unit(data.pictures - mean)
    trained = [train_one(data, centred, used, device, seed) for seed in range(HEADS)]

    def stacked(layer: str) -> np.ndarray:
        layers = [getattr(head, layer) for head in trained]
        return np.stack(
            [torch.cat([of.weight.T, of.bias[None]]).detach().cpu().numpy() for of in layers]
        )

    return TextHead(
        linear=stacked("linear"),
        hidden=stacked("hidden"),
        output=stacked("output"),
        picture_mean=mean,
        digest="",
    )


def train_one(
    data: TrainingData, centred: np.ndarray, used: np.ndarray, device: str, seed: int
) -> Head:
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    head, mean_head = (Head(data.captions.shape[1], centred.shape[1]).to(device) for _ in "ab")
    mean_head.load_state_dict(head.state_dict())
    numbers = np.flatnonzero(used)
    steps = EPOCHS * len(numbers) // BATCH
    optimiser = torch.optim.AdamW(head.parameters(), lr=LEARNING_RATE, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, LEARNING_RATE, total_steps=steps, pct_start=0.1
    )
    captions_of = [np.flatnonzero(data.caption_picture == n) for n in range(len(used))]
    seen = [of[used[of]] for of in data.phrase_pictures]
    phrases = np.flatnonzero([len(of) >= PHRASE_PICTURES.start for of in seen])
    shown = unit(np.stack([centred[seen[n]].mean(axis=0) for n in phrases]))
    for step in range(steps):
        batch = rng.choice(numbers, min(BATCH, len(numbers)), replace=False)
        two = np.array([rng.choice(captions_of[n], 2) for n in batch])
        share = rng.uniform(0, 0.5, (len(batch), 1)).astype(np.float32)
        texts = unit((1 - share) * data.captions[two[:, 0]] + share * data.captions[two[:, 1]])
        few = rng.choice(len(phrases), min(BATCH, len(phrases)), replace=False)
        loss = contrast(head, noisy(texts, TEXT_NOISE, rng), centred[batch])
        loss = loss + PHRASE_WEIGHT * contrast(head, data.phrases[phrases[few]], shown[few])
        some = rng.choice(len(data.things), min(NAME_BATCH, len(data.things)), replace=False)
        called = [named(data.names_of[thing], rng) for thing in some]
        loss = loss + NAME_WEIGHT * contrast(head, data.names[called], data.things[some])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        with torch.no_grad():
            for kept, now in zip(mean_head.parameters(), head.parameters(), strict=True):
                kept.lerp_(now, 1 - AVERAGING if step > steps // 10 else 1.0)
    return mean_head.eval()


def named(names: np.ndarray, rng: np.random.Generator) -> int:
    """A random name of a thing, with a preference for the usual one."""
    return int(names[0] if rng.random() < USUAL_NAME else rng.choice(names))


def contrast(head: Head, texts: np.ndarray, pictures: np.ndarray) -> torch.Tensor:
    """Contrastive loss: each text must match its picture within the batch, and vice versa."""
    device = next(head.parameters()).device
    wanted = torch.as_tensor(pictures, dtype=torch.float32, device=device)
    given = torch.as_tensor(texts, dtype=torch.float32, device=device)
    fits = head(given) @ wanted.T / TEMPERATURE
    right = torch.arange(len(fits), device=device)
    return (F.cross_entropy(fits, right) + F.cross_entropy(fits.T, right)) / 2


def noisy(rows: np.ndarray, length: float, rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal(rows.shape).astype(np.float32) / np.sqrt(rows.shape[1])
    return unit(rows + length * noise)


def recall(head: TextHead, data: TrainingData, held: np.ndarray) -> dict[int, float]:
    """How often a held-out caption finds its picture among the first 1, 5 and 10."""
    places = np.cumsum(held) - 1
    asked = held[data.caption_picture]
    fits = head.encode(data.captions[asked]) @ head.centre(data.pictures[held]).T
    right = fits[np.arange(len(fits)), places[data.caption_picture[asked]]]
    better = (fits > right[:, None]).sum(axis=1)
    return {rank: float((better < rank).mean()) for rank in (1, 5, 10)}


if __name__ == "__main__":
    main()
