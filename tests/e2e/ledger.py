#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds what a plan says against what its ranks then use, category by category.

    ledger.py PROGRAMS CHECKPOINT… [--settings dense|moe|real]

CHECKPOINT is a folder, `reference:NAME`, or `smollm2:FOLDER` for the real small model ($FIRSTLIGHT_SMOLLM2, a folder that
holds it); what is not there is left out, and where nothing is left it ends with 77, which ctest reports as skipped.
Every category has to lie within 5 % or 16 MiB of what the device counted, the total within 3 %. What the machine has to
hold counts processes and the staging of a load too: the ranks' largest resident sets may not exceed it. For each setting
the rank that is furthest off is printed, planned / used in MiB.
"""

import argparse
import os
import sys
from pathlib import Path

from validate_matrix import locate
from workshop import Failure, holds_everywhere

CATEGORIES = ["weights", "scales", "kv", "state", "activations", "communication", "context", "staging"]
SHARE, BYTES, TOTAL_SHARE = 0.05, 16 << 20, 0.03

# (tp, pp, dp, ep, context, sequences, kv type)
SETTINGS = {
    "dense": [(1, 1, 1, 1, 256, 1, "f32"), (1, 1, 1, 1, 512, 8, "bf16"), (2, 1, 1, 1, 512, 4, "f32"),
              (2, 2, 1, 1, 384, 3, "bf16"), (1, 2, 2, 1, 128, 8, "f32")],
    "moe": [(1, 1, 1, 1, 512, 4, "f32"), (2, 1, 1, 2, 256, 8, "bf16"), (1, 1, 2, 2, 512, 2, "f32"),
            (2, 2, 1, 1, 512, 8, "f32"), (2, 1, 2, 4, 512, 2, "bf16")],
    "real": [(1, 1, 1, 1, 4096, 1, "f32"), (1, 1, 1, 1, 8192, 4, "bf16"), (3, 1, 1, 1, 2048, 8, "f32"),
             (1, 2, 1, 1, 1024, 2, "bf16"), (3, 2, 1, 1, 4096, 2, "f32"), (1, 1, 2, 1, 512, 4, "f32")],
}


def settings_of(checkpoint, setting):
    tp, pp, dp, ep, context, sequences, kv = setting
    return {"checkpoint": str(checkpoint), "cluster": f"cpu:cards={tp * pp * dp},threads=1", "tp": tp, "pp": pp, "dp": dp,
            "ep": ep, "max_context": context, "max_sequences": sequences, "kv": kv}


def differences(planned, used):
    """What of one rank lies too far apart, as texts."""
    out = []
    for name in CATEGORIES:
        apart = abs(planned[name] - used[name])
        if apart > max(SHARE * used[name], BYTES):
            out.append(f"{name} {planned[name]:,} planned, {used[name]:,} used")
    apart = abs(planned["total"] - used["total"])
    if apart > TOTAL_SHARE * used["total"]:
        out.append(f"total {planned['total']:,} planned, {used['total']:,} used")
    return out


def last_samples(client, ranks):
    """The last memory sample of every rank, of after its load."""
    since = len(client.events)
    samples = {}
    for rank in range(ranks):
        samples[rank] = client.event("memory.sample", lambda data, rank=rank: data["rank"] == rank, since=since)
    return samples


def largest_resident(pid):
    """Bytes of the largest resident set that a process has had: its load is among what it did."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) << 10
    raise Failure(f"process {pid} does not say what it used")


def answer(client, setting):
    """Steps as large as they get on every replica, so that whatever ranks compute with is there."""
    replicas, context, sequences = setting[2], setting[4], setting[5]
    length = min(512, context - 8)
    names = [f"ledger{i}" for i in range(replicas * min(sequences, -(-512 // length)))]
    for name in names:
        client.ask("chat.send", {"request": name, "ids": [1 + i % 200 for i in range(length)],
                                 "sampling": {"max_tokens": 2, "temperature": 0}})
    for name in names:
        client.event("chat.done", lambda done, name=name: done["request"] == name)


def shown(planned, used):
    """Categories that either has, planned / used in MiB."""
    parts = [f"{name} {planned[name] / 2**20:.2f}/{used[name] / 2**20:.2f}" for name in [*CATEGORIES, "total"]
             if planned[name] or used[name]]
    return ", ".join(parts)


def holds(workshop, checkpoint, setting):
    client = workshop.serving(settings_of(checkpoint, setting))
    state = client.snapshot()
    plan = state["plan"]
    answer(client, setting)
    samples = last_samples(client, len(plan["ranks"]))
    problems, worst, text = [], -1.0, ""
    for info in plan["ranks"]:
        used = samples[info["rank"]]["used"]
        problems += [f"rank {info['rank']}: {text}" for text in differences(info["ledger"], used)]
        apart = abs(info["ledger"]["total"] / used["total"] - 1)
        if apart > worst:
            worst, text = apart, shown(info["ledger"], used)
    resident = sum(largest_resident(rank["pid"]) for rank in state["ranks"])
    host = plan["hosts"][0]["bytes"]
    if resident > host:
        problems.append(f"the machine: {host:,} planned, {resident:,} resident")
    print(f"{'FAIL' if problems else 'ok  '} {checkpoint.name:16} {plan['name']:12} context {setting[4]:5} · {setting[5]}"
          f" {setting[6]:4} {worst:.2%} apart: {text}; machine {host / 2**20:.1f}/{resident / 2**20:.1f}", flush=True)
    for text in problems:
        print("    " + text, flush=True)
    workshop.stop(client)
    return not problems


def checkpoints(names):
    """The folders that are there."""
    out = []
    for name in names:
        if name.startswith("smollm2:"):
            folder = Path(os.environ.get("FIRSTLIGHT_SMOLLM2", name.removeprefix("smollm2:")))
            if (folder / "config.json").is_file():
                out.append(folder)
            else:
                print(f"left out: no {folder}")
        else:
            out.append(locate(name))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("checkpoints", nargs="+")
    parser.add_argument("--settings", choices=SETTINGS, default="dense")
    arguments = parser.parse_args()
    found = checkpoints(arguments.checkpoints)
    if not found:
        sys.exit(77)
    good = holds_everywhere(arguments.programs, found, SETTINGS[arguments.settings], holds)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
