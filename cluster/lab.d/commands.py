"""The commands of `cluster/lab`."""
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import count
import faults
import files
import hosts
import network
import processes
from places import ADDRESS, FOLDER, HOSTS, LOCK, LOGS, NAME, NODES, REDISES, ROOT, SWITCH, Trouble, WrongWords, namespace, only_one
from rows import ROWS
from traffic import LONGEST, MOST_RATE, traffic
from watch import LONGEST_WATCH, picture, watch
from words import no_words, number, take, whole

TOOLS = ["ip", "openssl", "redis-server", "redis-sentinel", "redis-cli", "kamailio", "knotd", "knsupdate", "kdig"]
# As many as the phones' program takes.
MOST_PHONES = 20_000
MOST_MINUTES = 24 * 60
RATE, ACCOUNTS, SEED = (20, 1, MOST_RATE), (count.ACCOUNTS, 1, MOST_PHONES), (1, 0, 999_999_999)


def main(words, usage):
    commands = {"up": up, "down": down, "status": status, "watch": watching, "traffic": calls, "fault": faulty, "roll": rolling,
                "count": counting, "thrash": thrashing}
    if not words or words[0] not in commands:
        print(usage.strip(), file=sys.stderr)
        return 0 if words[:1] in (["help"], ["-h"], ["--help"]) else 64
    end_in_order()
    try:
        return commands[words[0]](words[1:]) or 0
    except WrongWords as error:
        print(f"lab: {error}", file=sys.stderr)
        return 64
    except (Trouble, OSError) as error:
        print(f"lab: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def end_in_order():
    """What has been begun is ended then too, as with SIGINT. A signal that is ignored stays so: nohup means it."""
    for number in [signal.SIGTERM, signal.SIGHUP]:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: sys.exit(128 + number))


def one_at_a_time():
    return only_one(LOCK, f"somebody brings lab '{NAME}' up or down at this moment")


# Up


def up(words):
    options = {"--phones": "60", "--ring": "60", "--state": "auto", "--ringhold": ""}
    while words:
        name, *words = words
        if name not in options or not words:
            raise WrongWords(f"up takes {', '.join(options)}, each with a value")
        options[name], *words = words
    if options["--state"] not in ("auto", "memory", "redis"):
        raise WrongWords(f"--state is auto, memory or redis, not '{options['--state']}'")
    wanted, ring = whole(options["--phones"], "--phones", 0, MOST_PHONES), whole(options["--ring"], "--ring", 5, 3600)
    if os.geteuid() != 0:
        raise Trouble("only root can make hosts")
    missing = [tool for tool in TOOLS if not shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")]
    if missing:
        raise Trouble(f"not there: {' '.join(missing)}; ops/setup lab installs them")
    ringhold, labphones = programs(options["--ringhold"])
    with one_at_a_time():
        if FOLDER.exists() or network.exists(SWITCH):
            raise Trouble("it is up, or something is left of it: cluster/lab down")
        try:
            build(ringhold, labphones, options["--state"], ring)
        except BaseException:
            print("lab: it did not come up; logs are gone with it", file=sys.stderr)
            show_ends()
            clear()
            raise
    number = hosts.set_up_phones(wanted) if wanted else 0
    print(f"up: {len(NODES)} nodes with state {files.facts()['state']}, {number} phones. Try: cluster/lab traffic 5 20, cluster/lab watch")
    return 0 if number == wanted else 1


def programs(path):
    """The server and the phones, both of one build."""
    builds = [Path(path).resolve().parent] if path else [ROOT / ".build/release", ROOT / ".build/debug"]
    for build in builds:
        if (build / "ringhold").exists() and (build / "labphones").exists():
            return build / "ringhold", build / "labphones"
    raise Trouble("ringhold and labphones are not built: swift build -c release --product ringhold, and --product labphones")


def build(ringhold, labphones, wish, ring):
    LOGS.mkdir(parents=True, mode=0o700)
    FOLDER.chmod(0o700)
    files.certificates()
    files.provider()
    files.names()
    files.cluster(str(ringhold))
    files.redis()
    state = wish if wish != "auto" else ("redis" if keeps_state_in_redis(ringhold) else "memory")
    files.remember(ringhold=str(ringhold), labphones=str(labphones), state=state)
    files.phones(isByName=state == "redis")
    network.up()
    processes.open_keeper()
    for host in ["ns", "provider", "phones"]:
        hosts.start(host)
    processes.wait_for("the push service", lambda: (FOLDER / "push-ca.pem").exists() and hosts.counts() is not None, 20)
    processes.wait_for("the provider", lambda: processes.runs("provider") and hosts.bindings() == {}, 20)
    start_redis()
    for node in NODES:
        files.node(node, state, ring)
        hosts.start(node)
    for node in NODES:
        hosts.wait_until_ready(node)
    # Without Redis there is no lease that would say who writes.
    for node in NODES if state == "redis" else NODES[:1]:
        hosts.start_updater(node, state == "redis")
    processes.wait_for("the server's name", lambda: len(hosts.name_is()) == len(NODES), 20)


def keeps_state_in_redis(ringhold):
    """Whether this version can: it says so before it looks at anything else."""
    path = files.node(NODES[0], "redis")
    done = subprocess.run([ringhold, "check", "--config", path], capture_output=True, text=True, timeout=60)
    return "error    state:" not in done.stdout


def start_redis():
    for host in REDISES:
        hosts.start(host)
    processes.wait_for("Redis", lambda: hosts.role(REDISES[0]) == "master", 20)
    for host in REDISES:
        hosts.start_sentinel(host)
    wanted = str(len(REDISES) - 1)
    for what in ["num-slaves", "num-other-sentinels"]:
        processes.wait_for(f"Sentinel's {what}", lambda: all(of_sentinel(host, what) == wanted for host in REDISES), 30)


def of_sentinel(host, what):
    lines = (hosts.redis_cli(host, "sentinel", "master", "ringhold", port=26379) or "").splitlines()
    return lines[lines.index(what) + 1] if what in lines else None


def show_ends():
    """The last lines of what ended by itself: most often the reason."""
    try:
        states = processes.states()
    except Trouble:
        return
    for name, state in states.items():
        if state["state"] == "ended":
            last = (LOGS / f"{name}.log").read_text(errors="replace").splitlines()[-5:]
            print(f"{name} has ended with {state['code']}:\n  " + "\n  ".join(last), file=sys.stderr)


# Down


def clear():
    try:
        processes.ask("end")
    except (Trouble, OSError):
        pass  # No keeper, no processes: they die with it.
    network.down()
    shutil.rmtree(FOLDER, ignore_errors=True)


def down(words):
    no_words(words)
    with one_at_a_time():
        clear()


# While it is up


def status(words):
    no_words(words)
    states = processes.states()
    for host in HOSTS:
        mine = {name: state for name, state in states.items() if name == host or name.endswith("-" + host)}
        if host in REDISES:
            mine |= {name: state for name, state in states.items() if name == f"sentinel-{host[-1]}"}
        said = ", ".join(f"{name} {state['state']}" for name, state in mine.items()) or "-"
        print(f"{host:10}{ADDRESS[host]:14}{namespace(host):18}{said}")
    print("\n" + "\n".join(picture()))


def watching(words):
    no_words(words[1:])
    watch(number(words[0], "SECONDS", LONGEST_WATCH) if words else 3600)


def calls(words):
    if len(words) != 2:
        raise WrongWords("traffic takes RATE (calls/s) and SECONDS")
    rate, seconds = whole(words[0], "RATE", 1, MOST_RATE), number(words[1], "SECONDS", LONGEST)
    processes.need_lab()
    return 0 if traffic(rate, seconds) else 1


def counting(words):
    rows, values = take(words, {"--times": (20, 1, 1000), "--rate": RATE, "--accounts": ACCOUNTS, "--seed": SEED})
    unknown = [row for row in rows if row not in (*ROWS, "all")]
    if not rows or unknown:
        complaint = f"'{unknown[0]}' is no row" if unknown else "count takes a row"
        raise WrongWords(f"{complaint}: {', '.join(ROWS)}, or all")
    processes.need_lab()
    return 0 if count.count(list(ROWS) if "all" in rows else rows, *values) else 1


def thrashing(words):
    words, values = take(words, {"--rate": RATE, "--accounts": ACCOUNTS, "--seed": SEED})
    if len(words) != 1:
        raise WrongWords("thrash takes MINUTES")
    minutes = number(words[0], "MINUTES", MOST_MINUTES)
    processes.need_lab()
    return 0 if count.thrash(minutes, *values) else 1


def faulty(words):
    faults.fault(words)


def rolling(words):
    no_words(words)
    faults.roll()
