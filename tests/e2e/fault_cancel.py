# SPDX-License-Identifier: Apache-2.0
"""Every stage called off in the middle of its work: by a client, and by Ctrl+C. At once, and nothing stays."""

import contextlib
import json
import os
import pty
import signal
import time
from pathlib import Path

from workshop import MODELS, check, wait_for

AT_ONCE = 0.2  # seconds; the machine that tests run on gets as much again
TINY = {"checkpoint": str(MODELS / "tiny-llama"), "cluster": "cpu:cards=4,threads=1", "tp": 2, "pp": 2}


def checkpoint(workshop, layers, extra):
    """Headers of a model of that many layers, with `extra` tensors that nobody expects; its data is a hole."""
    hidden, inner = 1024, 2048
    folder = workshop.copy(num_hidden_layers=layers, hidden_size=hidden, num_attention_heads=64,
                           num_key_value_heads=64, head_dim=hidden // 64, intermediate_size=inner)
    for file in folder.glob("model*"):
        file.unlink()
    header, end = {}, 0

    def add(name, *shape):
        nonlocal end
        size = 2
        for length in shape:
            size *= length
        header[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + size]}
        end += size

    add("model.embed_tokens.weight", 320, hidden)
    add("model.norm.weight", hidden)
    for layer in range(layers):
        prefix = f"model.layers.{layer}."
        for norm in ("input_layernorm", "post_attention_layernorm"):
            add(f"{prefix}{norm}.weight", hidden)
        for part in "qkvo":
            add(f"{prefix}self_attn.{part}_proj.weight", hidden, hidden)
        add(f"{prefix}mlp.gate_proj.weight", inner, hidden)
        add(f"{prefix}mlp.up_proj.weight", inner, hidden)
        add(f"{prefix}mlp.down_proj.weight", hidden, inner)
    for number in range(extra):
        add(f"extra.{number}", 1)
    text = json.dumps(header).encode()
    with open(folder / "model.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        file.truncate(8 + len(text) + end)
    return folder


def slow_inspect(workshop):
    """Settings whose inspection takes seconds."""
    return {"checkpoint": str(checkpoint(workshop, 1, 400_000)), "cluster": "cpu:cards=1"}


def slow_plan(workshop):
    """Settings whose plan takes seconds: thousands of ways to put 96 layers on 8192 cards."""
    cluster = workshop.root / "cluster.json"
    cards = {"count": 8, "kind": "cuda", "name": "card", "memory": "80GiB", "budget": "76GiB"}
    cluster.write_text(json.dumps({"name": "many", "nodes": [{"name": "node", "count": 1024, "devices": [cards]}]}))
    return {"checkpoint": str(checkpoint(workshop, 96, 0)), "cluster": str(cluster)}


def timed(what, seconds):
    print(f"  {what} after {seconds:.3f} s")
    check(seconds < 2 * AT_ONCE, f"{what} took {seconds:.3f} s")


def call_off(workshop, settings, name):
    """A client cancels the stage while it runs; then the engine is asked for something else, and does it."""
    client = workshop.engine()
    client.ask("job.open", {"settings": settings, "until": "load"})
    client.stage(name, "running")
    start = time.monotonic()
    client.ask("stage.cancel", {"stage": name})
    state = client.stage(name, "cancelled", "passed", "warnings", "failed")
    timed(f"{name}: {state['state']}", time.monotonic() - start)
    check(state["state"] == "cancelled", str(state))
    before = len(client.events)
    client.ask("job.open", {"settings": TINY, "until": "plan"})
    client.stage("plan", since=before)
    workshop.stop(client)


def cancelled_inspect(workshop):
    call_off(workshop, slow_inspect(workshop), "inspect")


def cancelled_plan(workshop):
    call_off(workshop, slow_plan(workshop), "plan")


def worked(process):
    """Seconds of a processor that it has used."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stood_in_line(process):
    """Seconds for which its threads, the one that did so longest, could have run and others had the cores."""
    longest = 0
    for thread in Path(f"/proc/{process.pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError, IndexError):
            longest = max(longest, int(thread.read_text().split()[1]) / 1e9)
    return longest


def interrupt(workshop, verb, *arguments):
    """Ctrl+C in the middle of the work; returns the seconds until the program had ended, without those in which it
    stood in line behind other programs."""
    process = workshop.start("firstlightctl", verb, *arguments)
    if verb == "launch":  # what works is its engine
        wait_for(lambda: workshop.socket.exists(), text="the engine")
    else:
        wait_for(lambda: worked(process) > 0.2, text="work to interrupt")
    check(process.poll() is None, f"ended before it was interrupted: {arguments}")
    before = waited = stood_in_line(process)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    while process.poll() is None and time.monotonic() - start < 20:
        waited = max(waited, stood_in_line(process))
        time.sleep(0.002)
    seconds = time.monotonic() - start - (waited - before)
    done = workshop.finish(process, 1)
    check(done.code == 130, str(done))
    workshop.check_nothing_left()
    return seconds


def interrupted_inspect(workshop):
    folder = slow_inspect(workshop)["checkpoint"]
    timed("inspect ended", interrupt(workshop, "inspect", folder))
    seconds = interrupt(workshop, "launch", folder, "--name", workshop.job)
    print(f"  launch ended in its inspection after {seconds:.3f} s")


def interrupted_plan(workshop):
    settings = slow_plan(workshop)
    timed("plan ended", interrupt(workshop, "plan", settings["checkpoint"], "--cluster", settings["cluster"]))


def interrupted_search(workshop):
    """A terminal shows the best plan so far; Ctrl+C ends the search, and what it found is printed."""
    settings = slow_plan(workshop)
    terminal, side = pty.openpty()
    process = workshop.start("firstlightctl", "plan", settings["checkpoint"], "--cluster", settings["cluster"], "--search",
                             "--tp", 1, "--pp", 1, "--dp", 1, "--ep", 1, stderr=side)
    os.close(side)
    shown = b""
    while b"best tp" not in shown:
        shown += os.read(terminal, 4096)
    process.send_signal(signal.SIGINT)
    done = workshop.finish(process, 20)
    os.close(terminal)
    check(done.code == 130, str(done))
    check("Called off: " in done.out and "legal plan" in done.out, str(done))
    workshop.check_nothing_left()


def cancelled_search(workshop):
    """A client sees how far the search is and the best plan so far, and calls it off: it keeps what was found."""
    client = workshop.engine()
    number = client.send("plan.search", {"search": "all", "settings": slow_plan(workshop)})
    told = client.event("plan.searching", lambda one: one["best"])
    check(told["search"] == "all" and 0 < told["tried"] < told["total"] and not told["done"], str(told))
    start = time.monotonic()
    client.ask("plan.search.cancel", {"search": "all"})
    client.read_until(lambda: number in client.answers, 20, "the answer")
    timed("search cancelled", time.monotonic() - start)
    found = client.answers[number]["result"]
    check(found["cancelled"] and found["done"] and found["best"] and found["tried"] < found["total"], str(found)[:500])
    workshop.stop(client)


def cancelled_prompt(workshop):
    """A chat called off while its prompt is still being cut into tokens: the asker hears it at once."""
    client = workshop.serving({**TINY, "max_context": 512})
    number = client.send("chat.send", {"request": "long", "raw": "word " * 400_000})
    start = time.monotonic()
    client.ask("chat.cancel", {"request": "long"})
    client.read_until(lambda: number in client.answers, 20, "the answer")
    seconds = time.monotonic() - start
    check("cancelled" in str(client.answers[number].get("error")), str(client.answers[number]))
    timed("chat cancelled", seconds)
    workshop.stop(client)


def cancelled_validate(workshop):
    """In the middle of many cases; the ranks drop what they had queued and answer a chat."""
    folder = workshop.copy()
    golden = folder / "golden"
    cases = json.loads((golden / "cases.json").read_text())
    first = next(one for one in cases if one["name"] == "ids0")
    data = (golden / "ids0.safetensors").read_bytes()
    for number in range(400):
        (golden / f"copy{number}.safetensors").write_bytes(data)
    (golden / "cases.json").write_text(json.dumps([{**first, "name": f"copy{number}"} for number in range(400)]))
    client = workshop.serving({**TINY, "checkpoint": str(folder)})
    number = client.send("validate.run", {"reference": str(golden)})
    client.event("stage.changed", lambda one: one["stage"] == "validate" and "copy1" in one.get("progress_text", ""))
    start = time.monotonic()
    client.ask("stage.cancel", {"stage": "validate"})
    client.stage("validate", "cancelled")
    timed("validate cancelled", time.monotonic() - start)
    client.read_until(lambda: number in client.answers, 20, "the answer to validate.run")
    client.ask("chat.send", {"request": "a", "ids": [3, 4], "sampling": {"max_tokens": 2}})
    client.event("chat.done", lambda one: one["request"] == "a" and one["finish"] in ("length", "stop"))
    workshop.stop(client)


CASES = [cancelled_inspect, cancelled_plan, interrupted_inspect, interrupted_plan, interrupted_search,
         cancelled_search, cancelled_prompt, cancelled_validate]
