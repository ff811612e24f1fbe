# SPDX-License-Identifier: Apache-2.0
"""Sources are as clang-format 14 leaves them, and C headers of the device interface are C11."""

import shutil
import subprocess
import sys

from tree import ROOT, finish, tracked


def misformatted(paths):
    program = shutil.which("clang-format-14") or shutil.which("clang-format")
    if not program:
        return ["clang-format 14 is not installed (Debian package clang-format)"]
    run = subprocess.run([program, "--dry-run", "--Werror", *map(str, paths)],
                         cwd=ROOT, capture_output=True, text=True, check=False)
    files = {line.split(":")[0] for line in run.stderr.splitlines() if ": error:" in line}
    return [f"{name}: not formatted, run {program} -i on it" for name in sorted(files)]


def not_c11(paths):
    problems = []
    for path in paths:
        run = subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.",
                              "-fsyntax-only", "-x", "c", str(path)],
                             cwd=ROOT, capture_output=True, text=True, check=False)
        if run.returncode:
            problems.append(f"{path}: is not C11: {run.stderr.splitlines()[0]}")
    return problems


def main():
    if sys.argv[1:] == ["c11"]:
        headers = [path for path in tracked(".h") if str(path).startswith(("kernels/api/", "plugins/abi/"))]
        return finish(not_c11(headers), len(headers))
    paths = tracked(".h", ".cpp", ".cu")
    return finish(misformatted(paths), len(paths))


if __name__ == "__main__":
    main()
