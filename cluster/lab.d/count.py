"""Faults under traffic, counted."""
import json
import random
import shutil
import time

from places import FOLDER, LOGS, only_one
from rows import DEEP, ROWS, Fault, Whole, mend
from traffic import has_measured, offering, set_up
from verdicts import Verdict

ACCOUNTS = 480
# Between two faults, at least: what has moved may begin to move back.
PAUSE = 9
COLUMNS = ["faults", "offered", "kept", "physics", "LOST", "announced", "twice", "stopped", "finals", "winners", "misbound", "deaf"]
MUST_BE_ZERO = ["LOST", "twice", "stopped", "finals", "winners", "misbound"]


def count(rows, times, rate, accounts, seed):
    """Whether nothing was lost and nothing came twice in any of the rows."""
    with only_one(FOLDER / "traffic.lock", "there is traffic already: its counts would be mixed up"):
        return all([run(row, lambda whole: one_by_one(row, times, whole, seed), rate, accounts) for row in rows])


def thrash(minutes, rate, accounts, seed):
    with only_one(FOLDER / "traffic.lock", "there is traffic already: its counts would be mixed up"):
        return run(f"thrash {seed}", lambda whole: many(minutes * 60, whole, seed), rate, accounts)


def run(name, inject, rate, accounts):
    set_up(accounts)
    Whole(accounts).wait()
    whole = Whole(accounts)
    with offering(rate) as since:
        time.sleep(5)
        faults = inject(whole)
        whole.wait()
        time.sleep(5)
    whole.misbound |= whole.look()
    return tell(name, Verdict(since, faults), whole.misbound)


def one_by_one(row, times, whole, seed):
    faults, draw = [], random.Random(f"{row} {seed}")
    for number in range(times):
        start = time.monotonic()
        faults.append(strike(row, number, draw))
        whole.wait()
        passed = time.monotonic() - start
        print(f"{row} {number + 1} of {times}: whole after {passed:.1f} s", flush=True)
        time.sleep(max(PAUSE - passed, 1))
    return faults


def many(seconds, whole, seed):
    """Everything in any order, healed and at once broken again. What needs the nodes' memory waits for it."""
    faults, draw, until = [], random.Random(seed), time.monotonic() + seconds
    while time.monotonic() < until:
        row = draw.choice(list(ROWS))
        if row in DEEP:
            whole.wait()
        faults.append(strike(row, draw.randrange(6), draw))
        print(f"{until - time.monotonic():5.0f} s to go: {row}", flush=True)
        time.sleep(draw.uniform(0, 3))
    return faults


def strike(row, number, draw):
    fault = Fault(number, draw)
    try:
        ROWS[row](fault)
    except BaseException:
        mend()
        raise
    return fault


def tell(name, verdict, misbound):
    numbers, reasons = verdict.numbers()
    numbers["misbound"] = len(misbound)
    heads = "".join(f"{column:>10}" for column in COLUMNS)
    line = "".join(f"{numbers[column]:>10.1f}" if column == "deaf" else f"{numbers[column]:>10}" for column in COLUMNS)
    print(f"{'':12}{heads}\n{name:12}{line}")
    for why, calls in sorted(reasons.items()):
        print(f"{'':12}{calls:10}  {why}")
    shutil.copy(FOLDER / "calls.jsonl", LOGS / f"calls-{name.split()[0]}.jsonl")
    (LOGS / f"outages-{name.split()[0]}.json").write_text(json.dumps([vars(one) for one in verdict.outages]))
    if misbound:
        print(f"{'':12}without their one binding: {' '.join(sorted(misbound)[:20])}")
    if bad := verdict.bad():
        print(f"{'':12}{len(bad)} calls to look at: {write(name.split()[0], bad)}")
    return has_measured(numbers) and not any(numbers[column] for column in MUST_BE_ZERO)


def write(name, calls):
    path = LOGS / f"bad-{name}.jsonl"
    with open(path, "w") as file:
        for call in calls:
            before = call.before and call.before.story
            parts = vars(call) | {"trace": vars(call.trace), "outages": [vars(one) for one in call.outages], "before": before}
            file.write(json.dumps(parts) + "\n")
    return path
