# SPDX-License-Identifier: Apache-2.0
"""Runs one fuzz program over its seeds and a while beyond.

    fuzz.py PROGRAM SEEDS [RUNS [LENGTH]]

LENGTH is the largest input in bytes.

Skipped where the programs were not built: they need clang, and `cmake --preset fuzz`.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    program, seeds = map(pathlib.Path, sys.argv[1:3])
    runs, length = [*sys.argv[3:], *("20000", "65536")[len(sys.argv) - 3:]]
    if not program.exists():
        print(f"skipped: {program.name} is not built (cmake --preset fuzz, with clang)")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="fl-fuzz-") as folder:
        words = [program, folder, seeds, f"-runs={runs}", "-seed=1", "-timeout=8", "-rss_limit_mb=1024", f"-max_len={length}",
                 f"-artifact_prefix={folder}/"]
        done = subprocess.run(words, stderr=subprocess.PIPE, text=True, errors="replace")
        print(done.stderr[-3000:])
        count = re.search(r"Done (\d+) runs", done.stderr)
        print(f"{count[1] if count else 0} executions")
        for found in pathlib.Path(folder).glob("*-*"):
            if found.name.startswith(("crash", "timeout", "oom", "leak")):
                print(found.name, found.read_bytes()[:500])
        return 0 if done.returncode == 0 and count else 1


if __name__ == "__main__":
    sys.exit(main())
