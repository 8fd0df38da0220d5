"""The paper's results, for comparison with ours: mean IoU, except for the percentages of
`RANKING`."""

from __future__ import annotations

BBC_EPISODES = {
    "From Pole to Pole": {"STG": 0.42, "NW": 0.35, "SDN": 0.50, "Ours": 0.72},
    "Mountains": {"STG": 0.40, "NW": 0.31, "SDN": 0.53, "Ours": 0.75},
    "Fresh Water": {"STG": 0.39, "NW": 0.34, "SDN": 0.52, "Ours": 0.67},
    "Caves": {"STG": 0.37, "NW": 0.33, "SDN": 0.55, "Ours": 0.62},
    "Deserts": {"STG": 0.36, "NW": 0.33, "SDN": 0.36, "Ours": 0.62},
    "Ice Worlds": {"STG": 0.39, "NW": 0.37, "SDN": 0.51, "Ours": 0.73},
    "Great Plains": {"STG": 0.46, "NW": 0.37, "SDN": 0.47, "Ours": 0.63},
    "Jungles": {"STG": 0.45, "NW": 0.38, "SDN": 0.51, "Ours": 0.62},
    "Shallow Seas": {"STG": 0.46, "NW": 0.32, "SDN": 0.51, "Ours": 0.74},
    "Seasonal Forests": {"STG": 0.42, "NW": 0.20, "SDN": 0.38, "Ours": 0.65},
    "Ocean Deep": {"STG": 0.34, "NW": 0.36, "SDN": 0.48, "Ours": 0.65},
    "Average": {"STG": 0.41, "NW": 0.33, "SDN": 0.48, "Ours": 0.67},
}
"""`tab:results_bbcph`"""

ALLY_EPISODES = {
    "Ep. 1": {"STG": 0.65, "NW": 0.38, "SDN": 0.37, "Ours": 0.98},
    "Ep. 2": {"STG": 0.70, "NW": 0.36, "SDN": 0.34, "Ours": 0.86},
    "Ep. 3": {"STG": 0.72, "NW": 0.40, "SDN": 0.36, "Ours": 0.94},
    "Ep. 4": {"STG": 0.63, "NW": 0.36, "SDN": 0.30, "Ours": 0.96},
    "Average": {"STG": 0.68, "NW": 0.38, "SDN": 0.34, "Ours": 0.94},
}
"""`tab:results_ally`"""

ALLY_TRAINED_ON_BBC = {
    "Ep. 1": 0.87,
    "Ep. 2": 0.81,
    "Ep. 3": 0.93,
    "Ep. 4": 0.91,
    "Average": 0.88,
}
"""`tab:ally`, the column "Train on BBC PE\""""

FEATURES = {
    "VA": {"ally": 0.898, "bbc": 0.638},
    "VA+A": {"ally": 0.915, "bbc": 0.654},
    "VA+A+QoS": {"ally": 0.914, "bbc": 0.656},
    "VA+A+QoS+T": {"ally": 0.921, "bbc": 0.657},
    "VA+A+QoS+T+VS": {"ally": 0.925, "bbc": 0.660},
    "VA+A+QoS+T+VS+TS": {"ally": 0.935, "bbc": 0.672},
}
"""`tab:results_features`"""

FEATURE_NAMES = {
    "VA": "appearance",
    "A": "audio",
    "QoS": "speech",
    "T": "time",
    "VS": "visual_concepts",
    "TS": "text_concepts",
}
"""The paper's letters for our features."""

EMBEDDINGS = {
    "LSTM": {"ally": 0.82, "bbc": 0.58},
    "Siamese": {"ally": 0.87, "bbc": 0.49},
    "Triplet": {"ally": 0.94, "bbc": 0.67},
}
"""`tab:results_embeddings`"""

ANNOTATORS = (
    (0.669, 0.528, 0.428, 0.474, 0.416, 0.475),
    (0.474, 0.654, 0.437, 0.505, 0.418, 0.541),
    (0.455, 0.546, 0.572, 0.481, 0.404, 0.420),
    (0.481, 0.536, 0.436, 0.606, 0.436, 0.433),
    (0.468, 0.538, 0.432, 0.492, 0.545, 0.411),
    (0.605, 0.585, 0.547, 0.580, 0.454, 0.556),
)
"""`tab:results_subjective`: trained on (rows) and tested on five annotators and their agreement."""

CEILING = 0.762
"""Mean IoU of the agreement with the five annotators of BBC Planet Earth."""

RANKING = {
    "From Pole to Pole": (8.23, 4.10),
    "Mountains": (12.08, 7.94),
    "Fresh Water": (12.36, 8.11),
    "Caves": (9.98, 8.76),
    "Deserts": (13.90, 9.35),
    "Ice Worlds": (6.62, 4.33),
    "Great Plains": (10.92, 9.63),
    "Jungles": (12.28, 7.43),
    "Shallow Seas": (10.91, 6.22),
    "Seasonal Forests": (9.47, 4.82),
    "Ocean Deep": (10.73, 5.75),
    "Average": (10.68, 6.95),
}
"""`tab:ranking`: percent of swapped pairs by the Ranking CNN and by the hypercolumns ranking."""
