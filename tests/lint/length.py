# SPDX-License-Identifier: Apache-2.0
"""Fails on source files longer than 600 lines; longer ones need a reason in ALLOWED."""

from tree import ROOT, finish, tracked

LIMIT = 600
ALLOWED = {}  # path: reason


def main():
    paths = tracked(".h", ".cpp", ".cu", ".py", ".lua", ".sh")
    problems = [f"ALLOWED names {name}, which does not exist" for name in ALLOWED if not (ROOT / name).exists()]
    for path in paths:
        lines = (ROOT / path).read_text(errors="replace").count("\n")
        if lines > LIMIT and str(path) not in ALLOWED:
            problems.append(f"{path}: {lines} lines, the limit is {LIMIT}")
    finish(problems, len(paths))


if __name__ == "__main__":
    main()
