"""Where everything is: names, addresses, files."""
import os
import re
import tempfile
from pathlib import Path

NAME = os.environ.get("RINGHOLD_LAB", "lab")
if not re.fullmatch(r"[a-z0-9]{1,16}", NAME):
    raise SystemExit("lab: RINGHOLD_LAB must be 1 to 16 letters and digits")

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
    "callers": "10.77.0.31", "phones": "10.77.0.41",
}
# The push service is on the phones' host: the program of the phones is both.
PUSH = "10.77.0.42"
MORE = {"phones": [PUSH]}
HOSTS = list(ADDRESS)
NETWORK = "10.77.0.0/24"

SERVER_NAME = "plus.lab.test"
PROVIDER = "provider.test"
PRIMARY = "ringhold"
PUSH_PORT, CONTROL_PORT, ADMIN_PORT, PEER_PORT = 2197, 9000, 9090, 7443


def namespace(host):
    return f"{NAME}-{host}"


SWITCH = namespace("switch")


class Trouble(Exception):
    """What a person has to know, in one line."""


def hosts(word):
    """A host, or all of the hosts that one word names."""
    group = {"redis": REDISES, "nodes": NODES}.get(word, [word])
    for host in group:
        if host not in ADDRESS:
            raise Trouble(f"there is no host '{host}': {' '.join(HOSTS)}, or redis, nodes for all of them")
    return group
