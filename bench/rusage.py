"""Runs a command and prints what it cost, as JSON: rusage.py COMMAND...

A process of its own, and a small one: the peak that the system reports for a child begins at the size of the
process that started it.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time

before = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
wall = time.perf_counter() - before
used = resource.getrusage(resource.RUSAGE_CHILDREN)
peak = used.ru_maxrss if sys.platform == "darwin" else used.ru_maxrss * 1024  # bytes
cost = {"cpu": used.ru_utime + used.ru_stime, "wall": wall, "peak": peak}
print(json.dumps({**cost, "code": done.returncode, "said": done.stderr.decode(errors="replace")[-2000:]}))
