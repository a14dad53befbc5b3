"""Hosts as network namespaces, joined by a bridge; and what goes wrong between them."""
import ctypes
import json
import os
import signal
import socket
import subprocess

from places import ADDRESS, HOSTS, MORE, SWITCH, Trouble, namespace

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
# No host has it: what is sent there is lost without a word, as on a broken line.
NOWHERE = "02:00:00:00:00:00"


def run(*words, check=True, lines=()):
    done = subprocess.run(words, input="\n".join(lines), capture_output=True, text=True, timeout=20)
    if check and done.returncode != 0:
        raise Trouble(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


def exists(name):
    return os.path.exists(f"/run/netns/{name}")


def enter(name):
    """This process's thread works in the namespace from now on; sockets stay in that in which they were made."""
    with open(f"/run/netns/{name}") as file:
        if LIBC.setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"setns {name}")


def connect(host, address, port, timeout=1.0):
    """A connection as the host would make it."""
    with open("/proc/self/ns/net") as home:
        enter(namespace(host))
        try:
            made = socket.socket()
        finally:
            LIBC.setns(home.fileno(), CLONE_NEWNET)
    made.settimeout(timeout)
    try:
        made.connect((address, port))
    except BaseException:
        made.close()
        raise
    return made


def up():
    run("ip", "netns", "add", SWITCH)
    run("ip", "-n", SWITCH, "link", "add", "br0", "type", "bridge")
    run("ip", "-n", SWITCH, "link", "set", "br0", "up")
    for host in HOSTS:
        name = namespace(host)
        run("ip", "netns", "add", name)
        run("ip", "-n", SWITCH, "link", "add", host, "type", "veth", "peer", "name", "eth0", "netns", name)
        run("ip", "-n", SWITCH, "link", "set", host, "master", "br0", "up")
        for address in [ADDRESS[host]] + MORE.get(host, []):
            run("ip", "-n", name, "address", "add", f"{address}/24", "dev", "eth0")
        for link in ["lo", "eth0"]:
            run("ip", "-n", name, "link", "set", link, "up")


def down():
    """With its namespace a host's links go too. Whoever is still in it has lost his keeper, and goes first."""
    for name in [namespace(host) for host in HOSTS] + [SWITCH]:
        if exists(name):
            for pid in run("ip", "netns", "pids", name).split():
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            run("ip", "netns", "delete", name)


def cut(one, *others):
    """From all of them at once: nothing that it sends gets anywhere after the first step."""
    for here, theres in [(one, others), *((other, [one]) for other in others)]:
        addresses = [address for there in theres for address in [ADDRESS[there]] + MORE.get(there, [])]
        run("ip", "-n", namespace(here), "-batch", "-",
            lines=[f"neigh replace {address} lladdr {NOWHERE} dev eth0 nud permanent" for address in addresses])


def cuts():
    """Each pair of hosts that do not reach each other, as the kernel has it."""
    found = set()
    for host in HOSTS:
        listed = run("ip", "-n", namespace(host), "-j", "neigh", "show", "nud", "permanent")
        lost = {entry["dst"] for entry in json.loads(listed or "[]") if entry.get("lladdr") == NOWHERE}
        found |= {tuple(sorted([host, other])) for other in HOSTS if ADDRESS[other] in lost}
    return sorted(found)


def mend():
    for one, other in cuts():
        for here, there in [(one, other), (other, one)]:
            for address in [ADDRESS[there]] + MORE.get(there, []):
                run("ip", "-n", namespace(here), "neigh", "delete", address, "dev", "eth0", check=False)


def detour(host):
    """Takes the host's port off the bridge and puts a second link there, for a program between the two."""
    run("ip", "-n", SWITCH, "link", "add", f"{host}.d", "type", "veth", "peer", "name", f"{host}.b")
    run("ip", "-n", SWITCH, "link", "set", host, "nomaster")
    run("ip", "-n", SWITCH, "link", "set", f"{host}.b", "master", "br0", "up")
    for link in [host, f"{host}.d"]:
        run("ip", "-n", SWITCH, "link", "set", link, "promisc", "on", "up")


def straighten(host):
    run("ip", "-n", SWITCH, "link", "delete", f"{host}.d", check=False)
    run("ip", "-n", SWITCH, "link", "set", host, "promisc", "off", "master", "br0")
