#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates checkpoints under many cuts: every rung of every golden case must pass in each.

    validate_matrix.py PROGRAMS CHECKPOINT… [--cuts tiny|tiny-moe|dense|moe] [--compute f32]

PROGRAMS is the folder with firstlightctl and firstlightd, CHECKPOINT a folder with `golden/`, or `reference:NAME` for one of
the reference checkpoints ($FIRSTLIGHT_REFERENCE/reference, else ../shared/models/reference beside
the repository); without those it ends with 77, which ctest reports as skipped.
Prints one line per run (worst error of all rungs, time) and ends with 1 if any failed. Greedy ids
are a rung like the others.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from workshop import Failure, Workshop

# (tp, pp, dp, ep)
GRID = [(tp, pp, 1, 1) for tp in (1, 2, 3, 4) for pp in (1, 2, 4)]
CUTS = {
    "tiny": [(1, 1, 1, 1), (2, 1, 1, 1), (2, 2, 1, 1), (1, 1, 2, 1)],
    "tiny-moe": [(1, 1, 1, 1), (2, 2, 1, 2), (1, 1, 2, 2), (4, 1, 1, 1)],
    "dense": GRID + [(1, 1, 2, 1), (2, 1, 2, 1), (1, 2, 2, 1), (2, 2, 2, 1), (4, 1, 2, 1)],
    "moe": GRID + [(4, 1, 1, 2), (4, 1, 1, 4), (1, 1, 2, 1), (1, 1, 2, 2), (2, 1, 2, 4), (2, 2, 1, 2),
                   (2, 1, 2, 1), (2, 2, 2, 1)],
}


def locate(text):
    """The folder of a checkpoint argument; ends with 77 where a reference is not there."""
    if not text.startswith("reference:"):
        return Path(text)
    beside = Path(__file__).resolve().parents[3] / "shared/models"
    folder = Path(os.environ.get("FIRSTLIGHT_REFERENCE", beside)) / "reference" / text.removeprefix("reference:")
    if not folder.is_dir():
        print(f"skipped: no {folder}")
        sys.exit(77)
    return folder


def legal(checkpoint, cut):
    """Whether the shape allows this cut: layers by stages, heads and key/value heads by ranks."""
    config = json.loads((checkpoint / "config.json").read_text())
    heads, shared = config["num_attention_heads"], config["num_key_value_heads"]
    tp, pp = cut[:2]
    return pp <= config["num_hidden_layers"] and heads % tp == 0 and (shared % tp == 0 or tp % shared == 0)


def run(workshop, checkpoint, cut, compute):
    """The exit code of one validate, its parsed result and its log."""
    tp, pp, dp, ep = cut
    done = workshop.ctl("validate", checkpoint, "--reference", checkpoint / "golden", "--json",
                        "--cluster", f"cpu:cards={tp * pp * dp},threads=1", "--compute", compute,
                        "--tp", tp, "--pp", pp, "--dp", dp, "--ep", ep)
    try:
        return done.code, done.json, done.log
    except Failure:
        return done.code, {"verdict": "no JSON"}, done.log


def judge(code, result):
    """(passed, worst error, what to say)."""
    cases = result.get("cases", [])
    rungs = [(case["name"], rung) for case in cases for rung in case["rungs"]]
    failed = [f"{name}/{rung['name']} {rung['error']:.2e}" for name, rung in rungs if rung["verdict"] == "fail"]
    worst = max((rung["error"] for _, rung in rungs), default=float("nan"))
    passed = code == 0 and bool(rungs) and not failed and result["verdict"] != "errors"
    return passed, worst, f"{len(cases)} cases, {len(rungs)} rungs" + (": " + ", ".join(failed[:4]) if failed else "")


def passes(workshop, checkpoint, cut, compute):
    start = time.monotonic()
    code, result, log = run(workshop, checkpoint, cut, compute)
    passed, worst, text = judge(code, result)
    print(f"{'ok  ' if passed else 'FAIL'} {checkpoint.name:16} tp{cut[0]} pp{cut[1]} dp{cut[2]} ep{cut[3]}"
          f"  worst {worst:.2e}  {time.monotonic() - start:5.1f} s  {text}", flush=True)
    if not passed:
        print(json.dumps(result.get("findings", []), indent=1), *log.splitlines()[-12:], sep="\n", file=sys.stderr)
    return passed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("checkpoints", nargs="+")
    parser.add_argument("--cuts", choices=sorted(CUTS), default="dense")
    parser.add_argument("--compute", default="f32")
    arguments = parser.parse_args()
    workshop = Workshop(arguments.programs)
    try:
        failures = sum(not passes(workshop, checkpoint, cut, arguments.compute)
                       for checkpoint in map(locate, arguments.checkpoints)
                       for cut in CUTS[arguments.cuts]
                       if legal(checkpoint, cut))
        workshop.check_nothing_left()
    finally:
        workshop.end()
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
