"""Processes of our own: the lifeline they all hang on, the index process, and the parallel runner.

`lifeline` stands below every other room, because the decoding process uses it too; the rest
stands above the library, which it indexes into.
"""
