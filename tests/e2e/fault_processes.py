# SPDX-License-Identifier: Apache-2.0
"""Processes that die, stop or are interrupted: named at once, nothing hangs, nothing stays."""

import json
import os
import shutil
import signal
import subprocess
import time

from workshop import MODELS, PROTOCOL, SANITIZED, Client, check, wait_for

TINY = {"checkpoint": str(MODELS / "tiny-llama"), "cluster": "cpu:cards=4,threads=1", "tp": 2, "pp": 2}
NOTICED = 1.0  # seconds from the death of a rank to the event
SILENT = 3.5  # the same for a rank that was stopped


def pids(client):
    return {rank["rank"]: rank["pid"] for rank in client.snapshot()["ranks"]}


def strike(client, rank, number):
    """Sends the signal and returns (rank.lost, seconds until it came)."""
    pid = pids(client)[rank]
    before = len(client.events)
    start = time.monotonic()
    os.kill(pid, number)
    lost = client.event("rank.lost", since=before)
    return lost, time.monotonic() - start


def check_lost(lost, seconds, rank, stage, limit, number=0):
    print(f"  rank {rank} in {stage}: {lost['cause']}, noticed after {seconds:.3f} s; last line: {lost['last_line']}")
    check(lost["last_line"], f"no last line: {lost}")
    check(lost["rank"] == rank and lost["stage"] == stage and lost["signal"] == number, str(lost))
    check(seconds < limit, f"noticed after {seconds:.2f} s, not within {limit} s")


def talk(client, name, **sampling):
    """Asks, and returns once the answer has begun."""
    client.ask("chat.send", {"request": name, "messages": [{"role": "user", "content": "hi"}], "sampling": sampling})
    return client.event("chat.delta", lambda delta: delta["request"] == name and delta["text"])


def check_answers(client, name):
    talk(client, name, max_tokens=4)
    done = client.event("chat.done", lambda one: one["request"] == name)
    check(done["finish"] in ("length", "stop") and done["text"], str(done))


def restart(client, stage="load"):
    """Brings the lost ranks up again in the same engine and sees that they answer."""
    before = len(client.events)
    client.ask("stage.run", {"stage": stage})
    client.stage("load", since=before)
    check_answers(client, f"again-{before}")


def no_mpi(workshop):
    folder = workshop.root / "bin"
    folder.mkdir()
    done = workshop.ctl("launch", TINY["checkpoint"], "--name", workshop.job, "--cluster", "cpu:cards=1", "--json",
                        env={**workshop.environment, "PATH": str(folder)})
    check(done.code == 3, str(done))
    finding = done.finding("mpi-missing")
    check("mpirun" in finding["message"] and "openmpi-bin" in finding["message"] + finding.get("remedy", ""),
          str(finding))


def killed_in_launch(workshop):
    client = workshop.engine()
    client.ask("job.open", {"settings": TINY, "until": "load"})
    state = client.event("rank.changed", lambda rank: rank["rank"] == 2 and rank["pid"] > 0)
    start = time.monotonic()
    os.kill(state["pid"], signal.SIGKILL)
    lost = client.event("rank.lost")
    check_lost(lost, time.monotonic() - start, 2, "launch", NOTICED, signal.SIGKILL)
    client.stage("launch", "failed")
    restart(client)
    workshop.stop(client)


def killed_in_load(workshop):
    """Loading these weights takes milliseconds: a stopped rank makes it last until it is killed."""
    client = workshop.engine()
    client.ask("job.open", {"settings": TINY, "until": "launch"})
    client.stage("launch")
    os.kill(pids(client)[1], signal.SIGSTOP)
    client.ask("stage.run", {"stage": "load"})
    client.stage("load", "running")
    lost, seconds = strike(client, 1, signal.SIGKILL)
    check_lost(lost, seconds, 1, "load", NOTICED, signal.SIGKILL)
    check(lost["last_line"], "no last log line")
    client.stage("load", "failed")
    restart(client)
    workshop.stop(client)


def truncated_in_load(workshop):
    """A shard that shrinks after it was inspected, as a download that is begun anew does."""
    folder = workshop.copy()
    shard = folder / "model-00002-of-00002.safetensors"
    whole = shard.read_bytes()
    client = workshop.engine()
    client.ask("job.open", {"settings": {**TINY, "checkpoint": str(folder)}, "until": "launch"})
    client.stage("launch")
    os.truncate(shard, len(whole) // 2)
    client.ask("stage.run", {"stage": "load"})
    client.stage("load", "failed")
    finding = client.event("finding.added", lambda one: one["severity"] == "error")
    check(finding["code"] == "weights-unreadable" and shard.name in str(finding), str(finding))
    check("down_proj" in finding["tensor"] and finding["rank"] >= 0 and finding["remedy"], str(finding))
    shard.write_bytes(whole)
    restart(client)
    workshop.stop(client)


def killed_in_chat(workshop):
    client = workshop.serving(workshop.long_talker())
    talk(client, "long", max_tokens=30000)
    lost, seconds = strike(client, 3, signal.SIGKILL)
    check_lost(lost, seconds, 3, "probe", NOTICED, signal.SIGKILL)
    check(lost["last_line"], "no last log line")
    done = client.event("chat.done", lambda one: one["request"] == "long")
    check(done["finish"] == "error" and done["text"] and "rank 3" in done["error"], str(done)[-500:])
    finding = client.event("finding.added", lambda one: one["code"] == "rank-lost")
    check(finding["rank"] == 3 and "SIGKILL" in finding["message"] and finding["remedy"], str(finding))
    late = workshop.client()
    kept = late.snapshot()
    check(kept["has_lost"] and kept["lost"]["rank"] == 3, "a late client does not learn of the loss")
    check(kept["answers"][0]["text"] == done["text"], "the partial answer is lost to a late client")
    late.close()
    restart(client)
    workshop.stop(client)


def stopped_rank(workshop):
    client = workshop.serving(workshop.long_talker())
    talk(client, "long", max_tokens=60000)
    lost, seconds = strike(client, 0, signal.SIGSTOP)
    check_lost(lost, seconds, 0, "probe", SILENT)
    check("silent" in lost["cause"], str(lost))
    client.event("chat.done", lambda one: one["request"] == "long" and one["finish"] == "error")
    restart(client)
    workshop.stop(client)


def killed_launcher(workshop):
    client = workshop.serving(TINY)
    launcher = [pid for pid, line in workshop.processes().items() if "mpirun" in line.split()[0]]
    check(len(launcher) == 1, str(workshop.processes()))
    os.kill(launcher[0], signal.SIGKILL)
    client.stage("load", "failed")
    wait_for(lambda: len(workshop.processes()) == 1, 10, "the end of the ranks")
    restart(client)
    workshop.stop(client)


def killed_control(workshop):
    """Nobody is left to end the ranks or to remove the files: the ranks go, the next engine cleans."""
    client = workshop.serving(workshop.long_talker())
    talk(client, "long", max_tokens=30000)
    os.kill(client.snapshot()["pid"], signal.SIGKILL)
    client.wait_closed()
    wait_for(lambda: not workshop.processes(), 10, "the end of the ranks")
    status = workshop.ctl("status", "--json")
    check(status.code == 0 and workshop.job not in status.out, str(status))
    again = workshop.ctl("launch", TINY["checkpoint"], "--name", workshop.job, "--cluster", TINY["cluster"],
                         "--tp", 2, "--json")
    check(again.code == 0, str(again))
    stopped = workshop.ctl("stop", workshop.job, "--json")
    check(stopped.code == 0, str(stopped))


def terminated_control(workshop):
    """SIGTERM, as at shut-down of the machine: all goes in order, in the middle of an answer."""
    client = workshop.serving(workshop.long_talker())
    talk(client, "long", max_tokens=30000)
    os.kill(client.snapshot()["pid"], signal.SIGTERM)
    client.wait_closed()


def killed_client(workshop):
    """A private engine does not outlive the program it was started for."""
    settings = workshop.long_talker()
    process = chat(workshop, settings)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()


def chat(workshop, settings):
    """`firstlightctl chat` that has begun to print an answer of 30,000 tokens."""
    process = workshop.start("firstlightctl", "chat", settings["checkpoint"], "--cluster", settings["cluster"],
                             "--tp", 2, "--pp", 2, "--max-context", settings["max_context"],
                             "--max-tokens", 30000, "-m", "hi")
    check(process.stdout.read(1), "no answer began")
    return process


def interrupted_chat(workshop):
    process = chat(workshop, workshop.long_talker())
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    done = workshop.finish(process, 20)
    print(f"  ended {time.monotonic() - start:.3f} s after Ctrl+C")
    check(done.code == 130, str(done))


def interrupted_validate(workshop):
    """In the middle of 400 cases, once the first has been captured."""
    folder = workshop.copy()
    golden = folder / "golden"
    cases = json.loads((golden / "cases.json").read_text())
    first = next(one for one in cases if one["name"] == "ids0")
    many = [{**first, "name": f"copy{i}"} for i in range(400)]
    for case in many:
        shutil.copy(golden / "ids0.safetensors", golden / f"{case['name']}.safetensors")
    (golden / "cases.json").write_text(json.dumps(many))
    process = workshop.start("firstlightctl", "validate", folder, "--reference", golden, "--cluster",
                             TINY["cluster"], "--tp", 2, "--json")
    wait_for(lambda: list(workshop.runtime.glob("*.d/captures")), text="the first capture")
    process.send_signal(signal.SIGINT)
    done = workshop.finish(process, 20)
    check(done.code == 130, str(done))


def interrupted_launch(workshop):
    process = workshop.start("firstlightctl", "launch", TINY["checkpoint"], "--name", workshop.job, "--cluster",
                             TINY["cluster"], "--tp", 2, "--pp", 2)
    wait_for(lambda: any("mpirun" in line for line in workshop.processes().values()), text="the launch")
    process.send_signal(signal.SIGINT)
    done = workshop.finish(process, 20)
    check(done.code == 130, str(done))


def cancelled_stages(workshop):
    """Launch and load are called off by a client, and begun again."""
    client = workshop.engine()
    client.ask("job.open", {"settings": TINY, "until": "load"})
    client.event("rank.changed", lambda rank: rank["pid"] > 0)
    client.ask("stage.cancel", {"stage": "launch"})
    client.stage("launch", "cancelled")
    before = len(client.events)
    client.ask("stage.run", {"stage": "launch"})
    client.stage("launch", since=before)
    stopped = pids(client)[1]
    os.kill(stopped, signal.SIGSTOP)
    client.ask("stage.run", {"stage": "load"})
    client.stage("load", "running", since=before)
    start = time.monotonic()
    client.ask("stage.cancel", {"stage": "load"})
    client.stage("load", "cancelled", since=before)
    seconds = time.monotonic() - start
    os.kill(stopped, signal.SIGCONT)
    print(f"  load cancelled after {seconds:.3f} s")
    check(seconds < 0.2 + 0.1, f"cancelling the load took {seconds:.3f} s")
    restart(client)
    talk(client, "long", max_tokens=400)
    client.ask("chat.cancel", {"request": "long"})
    client.event("chat.done", lambda one: one["request"] == "long")
    check_answers(client, "after")
    workshop.stop(client)


def log_disk_full(workshop):
    """/dev/full is a disk without space: the model runs, and somebody says that the log is lost."""
    folder = workshop.root / f"state/firstlight/runs/{workshop.job}"
    folder.mkdir(parents=True)
    for name in ("control.log", *(f"rank{rank}.log" for rank in range(4))):
        (folder / name).symlink_to("/dev/full")
    client = workshop.serving(TINY)
    finding = client.event("finding.added", lambda one: one["code"] == "log-lost")
    check(finding["severity"] == "warning" and finding["remedy"], str(finding))
    check_answers(client, "a")
    workshop.stop(client)


def follow_and_proxy(workshop):
    """attach and proxy end, the engine stays; proxy carries the bytes of the socket."""
    client = workshop.serving(TINY)
    attached = workshop.start("firstlightctl", "attach", workshop.job)
    check(attached.stdout.readline(), "attach shows nothing")
    attached.send_signal(signal.SIGINT)
    check(workshop.finish(attached, 20).code in (0, 130), "attach did not end")
    hello = Client.framed({"jsonrpc": "2.0", "id": 1, "method": "hello",
                           "params": {"protocol": PROTOCOL, "version": "0.1.0", "client": "e2e"}})
    proxy = workshop.start("firstlightctl", "proxy", workshop.job, stdin=subprocess.PIPE)
    proxy.stdin.write(hello)
    proxy.stdin.flush()
    check(proxy.stdout.readline().startswith(b"Content-Length:"), "no answer through the proxy")
    check(workshop.finish(proxy).code == 0, "the proxy did not end with its input")
    check_answers(client, "a")
    workshop.stop(client)


def stop(workshop):
    """launch, status, chat with the running job, stop: the engine outlives each of them."""
    launched = workshop.ctl("launch", TINY["checkpoint"], "--name", workshop.job, "--cluster", TINY["cluster"],
                            "--tp", 2, "--pp", 2, "--json")
    check(launched.code == 0, str(launched))
    check(len(launched.json["ranks"]) == 4 and launched.json["socket"] == str(workshop.socket), str(launched))
    status = workshop.ctl("status", "--json")
    check(status.code == 0 and workshop.job in status.out, str(status))
    answer = workshop.ctl("chat", workshop.job, "-m", "hi", "--max-tokens", 5, "--json")
    check(answer.code == 0 and answer.json["text"], str(answer))
    stopped = workshop.ctl("stop", workshop.job, "--json")
    check(stopped.code == 0, str(stopped))
    workshop.check_nothing_left()
    again = workshop.ctl("stop", workshop.job, "--json")
    check(again.code == 3 and workshop.job in again.out, str(again))


def memory(workshop):
    """After loading, all ranks together: no more than the weights as stored and 64 MiB for each."""
    client = workshop.serving(TINY)
    ranks = len(client.snapshot()["ranks"])
    client.read_until(lambda: len({e["data"]["rank"] for e in client.events if e["event"] == "memory.sample"
                                   and e["data"]["resident"] > 0}) == ranks, 30, "a sample of every rank")
    state = client.snapshot()
    weights = sum(rank["ledger"]["weights"] + rank["ledger"]["scales"] for rank in state["plan"]["ranks"])
    resident = sum(sample["resident"] for sample in state["memory"])
    print(f"  {ranks} ranks: resident {resident / 2**20:.1f} MiB, weights {weights / 2**20:.1f} MiB")
    check(resident <= weights + ranks * (64 << 20) or SANITIZED, f"resident {resident}, allowed {weights + ranks * (64 << 20)}")
    workshop.stop(client)


CASES = [no_mpi, killed_in_launch, killed_in_load, truncated_in_load, killed_in_chat, stopped_rank, killed_launcher,
         killed_control, terminated_control, killed_client, interrupted_chat, interrupted_validate,
         interrupted_launch, cancelled_stages, log_disk_full, follow_and_proxy, stop, memory]
