"""The decoding process: `python -m storyscope.decoder.worker`.

It reads one job (a line of JSON) from standard input, applies its limits, decodes, and writes
messages (`storyscope.decoder.wire`) to standard output. Standard input stays open as its lifeline:
the process ends when its parent dies, even if a decoder hangs.
"""

from __future__ import annotations

import json
import os
import signal
import sys

from storyscope.decoder.container import Refusal
from storyscope.decoder.limits import limit_resources
from storyscope.decoder.outlet import Outlet
from storyscope.decoder.sandbox import confine
from storyscope.processes.lifeline import claim_standard_output, end_of_input, exit_after

OUT_OF_MEMORY = "out of memory"


def main() -> None:
    """Run the job on standard input, and report the result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    outlet = Outlet(claim_standard_output())
    job = json.loads(sys.stdin.buffer.readline())
    try:
        # Imported before the limits, which are for the film alone.
        import av  # noqa: F401

        from storyscope.decoder.jobs import JOBS, NUMERIC_JOBS

        if job["job"] in NUMERIC_JOBS:
            import numpy  # noqa: F401

        limit_resources(memory_mb=job["max_memory_mb"])
        confine(job["path"])
        # Afterwards: a thread that runs already would not be confined.
        exit_after(end_of_input)
        JOBS[job["job"]](job, outlet)
    except Refusal as refusal:
        outlet.end({"error": str(refusal)})
    except MemoryError:
        outlet.end({"error": OUT_OF_MEMORY})
    except BrokenPipeError:
        pass
    except Exception as error:
        outlet.end({"error": f"could not be decoded: {type(error).__name__}: {error}"})
    outlet.close()
    # Decoder threads may hang in their destructors; everything important has been written.
    os._exit(0)


if __name__ == "__main__":
    main()
