"""The parent of every process of a lab. It alone starts and ends them, so that a pid is never mistaken for another's; if it dies, all
of them die. Asked over a Unix socket, one JSON line each way. Run as a program: keeper.py FOLDER."""
import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
PR_SET_PDEATHSIG = 1
# Nobody needs a lab for longer; one that was forgotten ends itself.
LONGEST = 24 * 3600
MOST = 64


def favour():
    """Linux shares the processor by sessions, and every process here has its own: `nice cluster/lab up` shall count all the same."""
    try:
        Path("/proc/self/autogroup").write_text(str(os.nice(0)))
    except OSError:
        pass  # A kernel without that.


class Keeper:
    def __init__(self, folder):
        self.folder = folder
        self.processes = {}
        self.isOver = False

    def start(self, name, argv, namespace=None, **_):
        from network import enter
        if name in self.processes and self.processes[name].poll() is None:
            return {"error": f"{name} runs"}
        if len(self.processes) >= MOST and name not in self.processes:
            return {"error": "too many processes"}
        keeper = os.getpid()

        def prepare():
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            favour()
            if os.getppid() != keeper:
                os._exit(1)
            if namespace:
                enter(namespace)

        with open(self.folder / "logs" / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder, start_new_session=True, preexec_fn=prepare)
        return {"pid": self.processes[name].pid}

    def signal(self, name, number, **_):
        process = self.processes.get(name)
        if process is None or process.poll() is not None:
            return {"error": f"{name} does not run"}
        # Its group: the provider has children, and a start script too while it waits.
        os.killpg(process.pid, number)
        return {}

    def list(self, **_):
        return {"processes": {name: self.state(process) for name, process in self.processes.items()}}

    @staticmethod
    def state(process):
        code = process.poll()
        if code is not None:
            return {"state": "ended", "code": code}
        try:
            word = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            word = "?"
        return {"state": "stopped" if word in "Tt" else "runs", "pid": process.pid}

    def end(self, **_):
        """Everybody gets a moment to go by himself. Groups, since some of them have children."""
        self.isOver = True
        for number, patience in [(signal.SIGTERM, 8), (signal.SIGKILL, 5)]:
            for process in self.processes.values():
                if process.poll() is None or number == signal.SIGKILL:
                    for what in ([signal.SIGCONT] if number == signal.SIGTERM else []) + [number]:
                        try:
                            os.killpg(process.pid, what)
                        except ProcessLookupError:
                            pass
            until = time.monotonic() + patience
            while any(process.poll() is None for process in self.processes.values()) and time.monotonic() < until:
                time.sleep(0.05)
        return {}

    def serve(self):
        door = socket.socket(socket.AF_UNIX)
        door.bind(str(self.folder / "keeper"))
        door.listen(8)
        door.settimeout(1)
        until = time.monotonic() + LONGEST
        while not self.isOver:
            for process in self.processes.values():
                process.poll()
            if time.monotonic() > until:
                self.end()
            try:
                visitor, _ = door.accept()
            except TimeoutError:
                continue
            with visitor:
                self.answer(visitor)

    def answer(self, visitor):
        visitor.settimeout(2)
        try:
            asked = json.loads(visitor.makefile().readline())
            action = {"start": self.start, "signal": self.signal, "list": self.list, "end": self.end}[asked.pop("do")]
            answer = action(**asked)
        except Exception as error:  # Whatever goes wrong with one wish, the keeper stays.
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            visitor.sendall(json.dumps(answer).encode() + b"\n")
        except OSError:
            pass


def main():
    # Whoever has started it may have blocked signals, and a blocked one is inherited: Kamailio's timers are driven by one.
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    keeper = Keeper(Path(sys.argv[1]))
    signal.signal(signal.SIGTERM, lambda *_: keeper.end())
    keeper.serve()


if __name__ == "__main__":
    main()
