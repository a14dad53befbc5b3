"""What can go wrong, and how it is mended."""
import re
import signal

import hosts
import network
import processes
from places import ADDRESS, HOSTS, NODES, REDISES, Trouble
from places import hosts as named


def program(word):
    """The host whose process is meant."""
    if word == "redis-primary":
        host = hosts.primary()
        if host is None:
            raise Trouble("no Sentinel knows a primary")
        return host
    return word


def kill(word):
    host = program(word)
    processes.send(host, signal.SIGKILL)
    print(f"{host}: killed")


def stop(word):
    host = program(word)
    processes.send(host, signal.SIGSTOP)
    print(f"{host}: stopped")


def cont(word):
    processes.send(word, signal.SIGCONT)
    print(f"{word}: goes on")


def restart(word):
    """In the polite way where it runs; else it only starts."""
    host = program(word)
    processes.end(host, patience=60)
    hosts.start(host)
    if host in NODES:
        hosts.wait_until_ready(host)
    print(f"{host}: started")


def cut(one, other):
    for here in named(one):
        for there in named(other):
            if here != there:
                network.cut(here, there)
                print(f"{here} and {there}: cut")


def slow(host, time):
    match = re.fullmatch(r"(\d{1,4})(ms)?", time)
    if not match:
        raise Trouble("how slow? such as 200ms")
    for one in named(host):
        straighten(one)
        network.detour(one)
        hosts.start_delay(one, int(match[1]))
        print(f"{one}: {match[1]} ms later, each way")


def straighten(host):
    if processes.runs(f"slow-{host}"):
        processes.end(f"slow-{host}", patience=3)
        network.straighten(host)


def heal():
    network.mend()
    for host in HOSTS:
        straighten(host)
    print("every way is open")


def failover():
    """Any Sentinel may be asked; one that is not there is no reason to give up."""
    before = hosts.primary()
    for host in REDISES:
        said = hosts.redis_cli(host, "sentinel", "failover", "ringhold", port=26379)
        if said == "OK":
            processes.wait_for("another primary", lambda: hosts.primary() not in (None, before), 20)
            return print(f"primary: {before}, now {hosts.primary()}")
    raise Trouble(f"no Sentinel starts a fail-over: {said or 'no answer'}")


def flush(what):
    if what != "redis":
        raise Trouble("only redis can be flushed")
    host = program("redis-primary")
    if hosts.redis_cli(host, "flushall") != "OK":
        raise Trouble(f"{host} does not answer")
    print(f"{host}: empty")


FAULTS = {"kill": (kill, 1), "stop": (stop, 1), "cont": (cont, 1), "restart": (restart, 1), "cut": (cut, 2), "slow": (slow, 2), "heal": (heal, 0),
          "failover": (failover, 0), "flush": (flush, 1)}


def fault(words):
    if not words or words[0] not in FAULTS:
        raise Trouble(f"which fault? {', '.join(FAULTS)}")
    action, count = FAULTS[words[0]]
    if len(words) - 1 != count:
        raise Trouble(f"fault {words[0]} takes {count} word{'s' if count != 1 else ''}")
    for word in words[1:]:
        if action in (kill, stop, cont, restart) and word not in ADDRESS and word != "redis-primary":
            raise Trouble(f"there is no host '{word}': {' '.join(HOSTS)}")
    action(*words[1:])


def roll():
    """Each node in turn, when the one before is ready and the others say that it is a member."""
    for node in NODES:
        restart(node)
        others = [other for other in NODES if other != node]
        processes.wait_for(f"{node} among its peers", lambda: all(knows(other, node) for other in others), 30)
        print(f"{node}: ready")


def knows(node, other):
    """A node without peers knows nobody, and that is right so."""
    report = hosts.report(node)
    if report is None:
        return False
    cluster = report.get("cluster")
    return cluster is None or any(member["name"] == other for member in cluster["members"])
