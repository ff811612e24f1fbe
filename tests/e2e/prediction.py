#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the step that a plan predicts against the step that the engine takes, on small meshes.

    prediction.py PROGRAMS CHECKPOINT… [--settings dense|moe|real] [--within F]

CHECKPOINT as in ledger.py. Each setting decodes as many sequences as it has places for, with half of the context behind
each, which is the step that engine/plan/predict.h speaks of. Two predictions are printed: of the cluster as it was asked
for, and of the same with the rates that `bench machine` and the groups' preflight measured here and now; then the step
itself (median), the ratio of both predictions to it, and the terms of the second. Without --within it is for reading:
other programs of the machine count into the step and not into the prediction, and what the smallest models read lies in
caches that are faster than memory.
"""

import argparse
import json
import math
import statistics
import sys
from pathlib import Path

from ledger import checkpoints, settings_of
from workshop import check, holds_everywhere

# (tp, pp, dp, ep, context, sequences, kv type)
SETTINGS = {
    "dense": [(1, 1, 1, 1, 512, 4, "f32"), (2, 1, 1, 1, 512, 4, "f32"), (1, 2, 1, 1, 512, 4, "f32")],
    "moe": [(1, 1, 1, 1, 512, 4, "f32"), (2, 1, 1, 2, 512, 4, "f32"), (1, 2, 1, 1, 512, 4, "f32")],
    "real": [(1, 1, 1, 1, 1024, 1, "f32"), (1, 1, 1, 1, 512, 4, "f32"), (3, 1, 1, 1, 1024, 1, "f32"),
             (1, 2, 1, 1, 1024, 1, "f32")],
}
STEPS = 24
NOMINAL_RATE = 5e9  # of a link of kind "memory"
TERMS = ["weights", "kv", "flops", "overhead", "communication"]


def decode(client, context, sequences):
    """Median seconds of the steps that decode all sequences at once, with about half of the context behind each."""
    ids = [1 + i % 200 for i in range(context // 2 - STEPS)]
    names = [f"p{number}" for number in range(sequences)]
    for name in names:  # until they are called off; the first ones go on while the last is read
        client.ask("chat.send", {"request": name, "ids": ids, "sampling": {"max_tokens": context // 2, "temperature": 0}})

    def whole():
        steps = [event["data"] for event in client.events if event["event"] == "step.sample"]
        return [step["seconds"] for step in steps if step["prefill_tokens"] == 0 and step["decode_tokens"] == sequences]

    client.read_until(lambda: len(whole()) >= STEPS, 120, f"a step of {sequences} sequences")
    for name in names:
        client.ask("chat.cancel", {"request": name})
    return statistics.median(whole()[:STEPS])


def link_of(groups):
    """The latency that the slowest group's small all-reduce shows; nothing where there is no group."""
    latency = 0.0
    for group in groups:
        if group["all_reduce_s"] > 0:
            count = len(group["ranks"])
            moved = group["all_reduce_bytes"] * 2 * (count - 1) / count / NOMINAL_RATE
            latency = max(latency, (group["all_reduce_s"] - moved) / math.ceil(math.log2(count)))
    return {"bytes_per_second": NOMINAL_RATE, "latency_s": latency} if latency > 0 else {}


def measured_cluster(workshop, cards, together, groups):
    """A cluster file of this machine with the rates that it has now; so many ranks work at a time."""
    machine = workshop.ctl("bench", "machine", "--json").json["machine"]
    threads = min(together, machine["threads"])
    whole = threads == machine["threads"]
    read = machine["read_bytes_per_s"] if whole else machine["read_bytes_per_s_one_thread"] * threads
    flops = machine["f32_flops"] if whole else machine["f32_flops_one_thread"] * threads
    device = {"kind": "cpu", "count": cards, "memory": "8GiB", "options": f"cards={cards},memory=8GiB,threads=1",
              "memory_bytes_per_second": read / together, "flops": flops / together}
    links = [{"kind": "memory", "scope": "devices", **link_of(groups)}]
    path = workshop.root / "measured.json"
    path.write_text(json.dumps({"name": "measured", "nodes": [{"name": "here", "devices": [device]}], "links": links}))
    return path


def predicted(workshop, checkpoint, setting, cluster):
    tp, pp, dp, ep, context, sequences, kv = setting
    plan = workshop.ctl("plan", checkpoint, "--cluster", cluster, "--tp", tp, "--pp", pp, "--dp", dp, "--ep", ep,
                        "--max-context", context, "--max-sequences", sequences, "--kv", kv, "--json").json
    return plan["predicted"]


def compare(workshop, checkpoint, setting, within):
    tp, pp, dp, _, context, sequences, _ = setting
    client = workshop.serving(settings_of(checkpoint, setting))
    state = client.snapshot()
    step = decode(client, context, sequences)
    workshop.stop(client)
    there = measured_cluster(workshop, tp * pp * dp, tp * dp, state["topology"]["groups"])
    asked, here = state["plan"]["predicted"], predicted(workshop, checkpoint, setting, there)
    ratio = here["step_s"] / step
    terms = ", ".join(f"{name} {here[name + '_s'] * 1e3:.2f}" for name in TERMS)
    good = within is None or 1 / within <= ratio <= within
    print(f"{'ok  ' if good else 'FAIL'} {checkpoint.name:22} {state['plan']['name']:8} context {context:5} · {sequences}: "
          f"step {step * 1e3:8.2f} ms, nominal {asked['step_s'] * 1e3:8.2f} ({asked['step_s'] / step:.2f}), "
          f"measured rates {here['step_s'] * 1e3:8.2f} ({ratio:.2f}): {terms} ms", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("checkpoints", nargs="+")
    parser.add_argument("--settings", choices=SETTINGS, default="dense")
    parser.add_argument("--within", type=float)
    arguments = parser.parse_args()
    found = checkpoints(arguments.checkpoints)
    if not found:
        sys.exit(77)
    good = holds_everywhere(arguments.programs, found, SETTINGS[arguments.settings], lambda *of: compare(*of, arguments.within))
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
