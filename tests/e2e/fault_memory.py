# SPDX-License-Identifier: Apache-2.0
"""Memory that is not there: refused by a card, refused by the system, or taken back by the kernel with a kill.

Each time one finding says which rank, how much was wanted, how much there was and what to do; nothing hangs.
"""

import os
import resource
import shutil
import sys
from pathlib import Path

from fault_cancel import checkpoint
from fault_processes import TINY, check_answers, pids, restart, talk
from workshop import SANITIZED, Skip, check, wait_for

SKIPPED = 77


def the_finding(client, code, rank, stage):
    """The only error, and that it says what it must."""
    finding = client.event("finding.added", lambda one: one["severity"] == "error")
    print(f"  {finding['code']}: {finding['message']} | {finding.get('found', '')} | {finding.get('expected', '')}")
    check(finding["code"] == code and finding["rank"] == rank and finding["stage"] == stage, str(finding))
    check(finding["remedy"], f"no remedy: {finding}")
    errors = [one for one in client.snapshot()["findings"] if one["severity"] == "error"]
    check(len(errors) == 1, f"{len(errors)} errors: {errors}")
    return finding


def refused_by_card(workshop):
    """In launch the buffers of a group, in load the weights and the pages of the cache."""
    for stage, category, card in (("launch", "communication", 2), ("load", "weights", 1), ("load", "kv", 3)):
        client = workshop.engine()
        cluster = f"refusing:refuse={category}@{card},cards=4,threads=1"
        client.ask("job.open", {"settings": {**TINY, "cluster": cluster}, "until": "load"})
        client.stage(stage, "failed")
        message = the_finding(client, "device-out-of-memory", card, stage)["message"]
        check(f"card {card}" in message and "asked" in message and "used" in message, message)
        before = len(client.events)
        client.ask("job.open", {"settings": TINY, "until": "load"})
        client.stage("load", since=before)
        check_answers(client, "after")
        workshop.stop(client)


def only_own_memory():
    if SANITIZED:
        raise Skip("a sanitizer's own memory would be limited, not the program's")


def limit_space(pid, more):
    """No more address space than it has, and `more` bytes."""
    used = int(Path(f"/proc/{pid}/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.prlimit(pid, resource.RLIMIT_AS, (used + more, used + more))


def refused_by_system(workshop):
    """The system refuses a rank more address space: of the cards' memory, in load; of its own, in validation."""
    only_own_memory()
    client = workshop.engine()
    client.ask("job.open", {"settings": {**TINY, "max_sequences": 8, "max_context": 512}, "until": "launch"})
    client.stage("launch")
    limit_space(pids(client)[1], 1 << 16)
    client.ask("stage.run", {"stage": "load"})
    client.stage("load", "failed")
    finding = the_finding(client, "device-out-of-memory", 1, "load")
    check("refused" in finding["message"], str(finding))
    restart(client)
    workshop.stop(client)


class Group:
    """A control group for one process, of either version; ends the test as skipped where that is not permitted."""

    def __init__(self, workshop):
        self.folder = None
        for root, limit in (("/sys/fs/cgroup/memory", "memory.limit_in_bytes"), ("/sys/fs/cgroup", "memory.max")):
            folder = Path(root) / workshop.job
            try:
                folder.mkdir()
                if (folder / limit).exists():
                    self.folder, self.limit = folder, folder / limit
                    return
                folder.rmdir()
            except OSError:
                continue
        print("skipped: control groups of memory cannot be made here")
        sys.exit(SKIPPED)

    def confine(self, pid, least):
        """Moves the rank and the watcher above it in, and gives them that much, or as little as the kernel will."""
        watcher = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        for each in (watcher, str(pid)):
            (self.folder / "cgroup.procs").write_text(each)
        self.limit.write_text(str(least))

    def remove(self):
        wait_for(lambda: not (self.folder / "cgroup.procs").read_text(), 20, "the end of the process in the group")
        self.folder.rmdir()


def big_model(workshop):
    """Settings of a model with 48 MB of weights: more than the group of a rank may have."""
    folder = checkpoint(workshop, 3, 0)
    return {"checkpoint": str(folder), "cluster": "cpu:cards=2,threads=1", "tp": 2, "pp": 1, "max_sequences": 2,
            "max_context": 512}


def killed_for_memory(workshop):
    """The kernel kills a rank: while it forms its groups, while it loads, in the middle of an answer."""
    only_own_memory()
    for stage in ("launch", "load", "probe"):
        group = Group(workshop)
        try:
            kill_in(workshop, group, stage)
        finally:
            for pid in (group.folder / "cgroup.procs").read_text().split():
                os.kill(int(pid), 9)
            group.remove()


def kill_in(workshop, group, stage):
    client = workshop.engine()
    settings = TINY if stage == "launch" else big_model(workshop) if stage == "load" else workshop.long_talker()
    client.ask("job.open", {"settings": settings, "until": "launch" if stage != "probe" else "load"})
    if stage == "launch":
        state = client.event("rank.changed", lambda one: one["rank"] == 1 and one["pid"] > 0)
        group.confine(state["pid"], 2 << 20)
    else:
        client.stage("launch" if stage == "load" else "load")
        if stage == "load":
            group.confine(pids(client)[1], 4 << 20)
            client.ask("stage.run", {"stage": "load"})
        else:
            talk(client, "long", max_tokens=60000)
            group.confine(pids(client)[1], 1 << 19)
    lost = client.event("rank.lost")
    check(lost["rank"] == 1 and lost["memory_limit"] > 0, str(lost))
    finding = the_finding(client, "rank-out-of-memory", 1, stage)
    check("planned" in finding["found"] and "control group" in finding["expected"], str(finding))
    if stage == "load":  # its weights are zeros and answer nothing
        before = len(client.events)
        client.ask("stage.run", {"stage": "load"})
        client.stage("load", since=before)
    else:
        restart(client)
    workshop.stop(client)
    shutil.rmtree(workshop.root / "model", ignore_errors=True)


CASES = [refused_by_card, refused_by_system, killed_for_memory]
