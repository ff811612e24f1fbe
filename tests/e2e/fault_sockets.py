# SPDX-License-Identifier: Apache-2.0
"""Clients that break the protocol, and engines of another kind: one clear answer, nobody else harmed."""

import fcntl
import os
import socket
import threading

from workshop import MODELS, PROTOCOL, Client, check

TINY = {"checkpoint": str(MODELS / "tiny-llama"), "cluster": "cpu:cards=1,threads=1"}


def lives_on(workshop):
    """The next client is served as if nothing had been."""
    client = workshop.client()
    check(client.snapshot()["protocol"] == PROTOCOL, "no snapshot")
    client.close()


def other_protocol(workshop):
    first = workshop.engine()
    stranger = Client(workshop.socket)
    error = stranger.hello(protocol=99)["error"]
    check("99" in error["message"] and f"protocol {PROTOCOL}" in error["message"], str(error))
    stranger.wait_closed()
    check(first.snapshot()["protocol"] == PROTOCOL, "the other client was harmed")
    lives_on(workshop)
    workshop.stop(first)


def other_engine(workshop):
    """The same from the other side: an engine that speaks protocol 99 answers firstlightctl."""
    workshop.runtime.mkdir(mode=0o700)
    lock_path = workshop.runtime / f"{workshop.job}.lock"
    lock = open(lock_path, "w")
    lock.write(str(os.getpid()))
    lock.flush()
    fcntl.flock(lock, fcntl.LOCK_EX)
    door = socket.socket(socket.AF_UNIX)
    door.bind(str(workshop.socket))
    door.listen()

    def answer():
        peer, _ = door.accept()
        peer.recv(1 << 16)
        peer.sendall(Client.framed({"jsonrpc": "2.0", "id": 1, "result": {"protocol": 99, "version": "9.0"}}))
        peer.close()

    threading.Thread(target=answer, daemon=True).start()
    done = workshop.ctl("attach", workshop.job, "--json")
    door.close()
    workshop.socket.unlink()
    lock_path.unlink()
    lock.close()
    check(done.code == 3, str(done))
    message = done.findings()[0]["message"]
    check("99" in message and "1" in message, message)


def bad_bytes(workshop):
    """Each of these from a client of its own; a model is loaded and goes on talking."""
    good = workshop.serving(TINY)
    hello = Client.framed({"jsonrpc": "2.0", "id": 1, "method": "hello",
                           "params": {"protocol": PROTOCOL, "version": "0.1.0", "client": "e2e"}})
    closing = {
        "noise": os.urandom(4096) + b"\r\n\r\n",
        "a header without end": b"x" * 4096,
        "an oversized claim": b"Content-Length: 99999999999999\r\n\r\n",
        "a negative claim": b"Content-Length: -1\r\n\r\n",
        "no number": b"Content-Length: many\r\n\r\n",
        "another protocol": b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    }
    for what, data in closing.items():
        stranger = Client(workshop.socket)
        stranger.write(data)
        stranger.wait_closed(10)
        check(good.snapshot(), what)
    answered = {
        "no JSON": b"{hello",
        "no object": b"[1, 2]",
        "a deep nest": b"[" * 100000,
        "no method": b'{"jsonrpc": "2.0", "id": 1}',
        "no greeting": b'{"jsonrpc": "2.0", "id": 1, "method": "session.shutdown"}',
        "no UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "\xff\xfe"}',
    }
    for what, body in answered.items():
        stranger = Client(workshop.socket)
        stranger.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        stranger.read_until(lambda: stranger.answers, 10, f"an answer to {what}")
        answer = next(iter(stranger.answers.values()))
        check(answer["error"]["message"], f"{what}: {answer}")
        stranger.close()
    half = Client(workshop.socket)
    half.write(hello[: len(hello) // 2])
    half.close()
    dribble = Client(workshop.socket)
    for byte in hello:
        dribble.write(bytes([byte]))
    dribble.last_id = 1
    dribble.read_until(lambda: 1 in dribble.answers, 10, "the answer to a dribbled hello")
    check("result" in dribble.answers[1], str(dribble.answers))
    unknown = dribble.call("chat.sent")
    check("chat.send" in unknown["error"]["message"], f"the nearest method is not named: {unknown}")
    dribble.close()
    good.ask("chat.send", {"request": "a", "ids": [3, 4], "sampling": {"max_tokens": 2}})
    good.event("chat.done", lambda done: done["request"] == "a" and done["finish"] in ("length", "stop"))
    lives_on(workshop)
    workshop.stop(good)


def second_engine(workshop):
    first = workshop.engine()
    pid = first.snapshot()["pid"]
    again = workshop.finish(workshop.start("firstlightd", "--job", workshop.job))
    check(again.code == 3 and str(pid) in again.log and workshop.job in again.log, str(again))
    launched = workshop.ctl("launch", TINY["checkpoint"], "--name", workshop.job, "--json")
    check(launched.code == 3, str(launched))
    check(first.snapshot()["pid"] == pid, "the first engine was harmed")
    workshop.stop(first)


CASES = [other_protocol, other_engine, bad_bytes, second_engine]
