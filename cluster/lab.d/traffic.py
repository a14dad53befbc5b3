"""Calls of every kind at once, by sipp, and what became of them."""
import csv
import math
import secrets
import time

import hosts
import processes
from places import ADDRESS, FOLDER, LOGS, PARTS, PROVIDER, Trouble, only_one

# Kind: share of the calls; scenario; milliseconds that the caller waits in it; seconds that the account is busy with it.
KINDS = {
    "hungup": (0.30, "answered", 0, 9),      # answered; the phone hangs up
    "answered": (0.20, "answered", 5000, 10),  # answered; the caller hangs up
    "declined": (0.20, "declined", 0, 6),
    "cancelled": (0.15, "cancelled", 3000, 7),
    "ringing": (0.15, "cancelled", 15000, 19),  # nobody acts for a long time
}
MOST_RATE, LONGEST = 200, 3600
# After the last call was begun: the longest that one of them can take, and a bit.
AFTER = 150


class Flow:
    """The calls of one kind."""

    def __init__(self, kind, rate, seconds, users, run):
        share, self.scenario, self.pause, _ = KINDS[kind]
        self.kind, self.name = kind, f"calls-{run}-{kind}"
        self.period = 10_000
        self.each = max(round(rate * share * self.period / 1000), 1)
        self.count = max(round(rate * share * seconds), 1)
        self.statistics = LOGS / f"{self.name}.csv"
        self.users = FOLDER / f"{self.name}.users"
        self.users.write_text("SEQUENTIAL\n" + "".join(f"phone{user};{kind} {run}\n" for user in users))

    def start(self, port, seconds):
        processes.start(
            self.name, "/usr/bin/sipp", f"{ADDRESS['provider']}:5060", "-sf", PARTS / f"calls/{self.scenario}.xml", "-inf", self.users,
            "-i", ADDRESS["callers"], "-p", port, "-t", "u1", "-r", self.each, "-rp", self.period, "-m", self.count, "-l", 5000,
            "-d", self.pause, "-key", "domain", PROVIDER, "-aa", "-nostdin", "-trace_stat", "-stf", self.statistics, "-fd", 2,
            "-trace_err", "-error_file", LOGS / f"{self.name}.errors", "-timeout", seconds + AFTER, "-timeout_error", host="callers")

    def outcome(self):
        """Offered and kept."""
        try:
            rows = list(csv.DictReader(self.statistics.open(), delimiter=";"))
        except OSError:
            rows = []
        if not rows:
            return 0, 0
        return int(rows[-1]["TotalCallCreated"]), int(rows[-1]["SuccessfulCall(C)"])


def needed(rate, kind):
    share, _, _, busy = KINDS[kind]
    return max(math.ceil(rate * share * busy * 1.25), 4)


def traffic(rate, seconds):
    with only_one(FOLDER / "traffic.lock", "there is traffic already: its counts would be mixed up"):
        return offer(rate, seconds)


def offer(rate, seconds):
    if not 0 < rate <= MOST_RATE or not 0 < seconds <= LONGEST:
        raise Trouble(f"RATE is at most {MOST_RATE} calls/s, SECONDS at most {LONGEST}")
    wanted = sum(needed(rate, kind) for kind in KINDS)
    if (found := hosts.set_up_phones(wanted)) < wanted:
        raise Trouble(f"of {wanted} phones only {found} could be set up: {hosts.counts()}")
    run, users, flows = secrets.token_hex(2), iter(range(wanted)), []
    for kind in KINDS:
        flows.append(Flow(kind, rate, seconds, [next(users) for _ in range(needed(rate, kind))], run))
    before = hosts.counts()
    for place, flow in enumerate(flows):
        flow.start(6000 + place * 10, seconds)
    try:
        follow(flows, seconds)
    finally:
        for flow in flows:
            processes.end(flow.name, patience=5)
    settle()
    return tell(flows, before, hosts.counts())


def follow(flows, seconds):
    start = time.monotonic()
    shown = start
    while any(processes.runs(flow.name) for flow in flows):
        if time.monotonic() - start > seconds + AFTER + 10:
            break
        time.sleep(0.5)
        if time.monotonic() - shown >= 10:
            shown = time.monotonic()
            offered, kept = map(sum, zip(*(flow.outcome() for flow in flows)))
            print(f"{shown - start:5.0f} s: offered {offered}, over and kept {kept}", flush=True)


def settle():
    """Until the phones have had no news for two seconds, at most half a minute."""
    last, since, until = None, time.monotonic(), time.monotonic() + 30
    while time.monotonic() < until and time.monotonic() - since < 2:
        now = hosts.counts()
        if now != last:
            last, since = now, time.monotonic()
        time.sleep(0.3)


def tell(flows, before, after):
    """Whether nothing was lost and nothing came twice."""
    grown = {word: after[word] - before.get(word, 0) for word in after if not word.startswith("worst")}
    print(f"{'':12}{'offered':>9}{'kept':>9}{'lost':>9}")
    totals = [0, 0]
    for flow in flows:
        offered, kept = flow.outcome()
        totals = [totals[0] + offered, totals[1] + kept]
        print(f"{flow.kind:12}{offered:9}{kept:9}{offered - kept:9}")
        if offered < flow.count:
            print(f"{'':12}{flow.count - offered} were never offered")
    offered, kept = totals
    print(f"{'all':12}{offered:9}{kept:9}{offered - kept:9}")
    announced, doubles, late = (grown.get(word, 0) for word in ["announcements", "doubles", "stops_after_act"])
    print(f"announcements {announced}, doubles {doubles}, stops {grown.get('stops', 0)}, to a device that had acted {late}")
    rest = {word: grown[word] for word in sorted(grown) if grown[word] and word not in ("announcements", "doubles", "stops", "stops_after_act")}
    print("phones: " + ", ".join(f"{word} {count}" for word, count in rest.items()))
    print(f"what sipp did not expect: {LOGS}/calls-*.errors" if kept < offered else "every call went as it should")
    return kept == offered and doubles == 0 and late == 0 and announced >= offered


