"""The rows of "what survives what": each injects its fault once and mends it, and says who was out of reach when."""
import signal
import time
from dataclasses import dataclass

import faults
import hosts
import network
import processes
from places import NODES, REDISES, Trouble


# A node that has given away what it has hears no provider any more, and lets phones have their answers for so long.
ENDING = 1.2


@dataclass
class Outage:
    """From `start` to `end` nothing that was sent to the host, or kept there, could be answered in its own name."""
    host: str
    what: str  # dead, stopped, cut off; empty for Redis and for everything: everybody was concerned
    start: float
    end: float


class Fault:
    """One injection. `number` counts them, so that hosts take turns; `random` draws how long."""

    def __init__(self, number, random):
        self.number, self.random = number, random
        self.node = NODES[number % len(NODES)]
        self.outages = []

    def out(self, host, what, start):
        self.outages.append(Outage(host, what, start, time.time()))

    def wait(self, least, most):
        time.sleep(self.random.uniform(least, most))


def die(host):
    """At once; when it is gone."""
    if processes.runs(host):
        processes.send(host, signal.SIGKILL)
        processes.wait_for(f"the end of {host}", lambda: not processes.runs(host), 5)


def nothing(fault):
    """For comparison."""


def kill(fault):
    """Half of the nodes are back before anybody may have missed them."""
    start = time.time()
    die(fault.node)
    fault.wait(*((0.3, 1) if fault.number % 2 else (3, 6)))
    hosts.start(fault.node)
    hosts.wait_until_ready(fault.node)
    fault.out(fault.node, "dead", start)


def pause(fault):
    start = time.time()
    processes.send(fault.node, signal.SIGSTOP)
    time.sleep(10)
    processes.send(fault.node, signal.SIGCONT)
    wait_for_leases()
    fault.out(fault.node, "stopped", start)


def restart(fault):
    """In the polite way: it serves while it gives away what it has, and then ends what is open."""
    processes.end(fault.node, patience=60)
    start = time.time() - ENDING
    hosts.start(fault.node)
    hosts.wait_until_ready(fault.node)
    fault.out(fault.node, "dead", start)


def slow(fault):
    """To and from everybody."""
    faults.slow([fault.node], fault.random.randint(50, 200))
    fault.wait(4, 8)
    faults.straighten(fault.node)


def cut_redis(fault):
    start = time.time()
    network.cut(fault.node, *REDISES)
    fault.wait(4, 8)
    network.mend()
    fault.out(f"redis of {fault.node}", "", start)


def cut_off(fault):
    start = time.time()
    network.cut(fault.node, *(host for host in [*REDISES, *NODES] if host != fault.node))
    fault.wait(4, 8)
    network.mend()
    wait_for_leases()
    fault.out(fault.node, "cut off", start)


def cut_peers(fault):
    network.cut(fault.node, NODES[(fault.number + 1) % len(NODES)])
    fault.wait(4, 8)
    network.mend()


def failover(fault):
    """The primary is killed; when Sentinel has chosen another one, it comes back as a replica."""
    before, start = hosts.primary(), time.time()
    if before is None:
        raise Trouble("no Sentinel knows a primary")
    die(before)
    processes.wait_for("another primary", lambda: hosts.primary() not in (None, before), 30)
    fault.out(before, "", start)
    hosts.start(before)


def flush(fault):
    start = time.time()
    faults.flush("redis")
    fault.out(hosts.primary(), "", start)


def redis_gone(fault):
    start = time.time()
    for host in REDISES:
        die(host)
    fault.wait(2, 5)
    for host in REDISES:
        hosts.start(host)
    processes.wait_for("a primary", has_primary, 90)
    for host in REDISES:
        fault.out(host, "", start)


def everything(fault):
    """The set-ups are gone, so the phones set themselves up again."""
    start = {}
    for host in [*NODES, *REDISES]:
        start[host] = time.time()
        die(host)
    for host in REDISES:
        hosts.start(host)
    processes.wait_for("a primary", has_primary, 90)
    for host in NODES:
        hosts.start(host)
    for host in NODES:
        hosts.wait_until_ready(host)
    hosts.set_up_phones(hosts.counts()["phones"])
    for host in NODES:
        fault.out(host, "all gone", start[host])


def has_primary():
    host = hosts.primary()
    return host is not None and hosts.role(host) == "master"


ROWS = {"nothing": nothing, "kill": kill, "pause": pause, "restart": restart, "slow": slow, "cut-redis": cut_redis, "cut-off": cut_off, "cut-peers": cut_peers, "failover": failover,
        "flush": flush, "redis-gone": redis_gone, "everything": everything}
# What concerns Redis' memory is only bearable while the nodes have everything in theirs: before them the cluster has to be whole.
DEEP = ["failover", "flush", "redis-gone", "everything"]


# Whole again


def is_member(node):
    report = hosts.report(node)
    cluster = report and report.get("cluster")
    return bool(cluster) and not cluster["passive"] and len(cluster["members"]) == len(NODES)


def wait_for_leases():
    processes.wait_for("all nodes as members", lambda: all(map(is_member, NODES)), 60)


def mend():
    """What a fault leaves that did not come to its end."""
    faults.heal()
    for host in [*REDISES, *NODES]:
        if processes.runs(host):
            processes.send(host, signal.SIGCONT)
        else:
            hosts.start(host)


def is_redis_whole():
    """Every replica has what the primary has."""
    host = hosts.primary()
    return host is not None and (hosts.redis_cli(host, "info", "replication") or "").count("state=online") == len(REDISES) - 1


class Whole:
    """Waits until the cluster is whole. Accounts that stay without their one binding are written down, and not waited for again."""

    def __init__(self, accounts):
        self.accounts, self.misbound = accounts, set()

    def wait(self, seconds=60):
        processes.wait_for("all nodes ready, and all of Redis", self.has_all_hosts, seconds)
        try:
            processes.wait_for("one binding for each account", lambda: self.are_registered() and not self.look(), 30)
        except Trouble:
            self.misbound |= self.look()

    def has_all_hosts(self):
        return all(hosts.is_ready(node) and is_member(node) and hosts.has_settled(node) for node in NODES) and is_redis_whole()

    def are_registered(self):
        """The nodes know them too: the provider still has the bindings of nodes that have forgotten everything."""
        states = [state for node in NODES for state in (hosts.report(node) or {}).get("registrations", [])]
        return sum(state["accounts"] for state in states if state["state"] == "registered") >= self.accounts - len(self.misbound)

    def look(self):
        """The accounts that do not have exactly one binding at the provider."""
        bound = hosts.bindings()
        return {user for user in (f"phone{number}" for number in range(self.accounts)) if len(bound.get(user, [])) != 1} - self.misbound
