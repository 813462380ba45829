"""Makes the environment .venv, or leaves it alone if it is as the locks say. Run by make:

    python3 tools/environment.py build    what builds the site
    python3 tools/environment.py dev      and what checks it

An environment is stale if its lock has changed, if it was moved or copied from elsewhere, if its Python is gone or
another one now, if its making did not come to its end, or if packages were removed from it. A stale one is made anew,
so that it never holds what a lock no longer names.

Any Python may be what reads this file, and it says so if that is too old: it keeps to what 3.6 knows.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
# The dev lock includes the build lock, hence what it installs answers for both.
LOCKS = {"build": ["requirements.lock"], "dev": ["requirements.lock", "requirements-dev.lock"]}
VERSION = "import sys; print(sys.version_info[:2], sys.implementation.name)"
# pip asks nothing and takes exactly what the lock names.
PIP = ["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--quiet", "--require-hashes"]


def main(kind: str) -> None:
    if is_fresh(kind):
        return
    too_old = sys.version_info < (3, 11)
    if too_old:
        sys.exit("Python 3.11 or newer is needed, and this is {}.{}: make PYTHON=...".format(*sys.version_info))
    (ROOT / ".cache").mkdir(exist_ok=True)
    with (ROOT / ".cache" / "environment.lock").open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another make, which is at work on .venv")
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_fresh(kind):
            make(kind)


def make(kind: str) -> None:
    """Makes the environment. One that only lacks what checks the site is added to: it may be in use by now."""
    lock = LOCKS[kind][-1]
    if kind == "dev" and is_fresh("build") and not stamp("dev").exists():
        say(f"adding to .venv what {lock} names")
    else:
        say(f"making .venv{' anew' if os.path.lexists(str(VENV)) else ''} from {lock}")
        stop_if(run([sys.executable, "-m", "venv", "--clear", str(VENV)]), "the environment cannot be made")
    for each in LOCKS:
        if stamp(each).exists():
            stamp(each).unlink()
    fix = "check the network and run make again"
    stop_if(run([str(PYTHON), *PIP, "-r", lock]), f"{lock} cannot be installed", fix)
    for each in {"build", kind}:
        stamp(each).write_text("\n".join([state(each), *packages()]))


def is_fresh(kind: str) -> bool:
    try:
        told = stamp(kind).read_text().split("\n")
        return told[0] == state(kind) and set(told[1:]) <= packages()
    except (OSError, ValueError):
        return False


def packages() -> "set[str]":
    """What lies beside pip, which is nobody's business but its own."""
    names = {path.name for path in VENV.glob("lib/*/site-packages/*")}
    return {name for name in names if not name.startswith(("pip", "setuptools", "__pycache__"))}


def stamp(kind: str) -> Path:
    return VENV / (kind + ".stamp")


def state(kind: str) -> str:
    """What an environment hangs on, as a digest: the locks, its place, its Python. Raises OSError if that is gone."""
    asked = subprocess.run([str(PYTHON), "-c", VERSION], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    if asked.returncode:
        raise OSError("Python does not start")
    parts = [(ROOT / name).read_bytes() for name in LOCKS[kind]]
    parts += [os.fsencode(os.path.realpath(str(VENV))), asked.stdout]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def run(command: "list[str]") -> int:
    return subprocess.run(command, cwd=str(ROOT), check=False).returncode


def stop_if(code: int, problem: str, fix: str = "mend what is said above and run make again") -> None:
    if code:
        sys.exit(f"{problem}, see above; {fix}")


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    try:
        main(sys.argv[1])
    except KeyboardInterrupt:
        sys.exit(130)
    except OSError as error:
        sys.exit(f"the environment cannot be made ({error}); mend that and run make again")
