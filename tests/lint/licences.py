# SPDX-License-Identifier: Apache-2.0
"""Every source states its licence; the window's sources are GPL because QCustomPlot is."""

import re

from tree import ROOT, finish, tracked

GPL = ("ui/", "tests/ui/", "app/workbench.cpp")
SPDX = re.compile(r"SPDX-License-Identifier: ([\w.-]+)")


def expected(path):
    return "GPL-3.0-or-later" if path.startswith(GPL) else "Apache-2.0"


def main():
    paths = [path for path in tracked(".h", ".cpp", ".cu", ".c", ".py", ".lua", ".sh")]
    paths += [path for path in tracked() if path.name == "CMakeLists.txt"]
    problems = []
    for path in paths:
        head = "\n".join((ROOT / path).read_text(errors="replace").splitlines()[:3])
        stated = SPDX.search(head)
        if not stated:
            problems.append(f"{path}: no SPDX line in its first three lines")
        elif stated[1] != expected(str(path)):
            problems.append(f"{path}: says {stated[1]}, expected {expected(str(path))}")
    finish(problems, len(paths))


if __name__ == "__main__":
    main()
