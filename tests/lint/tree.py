# SPDX-License-Identifier: Apache-2.0
"""What the lint tests share: the tracked files, and how a failed check ends."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def tracked(*suffixes):
    """Paths of tracked and new files relative to the root, with one of the suffixes if any are given."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=False)
    if listing.returncode == 0:
        names = [name for name in listing.stdout.decode().split("\0") if name]
    else:  # an unpacked archive without git
        names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                 if path.is_file() and not str(path.relative_to(ROOT)).startswith("build/")]
    paths = (Path(name) for name in sorted(set(names)))
    return [path for path in paths if (ROOT / path).is_file() and (not suffixes or path.suffix in suffixes)]


def finish(problems, checked):
    """Prints every problem and ends with 1, or says what was checked and ends with 0."""
    for problem in problems:
        print(problem)
    if not checked:
        problems = ["no file was checked"]
        print(problems[0])
    print(f"{checked} files, {len(problems)} problems")
    sys.exit(1 if problems else 0)
