"""Benchmarks of story detection: every method on every video, and the paper's own tables."""
