"""The lab's side of the keeper."""
import json
import signal
import socket
import subprocess
import sys
import time

from places import FOLDER, LOGS, NOT_UP, PARTS, Trouble, namespace


def ask(do, **words):
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(20)
        try:
            door.connect(str(FOLDER / "keeper"))
        except OSError as error:
            raise Trouble(NOT_UP) from error
        door.sendall(json.dumps({"do": do, **words}).encode() + b"\n")
        answer = json.loads(door.makefile().readline() or "{}")
    if "error" in answer:
        raise Trouble(answer["error"])
    return answer


def open_keeper():
    subprocess.Popen(
        [sys.executable, str(PARTS / "keeper.py"), str(FOLDER)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=(LOGS / "keeper.log").open("ab"), start_new_session=True)
    wait_for("the keeper", lambda: (FOLDER / "keeper").exists(), 10)


def start(name, *argv, host):
    return ask("start", name=name, argv=[str(word) for word in argv], namespace=namespace(host))["pid"]


def send(name, number):
    ask("signal", name=name, number=int(number))


def need_lab():
    """Trouble where none is up."""
    states()


def states():
    return ask("list")["processes"]


def runs(name):
    return states().get(name, {}).get("state") in ("runs", "stopped")


def end(name, patience=20):
    """Asks it to go, and waits; kills what stays."""
    if not runs(name):
        return
    send(name, signal.SIGCONT)
    send(name, signal.SIGTERM)
    try:
        wait_for(f"the end of {name}", lambda: not runs(name), patience)
    except Trouble:
        send(name, signal.SIGKILL)
        wait_for(f"the end of {name}", lambda: not runs(name), 5)


def wait_for(what, is_so, seconds):
    """Until it is so; Trouble where it takes longer."""
    until = time.monotonic() + seconds
    while True:
        try:
            if is_so():
                return
        except OSError:
            pass
        if time.monotonic() > until:
            raise Trouble(f"{what}: not within {seconds} s; see {LOGS}")
        time.sleep(0.1)
