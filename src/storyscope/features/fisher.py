"""Fisher vectors over a mixture of Gaussians with diagonal covariances.

For the windows x_t of a shot, the mixture (p_k, m_k, s_k) and its posteriors q_tk,

    u_k = 1 / (T sqrt p_k)   sum_t q_tk (x_t - m_k) / s_k
    v_k = 1 / (T sqrt 2 p_k) sum_t q_tk ((x_t - m_k)^2 / s_k^2 - 1)

are stacked, then square-rooted with their sign and scaled to length one.

One mixture is used for a whole collection: vectors of different mixtures cannot be compared, so a
mixture has a file and a digest, and features made with it carry the digest.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from storyscope.errors import ModelError
from storyscope.models import read_weights, write_weights

FORMAT = "storyscope sound mixture 1"
ARRAYS = ("centre", "basis", "shares", "means", "variances")

COMPONENTS = 256
ROUNDS = 12
SMALLEST_VARIANCE = 1e-2
"""Minimum variance of variables scaled to variance one: prevents a component from collapsing on a
repeated window."""
SMALLEST_SPREAD = 1e-3
"""Minimum relative variance of a direction: others are not scaled up to variance one."""
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture over decorrelated variables of variance one."""

    centre: np.ndarray
    """[dims]."""
    basis: np.ndarray
    """[dims, dims], principal components by column: variables are (x - centre) @ basis."""
    shares: np.ndarray
    """[components], summing to one."""
    means: np.ndarray
    variances: np.ndarray
    """[components, dims] each."""

    @property
    def digest(self) -> str:
        """Digest that identifies the space of Fisher vectors of this mixture."""
        arrays = (self.centre, self.basis, self.shares, self.means, self.variances)
        return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest()[:12]

    def variables(self, samples: np.ndarray) -> np.ndarray:
        """Samples [n, dims] transformed to the mixture's variables."""
        rotated: np.ndarray = (np.asarray(samples, np.float32) - self.centre) @ self.basis
        return rotated

    def save(self, path: Path) -> None:
        """Write one safetensors file with the principal components, the mixture and its digest."""
        arrays = {name: getattr(self, name) for name in ARRAYS}
        write_weights(path, arrays, {"format": FORMAT, "digest": self.digest})

    @classmethod
    def load(cls, path: Path) -> Mixture:
        """Read a mixture; a damaged file is rejected."""
        arrays, facts = read_weights(path, "a sound mixture", {"format": FORMAT, "digest": None})
        missing = [name for name in ARRAYS if name not in arrays]
        if missing:
            raise ModelError(f"{path} is not a sound mixture: it lacks {', '.join(missing)}")
        found = cls(**{name: arrays[name] for name in ARRAYS})
        if found.digest != facts["digest"]:
            raise ModelError(f"{path} is damaged: its numbers do not match its digest")
        return found


def fit_mixture(samples: np.ndarray, *, components: int = COMPONENTS, seed: int = 0) -> Mixture:
    """Principal components, then expectation-maximisation from means drawn among the samples."""
    samples = np.asarray(samples, np.float32)
    centre = samples.mean(axis=0)
    basis = _whitening(samples - centre)
    data = (samples - centre) @ basis
    chance = np.random.default_rng(seed)
    drawn = chance.choice(len(data), components, replace=len(data) < components)
    ones = np.ones((components, data.shape[1]), np.float32)
    shares = np.full(components, 1 / components, np.float32)
    mixture = Mixture(centre, basis, shares, data[drawn], ones)
    for _ in range(ROUNDS):
        weight, first, second = _moments(data, mixture)
        share = np.maximum(weight / len(data), 1e-6)
        means = (first / np.maximum(weight, 1e-6)[:, None]).astype(np.float32)
        spread = second / np.maximum(weight, 1e-6)[:, None] - means.astype(np.float64) ** 2
        variances = np.maximum(spread, SMALLEST_VARIANCE).astype(np.float32)
        shares = (share / share.sum()).astype(np.float32)
        mixture = Mixture(centre, basis, shares, means, variances)
    return mixture


def _whitening(centred: np.ndarray) -> np.ndarray:
    """Principal components of centred samples, each scaled to variance one; none is dropped."""
    covariance = np.cov(centred.astype(np.float64), rowvar=False, bias=True)
    values, vectors = np.linalg.eigh(np.atleast_2d(covariance))
    scaled: np.ndarray = vectors / np.sqrt(np.maximum(values, SMALLEST_SPREAD**2))
    return scaled.astype(np.float32)


def fisher_vector(samples: np.ndarray, mixture: Mixture) -> np.ndarray:
    """The gradient of the samples' likelihood, [2 * components * dims], of length one or zero."""
    data = mixture.variables(samples)
    weight, first, second = _moments(data, mixture)
    means, variances = mixture.means.astype(np.float64), mixture.variances.astype(np.float64)
    root = np.sqrt(mixture.shares.astype(np.float64))[:, None] * len(data)
    mean_part = (first - weight[:, None] * means) / np.sqrt(variances) / root
    square = second - 2 * means * first + weight[:, None] * means**2
    spread_part = (square / variances - weight[:, None]) / (root * np.sqrt(2))
    stacked = np.concatenate([mean_part.ravel(), spread_part.ravel()])
    rooted = np.sign(stacked) * np.sqrt(np.abs(stacked))
    return np.asarray(rooted / max(float(np.linalg.norm(rooted)), 1e-12), np.float32)


def posteriors(data: np.ndarray, mixture: Mixture) -> np.ndarray:
    """Probability of each component for each standardised sample, [n, components]."""
    precision = 1 / mixture.variances
    constant = np.log(mixture.shares) - 0.5 * (
        np.log(2 * np.pi * mixture.variances) + mixture.means**2 * precision
    ).sum(axis=1)
    log_likelihood = constant - 0.5 * (data**2) @ precision.T
    log_likelihood += data @ (mixture.means * precision).T
    log_likelihood -= log_likelihood.max(axis=1, keepdims=True)
    likelihood = np.exp(log_likelihood)
    return np.asarray(likelihood / likelihood.sum(axis=1, keepdims=True))


def _moments(data: np.ndarray, mixture: Mixture) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums over the samples of q, q x and q x^2."""
    weight = np.zeros(len(mixture.shares))
    first = np.zeros(mixture.means.shape)
    second = np.zeros(mixture.means.shape)
    for start in range(0, len(data), CHUNK):
        part = data[start : start + CHUNK]
        claim = posteriors(part, mixture)
        weight += claim.sum(axis=0)
        first += claim.T @ part
        second += claim.T @ part**2
    return weight, first, second
