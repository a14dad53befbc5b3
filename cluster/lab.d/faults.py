"""What can go wrong, and how it is mended."""
import re
import signal

import hosts
import network
import processes
from places import HOSTS, NODES, REDISES, Trouble, WrongWords
from places import hosts as named


PROGRAMS = [*NODES, *REDISES, "provider"]


# Words


def with_program(word):
    if word not in PROGRAMS:
        raise WrongWords(f"HOST is one of {' '.join(PROGRAMS)}, not '{word}'")
    return word


def with_stopped_program(word):
    if word == "redis-primary":
        raise WrongWords("cont takes the host that was stopped: redis-primary may be another one by now")
    return with_program(word)


def with_program_or_primary(word):
    return word if word == "redis-primary" else with_program(word)


def milliseconds(word):
    match = re.fullmatch(r"([1-9][0-9]{0,3})(ms)?", word)
    if not match:
        raise WrongWords(f"'{word}' is no delay: 1ms to 9999ms")
    return int(match[1])


def with_memory(word):
    if word != "redis":
        raise WrongWords(f"'{word}' cannot be flushed, only redis")
    return word


def different(ones, others):
    pairs = [(one, other) for one in ones for other in others if one != other]
    if not pairs:
        raise WrongWords("cut takes two hosts, not one twice")
    return pairs


# What goes wrong


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


def cut(pairs):
    for one, other in pairs:
        network.cut(one, other)
        print(f"{one} and {other}: cut")


def slow(ones, delay):
    for one in ones:
        straighten(one)
        network.detour(one)
        hosts.start_delay(one, delay)
        print(f"{one}: {delay} ms later, each way")


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
    host = program("redis-primary")
    if hosts.redis_cli(host, "flushall") != "OK":
        raise Trouble(f"{host} does not answer")
    print(f"{what}: empty at {host}, and so at its replicas")


FAULTS = {
    "kill": (kill, [with_program_or_primary]), "stop": (stop, [with_program_or_primary]), "cont": (cont, [with_stopped_program]),
    "restart": (restart, [with_program_or_primary]), "cut": (cut, [named, named]), "slow": (slow, [named, milliseconds]), "heal": (heal, []),
    "failover": (failover, []), "flush": (flush, [with_memory])}


def fault(words):
    if not words or words[0] not in FAULTS:
        raise WrongWords(f"which fault? {', '.join(FAULTS)}")
    name, *words = words
    action, kinds = FAULTS[name]
    if len(words) != len(kinds):
        raise WrongWords(f"fault {name} takes {len(kinds)} word{'s' if len(kinds) != 1 else ''}, not {len(words)}")
    values = [kind(word) for kind, word in zip(kinds, words)]
    if action is cut:
        values = [different(*values)]
    processes.need_lab()
    action(*values)


def roll():
    """Each node in turn, when the one before is ready and the others say that it is a member."""
    for node in NODES:
        restart(node)
        others = [other for other in NODES if other != node]
        processes.wait_for(f"{node} among its peers", lambda: hosts.has_settled(node) and all(knows(other, node) for other in others), 30)
        print(f"{node}: ready")


def knows(node, other):
    """A node without peers knows nobody, and that is right so."""
    report = hosts.report(node)
    if report is None:
        return False
    cluster = report.get("cluster")
    return cluster is None or any(member["name"] == other for member in cluster["members"])
