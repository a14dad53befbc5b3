"""Where everything is: names, addresses, files."""
import fcntl
import os
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path

NAME = os.environ.get("LAB_NAME", "lab")
if not re.fullmatch(r"[a-z0-9]{1,16}", NAME):
    raise SystemExit("lab: LAB_NAME must be 1 to 16 letters and digits")

# Nodes take variables for settings: none of the person's own shall get into the lab.
for word in [word for word in os.environ if word.startswith("RINGHOLD_")]:
    del os.environ[word]

ROOT = Path(__file__).resolve().parents[2]
CLUSTER = ROOT / "cluster"
PARTS = CLUSTER / "lab.d"
FOLDER = Path(tempfile.gettempdir()) / f"ringhold-lab-{NAME}"
LOGS = FOLDER / "logs"

NODES = ["node-a", "node-b", "node-c"]
REDISES = ["redis-1", "redis-2", "redis-3"]
ADDRESS = {
    "ns": "10.77.0.2", "provider": "10.77.0.5",
    "node-a": "10.77.0.11", "node-b": "10.77.0.12", "node-c": "10.77.0.13",
    "redis-1": "10.77.0.21", "redis-2": "10.77.0.22", "redis-3": "10.77.0.23",
    "phones": "10.77.0.41",
}
# One program is the phones, the push service that reaches them, and those who call them.
PUSH, CALLERS = "10.77.0.42", "10.77.0.31"
MORE = {"phones": [PUSH, CALLERS]}
HOSTS = list(ADDRESS)
NETWORK = "10.77.0.0/24"

SERVER_NAME = "plus.lab.test"
PROVIDER = "provider.test"
PRIMARY = "ringhold"
PUSH_PORT, CONTROL_PORT, ADMIN_PORT, PEER_PORT = 2197, 9000, 9090, 7443


def namespace(host):
    return f"{NAME}-{host}"


SWITCH = namespace("switch")
# Two that bring up or down one lab at once would leave half of it.
LOCK = FOLDER.parent / f"{FOLDER.name}.lock"


class Trouble(Exception):
    """What a person has to know, in one line."""


class WrongWords(Trouble):
    """The person said what cannot be done, lab or not."""


NOT_UP = f"no lab '{NAME}' is up: bring it up with cluster/lab up"


def hosts(word):
    """A host, or all of the hosts that one word names."""
    group = {"redis": REDISES, "nodes": NODES}.get(word, [word])
    for host in group:
        if host not in ADDRESS:
            raise WrongWords(f"there is no host '{host}': {' '.join(HOSTS)}, or redis, nodes for all of them")
    return group


@contextmanager
def only_one(path, complaint):
    """Nobody else is inside at the same time."""
    try:
        lock = open(path, "w")
    except OSError as error:
        raise Trouble(NOT_UP) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Trouble(complaint) from error
        try:
            yield
        finally:
            os.unlink(path)
