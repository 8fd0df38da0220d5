"""Child processes: their lifeline, the index process, and the parallel runner.

`lifeline` is below every other package, because the decoding process uses it too; the rest is above
the library, which it indexes into.
"""
