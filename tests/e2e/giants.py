#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts published giants: `inspect --json` against the numbers of their makers, and a plan of each.

    giants.py PROGRAMS [NAME…] [--scale F] [--folder MADE]

PROGRAMS is the folder with firstlightctl. Giants are header-exact sparse copies of published checkpoints, written by
make_giant.py (workshop.maker() says where it is looked for); without it the script ends with 77, which ctest reports as
skipped. --scale makes them with fewer layers and experts, --folder looks for ready ones in MADE/NAME first. Ends with 1
if a number differs or a plan fails.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from workshop import maker

# Not counts of the checkpoint: who made it, what was published, and how far that is from what was made.
REMARKS = {"name", "published", "difference", "note"}
MOST_SECONDS, MOST_MEGABYTES = 20, 400
# Of a made GGUF's words, which are placeholders; a plan refuses what inspect finds wrong.
PLACEHOLDERS = ("tokenizer-merge",)
# Enough memory for every one of them, so that a plan shows the shape rules alone.
CLUSTER = {"name": "large", "nodes": [{"name": "node", "count": 2, "memory": "4TiB",
                                       "devices": [{"kind": "cuda", "count": 8, "memory": "512GiB"}]}]}


def make(script, name, scale, folder, made):
    """The checkpoint to open and what must be counted."""
    expected = Path(folder) / f"{name}.json"
    out = Path(made) / name if made and scale == 1 else None
    arguments = [sys.executable, "-B", script, name]
    if not (out and out.is_dir()):
        out = Path(folder) / name
        arguments.append(out)
    subprocess.run([*arguments, "--scale", str(scale), "--expect", expected], check=True)
    files = sorted(out.glob("*.gguf"))
    return (files[0] if files else out), json.loads(expected.read_text())


def run(program, *arguments):
    """Exit code, JSON, seconds of both cores and peak megabytes of one call; others may hold the machine."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as log:
        child = subprocess.Popen([program, *map(str, arguments), "--json"], stdout=out, stderr=log)
        _, status, used = os.wait4(child.pid, 0)
        code = child.returncode = os.waitstatus_to_exitcode(status)
        seconds, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        out.seek(0)
        log.seek(0)
        text, said = out.read(), log.read()
    try:
        return code, json.loads(text), seconds, peak
    except ValueError:
        return code, {"findings": [{"message": said.decode()[-400:]}]}, seconds, peak


def differences(expected, found):
    for key, value in expected.items():
        if key in REMARKS or found.get(key) == value:
            continue
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            for inner in sorted({*value, *found[key]}):
                if value.get(inner) != found[key].get(inner):
                    yield f"{key}.{inner}: expected {value.get(inner)}, found {found[key].get(inner)}"
        else:
            yield f"{key}: expected {value}, found {found.get(key)}"


def judge_census(expected, census, seconds, peak):
    yield from differences(expected, census)
    contract = census.get("contract", {})
    for key in ("missing", "unexpected"):
        if contract.get(key) != 0:
            yield f"contract.{key}: {contract.get(key)}"
    if contract.get("matched", 0) + contract.get("ignored", 0) != expected["tensors"]:
        yield f"contract: {contract} of {expected['tensors']} tensors"
    for finding in census.get("findings", []):
        if finding.get("severity") == "error" and finding["code"] not in PLACEHOLDERS:
            yield f"finding {finding['code']}: {finding['message']}"
    if seconds > MOST_SECONDS or peak > MOST_MEGABYTES:
        yield f"took {seconds:.1f} s and {peak:.0f} MB"


def placed_bytes(plan):
    """Bytes of weights and scales on all ranks, without the copies that several hold."""
    return sum(rank["ledger"]["weights"] + rank["ledger"]["scales"] for rank in plan["ranks"])


def judge_plan(code, plan, census):
    if any(finding["code"] in PLACEHOLDERS for finding in plan.get("findings", [])):
        return
    if code != 0 or plan.get("verdict") == "errors" or not plan.get("ranks"):
        yield f"plan: exit {code}, {[f.get('message') for f in plan.get('findings', [])][:3]}"
        return
    kinds = census["bytes_by_kind"]
    declared = kinds.get("mtp", 0) + kinds.get("scales", 0)
    if placed_bytes(plan) < census["tensor_bytes"] - declared:
        yield f"plan: {placed_bytes(plan)} bytes placed of {census['tensor_bytes']}"


def check(program, script, name, scale, made):
    with tempfile.TemporaryDirectory(prefix="fl-giant-") as folder:
        checkpoint, expected = make(script, name, scale, folder, made)
        _, census, seconds, peak = run(program, "inspect", checkpoint)
        wrong = list(judge_census(expected, census, seconds, peak))
        cluster = Path(folder) / "cluster.json"
        cluster.write_text(json.dumps(CLUSTER))
        code, plan, plan_seconds, _ = run(program, "plan", checkpoint, "--cluster", cluster, "--tp", 8, "--pp", 2,
                                          "--ep", 8)
        wrong += judge_plan(code, plan, census)
    print(f"{'FAIL' if wrong else 'ok  '} {name:17} scale {scale:g}: {expected['tensors']} tensors, inspect "
          f"{seconds:.2f} s, plan {plan_seconds:.2f} s, peak {peak:.0f} MB", *wrong, sep="\n     ", flush=True)
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    script = maker("make_giant.py")
    known = subprocess.run([sys.executable, "-B", script, "--list"], check=True, capture_output=True, text=True)
    names = arguments.names or known.stdout.split()
    results = [check(arguments.programs / "firstlightctl", script, name, arguments.scale, arguments.folder)
               for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
