"""Stages of indexing, and the executor that runs them."""
