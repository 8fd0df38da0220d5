"""Stages of indexing, and what runs them."""
