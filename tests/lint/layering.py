# SPDX-License-Identifier: Apache-2.0
"""Holds every include to the arrows that ARCHITECTURE.md draws.

The table "Folders and arrows" there is the only list of arrows: `folder | holds | may include`.
`layering.py --self-test` plants forbidden includes and expects to see them.
"""

import re
import sys

from tree import ROOT, finish, tracked

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
OURS = ("app/", "ui/", "engine/", "kernels/", "plugins/", "tests/")

# Third-party headers that only the named files (or folders) may include.
ONLY_IN = {
    r"nlohmann/.*": ("engine/base/json.cpp",),
    r"spdlog/.*": ("engine/base/log.cpp",),
    r"lua(lib|xlib)?\.(h|hpp)": ("engine/recipe/lua_state.cpp",),
    r"mpi\.h": ("engine/comm/mpi_comm.cpp", "app/engined.cpp", "tests/engine/comm/"),
    r"qcustomplot\.h": ("ui/widgets/metric_plot_parts.h",),
    r"hwloc.*": ("engine/topology/local_node.cpp",),
    r"pcre2\.h": ("engine/tokenizer/pattern.cpp",),
    r"hwy/.*": ("kernels/", "tests/kernels/"),
    r"CLI/.*": ("app/",),
    r"Q[A-Z].*": ("ui/", "app/workbench.cpp", "tests/ui/", "tests/e2e/"),
}


def arrows():
    """{folder: set of folders it may include}, from the table in ARCHITECTURE.md."""
    table = {}
    text = (ROOT / "ARCHITECTURE.md").read_text()
    for row in re.findall(r"^\| `([\w/]+)` \|[^|]*\| ([^|]*) \|$", text, re.M):
        table[row[0]] = set(re.findall(r"`([\w/*]+)`", row[1]))
    return table


def folder_of(path, table):
    """The longest folder of the table that holds this path."""
    parts = path.split("/")[:-1]
    while parts:
        if "/".join(parts) in table:
            return "/".join(parts)
        parts.pop()
    return None


def problem_of(path, quote, target, table):
    """Why `path` may not include `target`, or None."""
    if quote == "<" or not target.startswith(OURS):
        for pattern, allowed in ONLY_IN.items():
            if re.fullmatch(pattern, target) and not path.startswith(allowed):
                return f"{path}: <{target}> belongs to {', '.join(allowed)} alone"
        return None
    source, goal = folder_of(path, table), folder_of(target, table)
    if goal is None:
        return f"{path}: includes {target}, whose folder is not in ARCHITECTURE.md"
    if source is None:
        return f"{path}: its folder is not in ARCHITECTURE.md"
    if source == goal or source.startswith("tests") or "*" in table[source]:
        return None
    if goal not in table[source]:
        return f"{path}: {source} may not include {goal} ({target})"
    return None


def check(files, table):
    problems = []
    for path, lines in files:
        for line in lines:
            match = INCLUDE.match(line)
            if match:
                problem = problem_of(path, match[1], match[2], table)
                if problem:
                    problems.append(problem)
    return problems


def cycles(table):
    """Folders from which the arrows lead back to themselves."""
    def reaches(start, goal, seen):
        for following in table.get(start, ()):
            if following == goal or (following not in seen and
                                     (seen.add(following) or reaches(following, goal, seen))):
                return True
        return False
    return [f"ARCHITECTURE.md: {folder} can reach itself" for folder in table if reaches(folder, folder, set())]


def self_test():
    table = {"engine/base": set(), "engine/plan": {"engine/base"}, "ui/panels": set()}
    planted = [("engine/base/a.h", ['#include "engine/plan/plan.h"']),
               ("engine/plan/a.h", ['#include <nlohmann/json.hpp>']),
               ("engine/plan/b.h", ['#include "engine/nowhere/x.h"']),
               ("ui/panels/a.cpp", ['#include "engine/plan/plan.h"'])]
    found = check(planted, table)
    assert len(found) == 4, found
    assert not check([("engine/plan/plan.h", ['#include "engine/base/json.h"', "#include <vector>"])], table)
    assert cycles({"a": {"b"}, "b": {"a"}}) and not cycles(table)
    assert "engine/base" in arrows() and "engine/graph" in arrows()["engine/plan"]
    print("layering.py sees what it must")


def main():
    if "--self-test" in sys.argv:
        return self_test()
    paths = tracked(".h", ".cpp", ".cu", ".c")
    table = arrows()
    files = ((str(path), (ROOT / path).read_text(errors="replace").splitlines()) for path in paths)
    return finish(check(files, table) + cycles(table), len(paths))


if __name__ == "__main__":
    main()
