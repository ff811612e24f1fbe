# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` puts under a prefix works from there: install.py BIN"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from workshop import MODELS, Failure, check


def installed(build, prefix):
    done = subprocess.run(["cmake", "--install", str(build), "--prefix", str(prefix)],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"cmake --install: {done.stdout}{done.stderr}")
    for name in ("bin/firstlight", "bin/firstlightd", "bin/firstlightctl", "share/firstlight/models/llama.lua",
                 "lib/firstlight/plugins/libfirstlight_cpu.so"):
        check((prefix / name).is_file(), f"{name} was not installed")
    done = subprocess.run([str(prefix / "bin/firstlightctl"), "inspect", str(MODELS / "tiny-llama"), "--json"],
                          capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"inspect: {done.stdout}{done.stderr}")
    check(json.loads(done.stdout)["recipe"] == "llama", "the installed recipes were not found")


def main():
    with tempfile.TemporaryDirectory(prefix="fl-install-") as prefix:
        try:
            installed(Path(sys.argv[1]).parent, Path(prefix))
        except Failure as problem:
            sys.exit(f"FAIL {problem}")
    print("ok")


if __name__ == "__main__":
    main()
