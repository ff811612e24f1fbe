# SPDX-License-Identifier: Apache-2.0
"""Lists sources without a test: x/y.cpp is mirrored by tests/x/y_test.cpp.

A source may be covered by the test of the idea it belongs to; then that test names it in a line
`// Covers: engine/x/y.cpp engine/x/z.cpp` (paths from the root, or one folder with a final '/').
"""

import re

from tree import ROOT, finish, tracked

MIRRORED = ("engine/", "kernels/", "plugins/", "ui/", "app/")


def covered():
    """Everything that tests say they cover besides the source they mirror."""
    names = set()
    for path in tracked(".cpp", ".py"):
        if str(path).startswith("tests/"):
            for line in re.findall(r"^(?://|#) Covers: (.*)$", (ROOT / path).read_text(), re.M):
                names.update(line.split())
    return names


def main():
    tests = {str(path) for path in tracked(".cpp") if str(path).startswith("tests/")}
    extra = covered()
    sources = [str(path) for path in tracked(".cpp") if str(path).startswith(MIRRORED)]
    problems = [f"Covers: {name} does not exist" for name in sorted(extra) if not (ROOT / name).exists()]
    for source in sources:
        mirror = "tests/" + source.removesuffix(".cpp") + "_test.cpp"
        by_folder = any(name.endswith("/") and source.startswith(name) for name in extra)
        if mirror not in tests and source not in extra and not by_folder:
            problems.append(f"{source}: no {mirror}, and no test covers it")
    finish(problems, len(sources))


if __name__ == "__main__":
    main()
