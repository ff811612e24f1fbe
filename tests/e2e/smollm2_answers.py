#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A real small model, by hand: its greedy answers, and the memory of its ranks after loading.

    smollm2_answers.py PROGRAMS [--reference FOLDER]

$FIRSTLIGHT_SMOLLM2 is the folder with SmolLM2-135M-Instruct.Q4_1.gguf and bf16/ (what the installer
fetches, and its script's unpacked form); FOLDER has gguf.json and bf16.json, the answers of the
reference implementation in float32 (default: shared/models/smollm2 beside the repository). Ends with
77 where a part is absent.

Each model runs as one rank and as 3 tensor-parallel ranks in 2 stages. Prompt and ids must be
equal; an answer may part from the reference only where the reference itself was unsure. All ranks
together may hold the weights as stored (replicated ones once per rank) and 64 MiB each.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from workshop import Failure, Workshop, check

MODELS = {"gguf": "SmolLM2-135M-Instruct.Q4_1.gguf", "bf16": "bf16"}
CUTS = {"tp1·pp1": (1, 1, 2), "tp3·pp2": (3, 2, 1)}  # tp, pp, threads of a rank
# Sums in another order move logits by some 1e-4.
UNSURE = 5e-3


def parted(ours, reference, margins):
    """Where the answers part although the reference was sure, else None. A stop id is no text."""
    for i, (a, b) in enumerate(zip(ours, reference)):
        if a != b:
            return i if margins[i] >= UNSURE else None
    # Ours may leave out the stop id, and no more.
    return len(ours) if len(ours) < len(reference) - 1 else None


def answer(workshop, number, case):
    messages = workshop.root / f"messages{number}.json"
    messages.write_text(json.dumps(case["messages"]))
    done = workshop.ctl("chat", workshop.job, "--messages", messages, "--max-tokens", len(case["greedy"]), "--json")
    check(done.code == 0, f"case {number}: {done}")
    return done.json


def check_answers(workshop, cases):
    rates = []
    for number, case in enumerate(cases):
        result = answer(workshop, number, case)
        check(result["prompt"] == case["prompt"], f"case {number}: prompt {result['prompt']!r}")
        check(result["input_ids"] == case["input_ids"], f"case {number}: {result['input_ids']}")
        where = parted(result["ids"], case["greedy"], case["greedy_margin"])
        check(where is None, f"case {number} parts at token {where}: {result['text']!r} for {case['text']!r}")
        rates.append(result["timing"]["tokens_per_s"])
    return f"{len(cases)} answers as the reference's, {max(rates):.1f} tokens/s"


def check_memory(workshop):
    client = workshop.client()
    ranks = client.snapshot()["plan"]["ranks"]
    seen = {}

    def all_sampled():
        seen.update({e["data"]["rank"]: e["data"]["resident"] for e in client.events if e["event"] == "memory.sample"})
        return len(seen) == len(ranks)

    client.read_until(all_sampled, 30, "a memory sample of every rank")
    client.close()
    weights = sum(rank["ledger"]["weights"] + rank["ledger"]["scales"] for rank in ranks)
    resident = sum(seen.values())
    allowed = weights + len(ranks) * (64 << 20)
    text = f"resident {resident / 2**20:.0f} MiB, weights {weights / 2**20:.0f} MiB, allowed {allowed / 2**20:.0f} MiB"
    check(resident <= allowed, text)
    return text


def run(workshop, path, cut, cases):
    tp, pp, threads = CUTS[cut]
    launched = workshop.ctl("launch", path, "--name", workshop.job, "--cluster",
                            f"cpu:cards={tp * pp},threads={threads}", "--tp", tp, "--pp", pp, "--max-context", 2048,
                            "--json")
    check(launched.code == 0, str(launched))
    try:
        return f"{check_memory(workshop)}; {check_answers(workshop, cases)}"
    finally:
        workshop.ctl("stop", workshop.job)


def main():
    beside = Path(__file__).resolve().parents[3] / "shared/models"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("--reference", type=Path,
                        default=Path(os.environ.get("FIRSTLIGHT_REFERENCE", beside)) / "smollm2")
    arguments = parser.parse_args()
    models = Path(os.environ.get("FIRSTLIGHT_SMOLLM2", "/nonexistent"))
    failures = runs = 0
    for name, file in MODELS.items():
        reference = arguments.reference / f"{name}.json"
        if not (models / file).exists() or not reference.exists():
            print(f"skipped {name}: no {models / file} or no {reference}")
            continue
        for cut in CUTS:
            workshop = Workshop(arguments.programs)
            start = time.monotonic()
            try:
                text = run(workshop, models / file, cut, json.loads(reference.read_text()))
                workshop.check_nothing_left()
                print(f"ok   {name} {cut}  {time.monotonic() - start:.0f} s  {text}", flush=True)
            except Failure as failure:
                print(f"FAIL {name} {cut}  {failure}", flush=True)
                failures += 1
            finally:
                workshop.end()
            runs += 1
    sys.exit(1 if failures else 0 if runs else 77)


if __name__ == "__main__":
    main()
