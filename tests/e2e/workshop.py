# SPDX-License-Identifier: Apache-2.0
"""A world of its own for one end-to-end test: folders, programs, clients, and what they leave.

Nothing here touches the user's folders: every program runs with XDG variables and TMPDIR below one
temporary folder, and what belongs to this world is known by that (processes by their environment).
Everything waits by polling with a deadline, so that a slow machine is slow and nothing else.
"""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODELS = Path(__file__).resolve().parents[1] / "data/models"
PROTOCOL = 2
PATIENCE = 60.0
# The programs were built with a sanitizer, whose own memory would be judged as theirs.
SANITIZED = "FIRSTLIGHT_SANITIZED" in os.environ


class Failure(Exception):
    """A claim of the test that does not hold."""


class Skip(Exception):
    """This machine does not allow the test."""


def check(condition, text):
    if not condition:
        raise Failure(text)


def wait_for(what, seconds=PATIENCE, text="it"):
    """The first true value of what(); a Failure that says what did not come in time."""
    deadline = time.monotonic() + seconds
    while True:
        value = what()
        if value:
            return value
        check(time.monotonic() < deadline, f"{text} did not come within {seconds:.1f} s")
        time.sleep(0.005)


def maker(script):
    """A script that makes checkpoints: in $FIRSTLIGHT_CHECKPOINT_TOOLS, in tools/checkpoints beside the folder that
    $FIRSTLIGHT_REFERENCE names, or in ../shared/tools/checkpoints. Where there is none the test ends as skipped."""
    named = os.environ.get("FIRSTLIGHT_CHECKPOINT_TOOLS")
    reference = os.environ.get("FIRSTLIGHT_REFERENCE")
    folders = [Path(named)] if named else []
    folders += [Path(reference).parent / "tools/checkpoints"] if reference else []
    folders.append(Path(__file__).resolve().parents[3] / "shared/tools/checkpoints")
    for folder in folders:
        if (folder / script).is_file():
            return folder / script
    print(f"skipped: no {script}")
    sys.exit(77)


class Result:
    def __init__(self, code, out, log):
        self.code, self.out, self.log = code, out, log

    @property
    def json(self):
        try:
            return json.loads(self.out)
        except json.JSONDecodeError:
            raise Failure(f"no JSON on standard output: {self}") from None

    def findings(self, severity="error"):
        return [one for one in self.json["findings"] if one["severity"] == severity]

    def codes(self, severity="error"):
        return [one["code"] for one in self.findings(severity)]

    def finding(self, code):
        found = [one for one in self.json["findings"] if one["code"] == code]
        check(len(found) == 1, f"{len(found)} findings {code}: {self}")
        return found[0]

    def __str__(self):
        return f"exit {self.code}\n{self.out[-3000:]}\n{self.log[-1500:]}"


class Client:
    """A client of the engine's socket that speaks the protocol by hand."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(str(path))
        self.buffer = b""
        self.last_id = 0
        self.events = []  # all that came, in order
        self.answers = {}

    def close(self):
        self.socket.close()

    def write(self, data):
        self.socket.sendall(data)

    @staticmethod
    def framed(message):
        body = json.dumps(message).encode()
        return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)

    def send(self, method, params=None):
        self.last_id += 1
        self.write(self.framed({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params or {}}))
        return self.last_id

    def hello(self, protocol=PROTOCOL):
        return self.call("hello", {"protocol": protocol, "version": "0.1.0", "client": "e2e"})

    def call(self, method, params=None, seconds=PATIENCE):
        """The whole answer: it has `result` or `error`."""
        number = self.send(method, params)
        self.read_until(lambda: number in self.answers, seconds, f"the answer to {method}")
        return self.answers.pop(number)

    def ask(self, method, params=None):
        answer = self.call(method, params)
        check("result" in answer, f"{method}: {answer.get('error')}")
        return answer["result"]

    def snapshot(self):
        return self.ask("session.snapshot")

    def event(self, name, where=lambda data: True, seconds=PATIENCE, since=0):
        """The first event of that name that fits, from the `since`th event on."""

        def found():
            return next((e["data"] for e in self.events[since:] if e["event"] == name and where(e["data"])), None)

        return self.read_until(found, seconds, f"event {name}")

    def stage(self, name, *states, since=0):
        states = states or ("passed", "warnings")
        return self.event(
            "stage.changed", lambda data: data["stage"] == name and data["state"] in states, since=since
        )

    def read_until(self, what, seconds, text):
        deadline = time.monotonic() + seconds
        while not (value := what()):
            left = deadline - time.monotonic()
            check(left > 0, f"{text} did not come within {seconds:.1f} s; last: {self.events[-3:]}")
            check(self.read_some(left), f"{text} did not come: the engine closed the connection")
        return value

    def read_some(self, seconds):
        """False: the peer closed."""
        self.socket.settimeout(max(seconds, 0.001))
        try:
            data = self.socket.recv(1 << 16)
        except TimeoutError:
            return True
        except ConnectionResetError:
            return False
        self.buffer += data
        while self.take_message():
            pass
        return bool(data)

    def take_message(self):
        head, separator, rest = self.buffer.partition(b"\r\n\r\n")
        if not separator:
            return False
        size = int(head.split(b":")[1])
        if len(rest) < size:
            return False
        message, self.buffer = json.loads(rest[:size]), rest[size:]
        if message.get("method") == "events":
            self.events += message["params"]["list"]
        else:
            self.answers[message.get("id")] = message
        return True

    def wait_closed(self, seconds=PATIENCE):
        deadline = time.monotonic() + seconds
        while self.read_some(deadline - time.monotonic()):
            check(time.monotonic() < deadline, f"the engine did not close within {seconds:.1f} s")


class Workshop:
    def __init__(self, programs):
        self.programs = Path(programs)
        self.root = Path(tempfile.mkdtemp(prefix="fl-e2e-"))
        self.job = f"e2e-{os.getpid()}"
        self.started = []
        self.ends = []
        self.environment = {**os.environ, "HOME": str(self.root / "home"), "TMPDIR": str(self.root / "tmp")}
        for variable, folder in [("RUNTIME_DIR", "run"), ("STATE_HOME", "state"), ("CONFIG_HOME", "config"),
                                 ("CACHE_HOME", "cache"), ("DATA_HOME", "data")]:
            self.environment["XDG_" + variable] = str(self.root / folder)
        for folder in ("run", "home", "tmp"):
            (self.root / folder).mkdir(mode=0o700)

    # Programs

    def start(self, program, *arguments, **options):
        """A process; what it writes is collected by finish()."""
        return self.start_path(self.programs / program, *arguments, **options)

    def start_path(self, path, *arguments, **options):
        process = subprocess.Popen(
            [path, *map(str, arguments)], env=options.pop("env", self.environment),
            stdin=options.pop("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE,
            stderr=options.pop("stderr", subprocess.PIPE), **options)
        self.started.append(process)
        return process

    def finish(self, process, seconds=PATIENCE):
        try:
            out, log = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, log = process.communicate()
            raise Failure(f"{process.args} did not end within {seconds:.0f} s\n{out.decode()}\n{(log or b'').decode()}") from None
        return Result(process.returncode, out.decode(), (log or b"").decode())

    def ctl(self, *arguments, **options):
        return self.finish(self.start("firstlightctl", *arguments, **options))

    @property
    def runtime(self):
        return self.root / "run/firstlight"

    @property
    def socket(self):
        return self.runtime / f"{self.job}.sock"

    def engine(self):
        """An engine without a job, and a client that was greeted."""
        done = self.finish(self.start("firstlightd", "--job", self.job, "--detach"))
        check(done.code == 0, f"firstlightd did not start: {done}")
        return self.client()

    def client(self):
        client = Client(self.socket)
        answer = client.hello()
        check("result" in answer, f"hello: {answer}")
        return client

    def serving(self, settings):
        """An engine with this job loaded, and its client."""
        client = self.engine()
        client.ask("job.open", {"settings": settings, "until": "load"})
        client.stage("load")
        return client

    def stop(self, client=None):
        (client or self.client()).ask("session.shutdown")
        wait_for(lambda: not self.processes(), text="the end of all processes")

    # What belongs to this world

    def processes(self):
        """{pid: command line} of everything that runs in this world; zombies are gone already."""
        mark = f"XDG_RUNTIME_DIR={self.root}/run".encode()
        found = {}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes().split(b"\0"):
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
                    if line:
                        found[int(entry.name)] = line
        return found

    def leftovers(self):
        files = [str(path) for path in self.runtime.glob("*")] if self.runtime.exists() else []
        files += [str(path) for path in (self.root / "run").glob("*") if path != self.runtime]
        files += [str(path) for path in (self.root / "tmp").glob("*")]
        if self.runtime.exists():  # the name says which runtime folder it belongs to
            mark = f"firstlight-*-{self.runtime.stat().st_ino:x}-*"
            files += [str(path) for path in Path("/dev/shm").glob(mark)]
        return files

    def check_nothing_left(self):
        wait_for(lambda: not self.processes(), 15, f"the end of {self.processes()}")
        check(not self.leftovers(), f"left behind: {self.leftovers()}")

    def at_end(self, action):
        self.ends.append(action)

    def end(self):
        """Whatever the test did: no process stays, and no file."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self.started:
            process.kill()
            process.wait()
        for path in map(Path, self.leftovers()):
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        for action in self.ends:
            action()
        shutil.rmtree(self.root, ignore_errors=True)

    # Checkpoints

    def copy(self, model="tiny-llama", **config):
        """A copy of a small checkpoint to damage, with these keys of its config changed."""
        folder = self.root / "model"
        shutil.copytree(MODELS / model, folder)
        path = folder / "config.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **config}))
        return folder

    def long_talker(self):
        """A checkpoint whose greedy answer goes on for as long as a test needs, and its settings."""
        folder = self.copy(max_position_embeddings=1 << 17)
        return {"checkpoint": str(folder), "cluster": "cpu:cards=4,threads=1", "tp": 2, "pp": 2,
                "max_context": 1 << 16, "max_sequences": 2}


def read_shard(path):
    """(header, data) of a safetensors file."""
    content = path.read_bytes()
    size = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + size]), content[8 + size :]


def write_shard(path, header, data):
    text = json.dumps(header).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)


def holds_everywhere(programs, checkpoints, settings, act):
    """Whether act(workshop, checkpoint, setting) is true of all of them; failures are printed."""
    good = True
    for checkpoint in checkpoints:
        for setting in settings:
            workshop = Workshop(programs)
            try:
                good = act(workshop, checkpoint, setting) and good
            except Failure as failure:
                print(f"FAIL {checkpoint.name} {setting}: {failure}")
                good = False
            finally:
                workshop.end()
    return good
