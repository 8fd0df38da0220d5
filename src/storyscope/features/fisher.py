"""Fisher vectors over a mixture of Gaussians with diagonal covariances.

For the windows x_t of a shot, the mixture (p_k, m_k, s_k) and its posteriors q_tk,

    u_k = 1 / (T sqrt p_k)   sum_t q_tk (x_t - m_k) / s_k
    v_k = 1 / (T sqrt 2 p_k) sum_t q_tk ((x_t - m_k)^2 / s_k^2 - 1)

are stacked, then square-rooted with their sign and scaled to length one.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

COMPONENTS = 256
ROUNDS = 12
SMALLEST_VARIANCE = 1e-2
"""Of variables scaled to variance one: keeps a component from closing on a repeated window."""
CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Mixture:
    """A mixture over standardised variables."""

    centre: np.ndarray
    scale: np.ndarray
    """[dims] each: variables are (x - centre) / scale."""
    shares: np.ndarray
    """[components], summing to one."""
    means: np.ndarray
    variances: np.ndarray
    """[components, dims] each."""

    @property
    def digest(self) -> str:
        arrays = (self.centre, self.scale, self.shares, self.means, self.variances)
        return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest()[:12]


def fit_mixture(samples: np.ndarray, *, components: int = COMPONENTS, seed: int = 0) -> Mixture:
    """Expectation-maximisation from means drawn among the samples [n, dims]."""
    samples = np.asarray(samples, np.float32)
    centre = samples.mean(axis=0)
    scale = np.maximum(samples.std(axis=0), 1e-3)
    data = (samples - centre) / scale
    chance = np.random.default_rng(seed)
    drawn = chance.choice(len(data), components, replace=len(data) < components)
    ones = np.ones((components, data.shape[1]), np.float32)
    shares = np.full(components, 1 / components, np.float32)
    mixture = Mixture(centre, scale, shares, data[drawn], ones)
    for _ in range(ROUNDS):
        weight, first, second = _moments(data, mixture)
        share = np.maximum(weight / len(data), 1e-6)
        means = (first / np.maximum(weight, 1e-6)[:, None]).astype(np.float32)
        spread = second / np.maximum(weight, 1e-6)[:, None] - means.astype(np.float64) ** 2
        variances = np.maximum(spread, SMALLEST_VARIANCE).astype(np.float32)
        shares = (share / share.sum()).astype(np.float32)
        mixture = Mixture(centre, scale, shares, means, variances)
    return mixture


def fisher_vector(samples: np.ndarray, mixture: Mixture) -> np.ndarray:
    """The gradient of the samples' likelihood, [2 * components * dims], of length one or zero."""
    data = (np.asarray(samples, np.float32) - mixture.centre) / mixture.scale
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
