"""What happens, as it happens."""
import shutil
import sys
import time

import hosts
import network
import processes
from places import ADDRESS, NODES, REDISES

LONGEST_WATCH = 24 * 3600


def watch(seconds):
    until = time.monotonic() + seconds
    isTerminal = sys.stdout.isatty()
    while True:
        lines = picture()
        if isTerminal:
            height = shutil.get_terminal_size().lines
            print("\033[H\033[2J" + "\n".join(lines[:height - 1]), flush=True)
        else:
            print("\n".join(lines) + "\n", flush=True)
        if time.monotonic() + 1 > until:
            return
        time.sleep(1)


def picture():
    states = processes.states()
    reports = {node: hosts.report(node) if state(states, node) == "runs" else None for node in NODES}
    lines = [time.strftime("%H:%M:%S") + f"   plus.lab.test is {' '.join(hosts.name_is()) or 'nobody'}", ""]
    lines += node_lines(states, reports)
    lines += cluster_lines(reports)
    lines += redis_lines(states)
    lines += ["", phone_line(), fault_line(states)]
    return lines


def state(states, name):
    return states.get(name, {}).get("state", "none")


def node_lines(states, reports):
    lines = [f"{'node':10}{'process':10}{'ready':8}{'accounts':>9}{'registered':>12}{'ringing':>9}{'answered':>10}{'calls/s':>9}{'pushes/s':>10}"]
    for node, report in reports.items():
        line = f"{node:10}{state(states, node):10}"
        if report is None:
            lines.append(line + "no answer")
            continue
        registered = next((one["accounts"] for one in report["registrations"] if one["state"] == "registered"), 0)
        line += f"{'yes' if report['ready'] else 'no':8}{report['accounts']:9}{registered:12}{report['held_calls']:9}{report['answered_calls']:10}"
        lines.append(line + f"{per_second(report, 'calls held'):9.1f}{per_second(report, 'pushes'):10.1f}")
    return lines


def per_second(report, name):
    """Over the last ten seconds."""
    counts = next((rate["counts"] for rate in report["rates"] if rate["name"] == name), [])[-5:]
    return sum(counts) / (len(counts) * report["interval_s"]) if counts else 0.0


def cluster_lines(reports):
    """How each node sees the cluster: where they differ, that is the news."""
    lines = []
    for node, report in reports.items():
        cluster = report and report.get("cluster")
        if not cluster:
            continue
        members = ", ".join(f"{one['name']}·{one['incarnation']} {one['lease_ms']} ms {one['accounts']} acc" for one in cluster["members"])
        taken = cluster["takeovers"]
        lines.append(f"{node} {'PASSIVE ' if cluster['passive'] else ''}sees {members}; nobody's {cluster['unowned']}; "
                     f"took over {taken['accounts']} accounts, {taken['calls']} calls; Redis {cluster['redis'].get('primary') or '?'}"
                     f"{'' if cluster['redis']['connected'] else ' NOT CONNECTED'}")
    return ["", *lines] if lines else ["", "no cluster: each node keeps its state to itself"]


def redis_lines(states):
    if not any(name in states for name in REDISES):
        return []
    primary = hosts.primary()
    lines = ["", f"{'redis':10}{'process':10}{'sentinel':10}{'role':10}{'keys':>8}"]
    for host in REDISES:
        there = state(states, host) == "runs"
        keys = (hosts.redis_cli(host, "dbsize") or "?").split()[-1] if there else ""
        mark = "  primary for Sentinel" if host == primary else ""
        lines.append(f"{host:10}{state(states, host):10}{state(states, f'sentinel-{host[-1]}'):10}{hosts.role(host) if there else '':10}{keys:>8}{mark}")
    return lines


def phone_line():
    try:
        counts = hosts.counts()
    except (OSError, ValueError):
        return "phones: no answer"
    words = ["phones", "announcements", "doubles", "stops", "answers", "declines", "ended_hung-up"]
    failed = sum(count for word, count in counts.items() if word.startswith("failed"))
    return "phones: " + ", ".join(f"{word} {counts.get(word, 0)}" for word in words) + f", failed wishes {failed}"


def fault_line(states):
    faults = [f"{one} | {other}" for one, other in network.cuts()]
    faults += [f"{name[5:]} slow" for name in states if name.startswith("slow-") and state(states, name) == "runs"]
    faults += [f"{name} {state(states, name)}" for name in states if name in ADDRESS and state(states, name) != "runs"]
    return "faults: " + (", ".join(faults) or "none")
