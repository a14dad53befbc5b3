"""What the provider saw: which node each message went to, and came from. It writes a line for each."""
import re
from collections import defaultdict

from places import ADDRESS, LOGS, NODES

HOST = {ADDRESS[node]: node for node in NODES}
LINE = re.compile(r"\blab (\w+) (\d+\.\d+) (.*)$")


class Trace:
    """Of one call."""

    def __init__(self):
        self.branches = []  # time, node
        self.replies = []  # time, status, To tag, node: responses to its INVITE
        self.inside = []  # time, method, node: requests of the caller in the dialog
        self.hadNoBinding = False

    def finals(self):
        """Different final responses of the nodes: status and To tag. More than one is one too many, but for the 482 of another branch."""
        finals = {(status, tag) for _, status, tag, _ in self.replies if status >= 200}
        isForked = len({node for _, node in self.branches}) > 1
        return {final for final in finals if final[0] != 482} or finals if isForked else finals

    def goes_on_elsewhere(self):
        """Whether another node has spoken after the one that said the final response first."""
        replies = iter(self.replies)
        first = next((node for _, status, _, node in replies if status >= 200), None)
        return any(node != first for _, _, _, node in replies)

    def who_ended_it(self):
        return next((node for _, status, _, node in self.replies if status >= 200), None)

    def rang(self, before=None):
        return any(status < 200 for when, status, _, _ in self.replies if before is None or when < before)


def read(since):
    """Traces by Call-ID, and each user's bindings as they changed from the beginning: time, node."""
    traces, bindings = defaultdict(Trace), defaultdict(list)
    with open(LOGS / "provider.log", errors="replace") as file:
        for line in file:
            if (found := LINE.search(line)) and (float(found[2]) >= since or found[1] == "binding"):
                take(found[1], float(found[2]), found[3].split(), traces, bindings)
    return traces, bindings


def take(kind, when, words, traces, bindings):
    if kind == "binding":
        bindings[words[0]].append((when, HOST.get(words[1])))
    elif kind == "branch":
        traces[words[0]].branches.append((when, HOST.get(words[1])))
    elif kind == "inside":
        traces[words[0]].inside.append((when, words[1], HOST.get(words[2])))
    elif kind == "nobody":
        traces[words[0]].hadNoBinding = True
    elif kind == "reply" and words[3] in HOST:
        traces[words[0]].replies.append((when, int(words[1]), words[2], HOST[words[3]]))


def deafness(bindings, outages):
    """The longest that an account's binding led to a node that was out of reach."""
    longest = 0.0
    for outage in outages:
        for moves in bindings.values():
            before = [node for when, node in moves if when < outage.start]
            if not outage.what or not before or before[-1] != outage.host:
                continue
            after = [when for when, _ in moves if when >= outage.start]
            longest = max(longest, (after[0] if after else outage.end) - outage.start)
    return longest
