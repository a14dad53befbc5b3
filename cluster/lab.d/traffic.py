"""Calls of every kind, and what became of them."""
import time
from contextlib import contextmanager

import hosts
from places import FOLDER, Trouble, only_one
from verdicts import WANTED, Verdict

MOST_RATE, LONGEST = 200, 3600
# Seconds that a call keeps its account busy, on the average, and some room.
BUSY = 20
# The longest that a call takes, and a phone that rings on.
LAST = 200


def accounts_for(rate):
    return rate * BUSY + 20


def traffic(rate, seconds):
    with only_one(FOLDER / "traffic.lock", "there is traffic already: its counts would be mixed up"):
        return offer(rate, seconds)


def offer(rate, seconds):
    set_up(accounts_for(rate))
    with offering(rate) as since:
        follow(seconds)
    return tell(Verdict(since, []))


def set_up(accounts):
    if (found := hosts.set_up_phones(accounts)) < accounts:
        raise Trouble(f"of {accounts} phones only {found} could be set up: {hosts.counts()}")


@contextmanager
def offering(rate):
    """However it ends, no call is offered after it."""
    try:
        yield begin(rate)
    finally:
        end()


def begin(rate):
    """Since when what happens counts."""
    hosts.offer(0)
    hosts.write_stories()
    since = time.time()
    hosts.offer(rate)
    return since


def end():
    """Until every call is over and every phone has heard so."""
    hosts.offer(0)
    until = time.monotonic() + LAST
    while time.monotonic() < until and hosts.counts().get("open", 0):
        time.sleep(1)
    hosts.write_stories()


def follow(seconds):
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 10))
        counts = hosts.counts()
        print(f"{seconds - max(until - time.monotonic(), 0):5.0f} s: {counts.get('calls', 0)} calls, {counts['open']} of them on", flush=True)


def tell(verdict):
    """Whether nothing was lost and nothing came twice. Of faults made by hand it knows nothing: what they cost is lost here."""
    numbers, reasons = verdict.numbers()
    print(f"{'':12}{'offered':>9}{'kept':>9}{'lost':>9}")
    for kind in WANTED:
        calls = [call for call in verdict.calls if call.kind == kind]
        kept = sum(call.isKept for call in calls)
        print(f"{kind:12}{len(calls):9}{kept:9}{len(calls) - kept:9}")
    print(f"{'all':12}{numbers['offered']:9}{numbers['kept']:9}{numbers['offered'] - numbers['kept']:9}")
    print(f"announcements {numbers['announced']}, twice {numbers['twice']}, stops to a device that had acted {numbers['stopped']}, "
          f"calls with two final answers {numbers['finals']}")
    for why, calls in sorted(reasons.items()):
        print(f"{calls:12}  {why.removeprefix('UNEXPLAINED: ')}")
    return has_measured(numbers) and numbers["offered"] == numbers["kept"] and not any(
        numbers[word] for word in ("twice", "stopped", "finals", "winners"))


def has_measured(numbers):
    if not numbers["offered"]:
        print("no call was offered: nothing was measured")
    return numbers["offered"] > 0
