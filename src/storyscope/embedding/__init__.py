"""The paper's embedding networks: from feature vectors of shots to points in a learned space.

>>> from storyscope.embedding import train_embedding >>> embedding = train_embedding(videos,
"triplet", seed=0) # needs torch >>> rows = embedding.embed(features) # does not
"""

from storyscope.embedding.layout import Layout
from storyscope.embedding.network import Embedding
from storyscope.embedding.training import KINDS, EmbeddingRecipe, Example, train_embedding

__all__ = ["KINDS", "Embedding", "EmbeddingRecipe", "Example", "Layout", "train_embedding"]
