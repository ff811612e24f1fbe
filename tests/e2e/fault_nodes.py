# SPDX-License-Identifier: Apache-2.0
"""Jobs over two nodes: two network namespaces joined by a virtual cable, each with a host name, a
/dev/shm and a runtime folder of its own, so that nothing but the programs and the checkpoint is
shared. Needs root, iproute2 and namespaces, else a case is skipped."""

import json
import os
import signal
import subprocess
import time

from fault_processes import check_answers, check_lost, NOTICED, pids, restart
from workshop import MODELS, Skip, check, wait_for

# Runs a command as if on the node that its first argument names. MPI's launcher calls it like ssh.
ENTER = """#!/bin/sh
node=$1
shift
exec ip netns exec {prefix}-$node unshare --uts --mount sh -c '
    hostname "$0" && mount --bind {root}/hosts /etc/hosts || exit 1
    if [ "$0" = b ]; then
        mount -t tmpfs none /dev/shm && mount -t tmpfs none {root}/run || exit 1
        {hide}
    fi
    exec sh -c "$*"' "$node" "$@"
"""
DEVICE = {"kind": "cpu", "name": "CPU card", "memory": "256MiB", "count": 2,
          "options": "cards=2,memory=256MiB,threads=1"}


class TwoNodes:
    """Nodes a (10.78.0.1, where the control process runs) and b (10.78.0.2)."""

    def __init__(self, workshop, hide="true"):
        self.workshop = workshop
        self.prefix = f"fl-e2e-{os.getpid()}"
        root = workshop.root
        self.enter = root / "enter"
        self.enter.write_text(ENTER.format(prefix=self.prefix, root=root, hide=hide))
        self.enter.chmod(0o700)
        (root / "hosts").write_text("127.0.0.1 localhost\n10.78.0.1 a\n10.78.0.2 b\n")
        a, b = f"{self.prefix}-a", f"{self.prefix}-b"
        workshop.at_end(lambda: [self.ip("netns", "del", name) for name in (a, b)])
        steps = [("netns", "add", a), ("netns", "add", b),
                 ("link", "add", "fl0", "netns", a, "type", "veth", "peer", "name", "fl1", "netns", b)]
        for node, device, address in ((a, "fl0", "10.78.0.1/24"), (b, "fl1", "10.78.0.2/24")):
            steps += [("-n", node, "addr", "add", address, "dev", device), ("-n", node, "link", "set", device, "up"),
                      ("-n", node, "link", "set", "lo", "up")]
        if os.geteuid() != 0 or not all(self.ip(*step) for step in steps):
            raise Skip("no network namespaces here")
        if subprocess.run([self.enter, "b", "true"], check=False, capture_output=True).returncode != 0:
            raise Skip("no mount namespaces here")
        # The launcher finds its way to the other node with this instead of ssh.
        workshop.environment["OMPI_MCA_plm_rsh_agent"] = str(self.enter)

    @staticmethod
    def ip(*arguments):
        try:
            return subprocess.run(["ip", *arguments], check=False, capture_output=True).returncode == 0
        except FileNotFoundError:
            return False

    def cluster(self, **more):
        path = self.workshop.root / "two.json"
        nodes = [{"name": name, "devices": [{**DEVICE, "count": 2}]} for name in "ab"]
        links = [{"kind": "memory", "scope": "host"}, {"kind": "network", "scope": "nodes"}]
        path.write_text(json.dumps({"name": "two", "nodes": nodes, "links": links, **more}))
        return str(path)

    def settings(self, tp=2, pp=2, order="", **more):
        return {"checkpoint": str(MODELS / "tiny-llama"), "cluster": self.cluster(**more), "tp": tp, "pp": pp,
                "order": order}

    def engine(self):
        """The control process on node a, and a client of it."""
        workshop = self.workshop
        done = workshop.finish(workshop.start_path(self.enter, "a", f"{workshop.programs}/firstlightd --job "
                                                   f"{workshop.job} --detach"))
        check(done.code == 0, f"firstlightd did not start: {done}")
        return workshop.client()


def open_job(client, settings):
    client.ask("job.open", {"settings": settings, "until": "load"})


def two_nodes(workshop):
    """Tensor parallel on each node, pipeline between them: answers, then a remote rank dies and comes back."""
    nodes = TwoNodes(workshop)
    client = nodes.engine()
    open_job(client, nodes.settings())
    client.stage("load")
    hosts = {rank["rank"]: rank["host"] for rank in client.snapshot()["ranks"]}
    check(hosts == {0: "a", 1: "a", 2: "b", 3: "b"}, str(hosts))
    check_answers(client, "over two")
    key_shown = [line for line in workshop.processes().values() if '"key"' in line]
    check(not key_shown, f"the key can be read in {key_shown}")
    start = time.monotonic()
    os.kill(pids(client)[3], signal.SIGKILL)
    lost = client.event("rank.lost")
    check_lost(lost, time.monotonic() - start, 3, "probe", NOTICED, signal.SIGKILL)
    finding = client.event("finding.added", lambda one: one["code"] == "rank-lost")
    check("rank 3 on b died" in finding["message"] and lost["host"] == "b", str(finding))
    restart(client)
    workshop.stop(client)


def tensor_parallel_over_nodes(workshop):
    """One rank of each node in one tensor-parallel group, the same answer as on one node."""
    nodes = TwoNodes(workshop)
    client = nodes.engine()
    answers = []
    one = {**nodes.settings(tp=1, pp=1), "cluster": "cpu:cards=1,memory=256MiB,threads=1"}
    spread = nodes.settings(tp=2, pp=1)
    path = workshop.root / "two.json"
    cluster = json.loads(path.read_text())
    for node in cluster["nodes"]:
        node["devices"][0]["count"] = 1
    path.write_text(json.dumps(cluster))
    for name, settings in (("one", one), ("spread", spread)):
        before = len(client.events)
        open_job(client, settings)
        client.stage("load", since=before)
        client.ask("chat.send", {"request": name, "ids": [5, 9, 17, 33], "sampling": {"max_tokens": 8}})
        answers.append(client.event("chat.done", lambda done, name=name: done["request"] == name)["ids"])
    check(len(answers[0]) > 0 and answers[0] == answers[1], str(answers))
    check({rank["host"] for rank in client.snapshot()["ranks"]} == {"a", "b"}, "the ranks did not spread")
    workshop.stop(client)


def check_validates(workshop, client):
    """Every golden case, with rungs from ranks of both nodes; what they captured is gone then."""
    reply = client.ask("validate.run", {"reference": str(MODELS / "tiny-llama/golden")})
    check(reply["verdict"] == "ok" and reply["cases"], str(reply))
    compared = {rung["name"] for case in reply["cases"] for rung in case["rungs"] if rung["verdict"] == "pass"}
    check({"embed", "layer.0", "logits", "greedy"} <= compared, str(compared))
    captures = list(workshop.runtime.glob("**/captures"))
    check(not captures, f"left behind: {captures}")


def validate_over_nodes(workshop):
    """What ranks of node b capture comes over the link: they cannot write where node a reads."""
    nodes = TwoNodes(workshop)
    client = nodes.engine()
    open_job(client, nodes.settings())
    client.stage("load")
    check_validates(workshop, client)
    workshop.stop(client)


def rank_order_over_nodes(workshop):
    """The stages of a pipeline on one node, tensor parallel ranks apart: every rank is where the plan has it."""
    nodes = TwoNodes(workshop)
    client = nodes.engine()
    open_job(client, nodes.settings(order="pp,tp,dp"))
    client.stage("load")
    hosts = {rank["rank"]: rank["host"] for rank in client.snapshot()["ranks"]}
    check(hosts == {0: "a", 1: "b", 2: "a", 3: "b"}, str(hosts))
    check_validates(workshop, client)
    workshop.stop(client)


def checkpoint_on_one_node(workshop):
    """Node b has no such folder: a finding names node and path, and everything ends."""
    nodes = TwoNodes(workshop, hide=f"mount -t tmpfs none {MODELS} || exit 1")
    client = nodes.engine()
    open_job(client, nodes.settings())
    finding = client.event("finding.added", lambda one: one["code"] == "checkpoint-absent")
    check("node b" in finding["message"] and str(MODELS / "tiny-llama") in finding["message"], str(finding))
    check(finding["stage"] == "launch" and finding["remedy"], str(finding))
    client.stage("launch", "failed")
    wait_for(lambda: all(rank["phase"] == "stopped" for rank in client.snapshot()["ranks"]), text="the ranks' end")
    found = [one for one in client.snapshot()["findings"] if one["code"] == "checkpoint-absent"]
    check(len(found) == 1, f"{len(found)} findings for one node: {found}")
    workshop.stop(client)


def unreachable_control_process(workshop):
    """Calls of node b to the link's address vanish, as in a firewall; MPI's own ways are open."""
    nodes = TwoNodes(workshop)
    b = f"{nodes.prefix}-b"
    nodes.ip("-n", f"{nodes.prefix}-a", "addr", "add", "10.79.0.1/24", "dev", "fl0")
    nodes.ip("-n", b, "neigh", "add", "10.78.0.99", "lladdr", "02:00:00:00:00:99", "dev", "fl1")
    nodes.ip("-n", b, "route", "add", "10.79.0.0/24", "via", "10.78.0.99")
    for layer in ("oob", "btl"):
        workshop.environment[f"OMPI_MCA_{layer}_tcp_if_include"] = "10.78.0.0/24"
    client = nodes.engine()
    open_job(client, nodes.settings(control_address="10.79.0.1"))
    finding = client.event("finding.added", lambda one: one["code"] == "link-unreachable")
    check("node b" in finding["message"] and "tcp:10.79.0.1:" in finding["message"], str(finding))
    check("control_address" in finding["remedy"], str(finding))
    client.stage("launch", "failed")
    workshop.stop(client)


CASES = [two_nodes, tensor_parallel_over_nodes, validate_over_nodes, rank_order_over_nodes, checkpoint_on_one_node,
         unreachable_control_process]
