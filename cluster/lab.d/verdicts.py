"""What became of each call, and whether what was lost could have been kept."""
import json
from collections import Counter

from evidence import Trace, deafness, read
from places import FOLDER, REDISES

WANTED = {"hungup": 200, "answered": 200, "long": 200, "declined": 603, "cancelled": 487, "patient": 487, "ringing": 480}
# A node that dies so soon after an INVITE was sent to it may not have seen it, or had no time to write it down.
CAUGHT = 0.25
# Between the order to die and the end of the process.
DYING = 0.1
# What is not answered over UDP the provider sends again: so long after the first time. Half a second before it gives up is too late.
AGAIN = (0, 0.5, 1.5, 3.5)
# A process that has just begun has no lease yet: what comes in a datagram is dropped, to be sent again.
BEGINNING = 0.3
# Who is back in Redis, which takes up to a second, waits until the others have said what they had; a question that was open then has taken another one.
SETTLING = 4
# Who finds Redis again has to write down what happened meanwhile.
FINDING = 1.5
DEAD = ("dead", "all gone")
# Others take over what it had.
GONE = (*DEAD, "stopped", "cut off")
# Before the caller hears that the provider has given up, that has told the node so.
GIVING_UP = 0.1
# Who had lost its lease waits for that as well, and for what others had to say.
STANDING_UP = 8
# For so long after Redis was away nothing of a call that is over is said where a node has not spoken since.
UNHEARD = 21
# Who finds Redis again while others are gone waits for them for so long.
LONGEST_SETTLING = 12.5
# Redis away for longer, with what has to be settled then, is longer than a phone asks again.
PATIENCE = 20
# How long a phone may ring after its call is over: an adopted call is bounded to so much, and a bit.
BOUND = 62
# A phone whose node is out of reach takes its connection for lost after 8 s, and may try that node once more.
NOTICING = 10


class Call:
    """One call with all that is known of it."""

    def __init__(self, story, trace, moves, outages, before):
        self.story, self.trace, self.moves, self.outages, self.before = story, trace, moves, outages, before
        self.devices = list(story["devices"].values())
        self.status = (story.get("final") or {}).get("status")
        self.kind = story["kind"]
        self.over = story.get("over") or 0
        self.isKept, self.why = self.judge()
        # Until when it may ring on though it is over: itself, or one before it.
        self.haunts = max(self.rings_on(), before.haunts if before else 0)

    # Kept

    def judge(self):
        fault = self.fault_in_it()
        return (True, None) if fault is None else (False, self.reason() or f"UNEXPLAINED: {fault}")

    def fault_in_it(self):
        """None where everything went as this kind of call goes."""
        if self.status != WANTED[self.kind]:
            return f"{self.kind}: {self.status} for {WANTED[self.kind]}"
        if self.status == 200:
            return self.fault_in_talk()
        if any(not device["announced"] for device in self.devices) or not self.devices:
            return f"{self.kind}: not announced" if self.kind not in ("cancelled",) else None
        if self.kind != "declined" and (late := self.longest_ringing_on()) > 2:
            return f"{self.kind}: a phone rang {'for ever' if late > 1e6 else f'{late:.0f} s'} after the end"
        return None

    def fault_in_talk(self):
        talking = [device for device in self.devices if device.get("answered")]
        bye = self.story.get("bye")
        if not talking:
            return f"{self.kind}: answered, but no phone knows it ({self.problems()})"
        if bye is None or bye["isByCaller"] == (self.kind == "hungup"):
            return f"{self.kind}: hung up by the wrong side ({self.problems()})"
        if not any(device.get("ended") for device in talking):
            return f"{self.kind}: the phone was not told of the end ({self.problems()})"
        # Whoever hangs up knows of the end before the BYE, which a node that is stopped in that moment leaves to the next home.
        if any(device.get("ended", 1e12) < bye["at"] - 1 and not device.get("hungUp") for device in talking):
            return f"{self.kind}: the phone was told of an end before there was one ({self.problems()})"
        return None

    def problems(self):
        return ", ".join(problem for device in self.devices for problem in device["problems"]) or "no problem of a phone"

    def longest_ringing_on(self):
        ends = [max(device["stopped"]) if device["stopped"] else 1e9 for device in self.devices if device["announced"]]
        return max(ends, default=self.over) - self.over

    # Why not

    def reason(self):
        """The named class of what physics does not allow to keep; None where Ringhold could have kept it."""
        return next((name for name, rule in REASONS.items() if rule(self)), None)

    def out(self, node, when, before=0.0):
        """Whether the node was out of reach then, or `before` so many seconds later."""
        return any(one.what and one.host == node and one.start - before <= when <= one.end for one in self.outages)

    def has_died(self, node, after, until):
        """And with it the connections that it had."""
        return self.has_gone(node, after, until, DEAD)

    def has_gone(self, node, after, until, ways):
        return any(one.what in ways and one.host == node and after - DYING <= one.start <= until for one in self.outages)

    def was_in_vain(self, node, when, before=0.0):
        """Whether nothing that was sent to the node then reached it: over UDP, also what was sent again before the call was over."""
        until = self.story.get("over") or 1e12
        pauses = [pause for pause in AGAIN if when + pause < until] if self.story["transport"] == "udp" else [0]
        return all(self.out(node, when + pause, before) or self.has_just_begun(node, when + pause) for pause in pauses)

    def has_just_begun(self, node, when):
        """Over a connection that it has taken nothing is dropped."""
        return self.story["transport"] == "udp" and any(
            one.what in DEAD and one.host == node and one.end < when <= one.end + BEGINNING for one in self.outages)

    def has_no_connection(self, node, when):
        """The binding in force then goes over a connection that ended with the node; it has not registered anew since."""
        made = [bound for bound, _ in self.moves if bound <= when]
        return self.story["transport"] != "udp" and bool(made) and self.has_died(node, made[-1], when)

    def was_unreached(self):
        """Every INVITE went to a node that was out of reach while the binding still led there, or over a connection that had died with
        it; nothing came back before the provider gave up by its own timer. What the caller got, the provider said by itself."""
        sent, over = self.trace.branches, self.story.get("over") or 1e12
        return bool(sent) and not any(when < over - GIVING_UP for when, *_ in self.trace.replies) and all(
            self.was_in_vain(node, when, CAUGHT) or self.has_no_connection(node, when) for when, node in sent)

    def was_caught(self):
        """The node died, or was stopped, in the moment in which it took the INVITE: before the caller heard it ring and any phone was told. Whoever adopts
        such a call cannot know whether a push was sent, and sends none: nothing may come twice."""
        return not self.trace.rang(self.story.get("cancelled")) and not any(device["announced"] for device in self.devices) and self.lost_its_node_at_once()

    def lost_its_node_at_once(self):
        """Or as it took up what had waited for Redis."""
        if len(self.trace.branches) != 1:
            return False
        sent, node = self.trace.branches[0]
        taken = [(sent - DYING, sent + CAUGHT)] + [
            (one.end, one.end + SETTLING) for one in self.outages if self.is_of_redis(one) and one.start <= sent <= one.end + SETTLING]
        return any(one.what and one.host == node and since <= one.start <= until for one in self.outages for since, until in taken)

    def was_in_everything(self):
        """It was alive when all nodes and Redis died, or began before its account had been set up and registered again."""
        began, until = self.story["offered"], self.heard_by()
        gone = [one for one in self.outages if one.what == "all gone"]
        return any(one.start <= until and not any(self.last_died(one, gone) < bound <= began for bound, _ in self.moves) for one in gone)

    def heard_by(self):
        """When its phones had heard of its end, at the latest."""
        end, over = (self.story.get("bye") or {}).get("at"), self.story.get("over") or 1e12
        if not end:
            return over
        noticed = [end + NOTICING for _, node in self.trace.branches if self.out(node, end)]
        heard = [one.end + UNHEARD for one in self.outages if self.is_of_redis(one) and one.start <= end <= one.end + UNHEARD]
        return max([over, *noticed, *heard])

    def last_died(self, one, gone):
        """They die one after the other, and who lives a moment longer takes over."""
        return max(other.start for other in gone if other.start <= one.end and one.start <= other.end) + DYING

    def was_refused_without_redis(self):
        """Who may have a call is decided in Redis: while it answers nobody, a node says 503 to a new one, or its caller gives up."""
        if self.has_left_unheard():
            return True
        refused = [(when, node) for when, status, _, node in self.trace.replies if status == 503]
        return self.status in (503, 500) and bool(refused) and any(
            self.is_of_redis(one, refused[0][1]) and one.start <= refused[0][0] <= one.end + SETTLING for one in self.outages)

    def has_left_unheard(self):
        left = self.story.get("cancelled")
        return self.status == 487 and not any(device["announced"] for device in self.devices) and any(
            one.host.startswith("redis") and one.start <= left and self.story["offered"] <= one.end and left <= one.end + LONGEST_SETTLING
            for one in self.outages)

    def is_of_redis(self, outage, node=None):
        """Whether the node was without Redis then; where none is named, the one that has the call."""
        node = node or (self.trace.branches[-1][1] if self.trace.branches else None)
        return outage.host in (*REDISES, f"redis of {node}")

    def was_asked_twice(self):
        """With everything that died the knowledge of an earlier binding was lost, which the registrar keeps until it runs out: the provider
        asks at both, hears of each what is right, and tells its caller the lower one."""
        heard = {status for _, status, *_ in self.trace.replies}
        return self.status == 482 and WANTED[self.kind] in heard and len({node for _, node in self.trace.branches}) > 1 and any(
            one.what == "all gone" and one.start <= self.story["offered"] for one in self.outages)

    def was_over_before_the_phone_heard(self):
        """The node that the phone had asked was out of reach from the answer to the end of the call: asked again elsewhere, it hears of that."""
        answered, over = (self.story.get("final") or {}).get("at"), (self.story.get("bye") or {}).get("at") or self.story.get("over") or 1e12
        hasHeard = any(device["problems"] == ["answer call-ended"] for device in self.devices)
        return self.status == 200 and hasHeard and any(
            one.what and one.host.startswith("node") and one.start <= answered + CAUGHT and over <= one.end for one in self.outages)

    def was_silenced_by_the_call_before(self):
        """The provider had given that one up, for its node was stopped; when that goes on it rings until the provider says so. A stop names
        no call (phone-contract.md): its phones take it for the end of the one that rings by then."""
        stopped = [device["stopped"][0] for device in self.devices if device["stopped"]]
        return self.status == 480 and self.before is not None and self.before.why == "INVITE to a node out of reach" and any(
            self.story["offered"] <= when <= self.story["offered"] + 1 for when in stopped)

    def died_unheard(self, when, node=None):
        """Redis was away then, and the node died with what it knew since, or was stopped or cut off, before Redis was back and could hear it."""
        node = node or (self.trace.branches[-1][1] if self.trace.branches else None)
        return any(self.out(node, when) or self.has_gone(node, when, until, GONE) for until in self.unheard_until(when))

    def unheard_until(self, when):
        """What the node could not write down then it writes down when Redis is back: of each outage."""
        return [one.end + FINDING for one in self.outages if self.is_of_redis(one) and one.start - SETTLING <= when <= one.end + FINDING]

    def was_known_to_the_dead(self):
        """What a node cannot write down dies with it: that there is such a call, or that its caller has left."""
        cancelled = self.story.get("cancelled")
        if self.status in (None, 480) and cancelled:
            return self.died_unheard(cancelled) and self.longest_ringing_on() < BOUND
        return self.status in (408, 487) and not self.trace.replies and self.died_unheard(self.story["offered"])

    def explains_finals(self):
        """The home says the final response without Redis where that is away for longer, once nobody else can have the call; the next home
        cannot know of it where the first one dies then."""
        final = (self.story.get("final") or {}).get("at")
        return final is not None and self.died_unheard(final, self.trace.who_ended_it())

    def was_ended_unheard(self):
        return self.trace.goes_on_elsewhere() and self.explains_finals()

    def rings_on(self):
        if self.why in HAUNTING or self.was_unreached() or self.was_ended_unheard():
            return (self.over or self.story["offered"]) + BOUND
        # That it is over is not in Redis yet.
        return max(self.unheard_until(self.over), default=0)

    def was_busy_with_one_that_is_over(self):
        """That one's caller had left, which died with a node: it rings on for up to a minute, and an account has one ringing call. Or that it
        is over could not be written down yet."""
        return self.status == 486 and self.before is not None and self.story["offered"] < self.before.haunts

    def was_silenced_late(self):
        """Its node was without Redis, and could not write down that a phone had heard of it: none is silenced before that."""
        left, late = self.story.get("cancelled"), self.longest_ringing_on()
        return self.status == 487 and bool(left) and late < STANDING_UP and any(
            self.is_of_redis(one) and one.start <= self.over + late and left <= one.end for one in self.outages)

    def could_not_be_hung_up(self):
        """Its phone was at a node that asked Redis in vain which one has the call, until the phone gave up."""
        answered, over = (self.story.get("final") or {}).get("at"), self.story.get("over") or 1e12
        hasFailed = any(problem in ("hang_up transport", "hang_up unavailable") for device in self.devices for problem in device["problems"])
        return self.kind == "hungup" and self.status == 200 and hasFailed and any(
            one.host in REDISES and answered <= one.end and one.start <= over and one.end - one.start >= PATIENCE for one in self.outages)

    def was_cancelled_in_vain(self):
        """The CANCEL has to go where the INVITE went (RFC 3261 §9.1): to the address of a node that was out of reach, or, over TCP and
        TLS, into a connection that had died with it. The caller is done, also where it hears nothing; the adopted call ends by its bound."""
        cancelled, sent = self.story.get("cancelled"), self.trace.branches
        if not cancelled or not sent or self.status not in (None, 480, 487, 408) or self.longest_ringing_on() >= BOUND:
            return False
        when, node = sent[-1]
        return self.was_in_vain(node, cancelled) or self.story["transport"] != "udp" and self.has_died(node, when, cancelled)


# In this order: the first one that is true.
REASONS = {
    "everything was gone": Call.was_in_everything,
    "INVITE to a node out of reach": Call.was_unreached,
    "node died while it took the INVITE": Call.was_caught,
    "refused while Redis was away": Call.was_refused_without_redis,
    "CANCEL to a node out of reach": Call.was_cancelled_in_vain,
    "a binding of before everything was gone": Call.was_asked_twice,
    "its phone waited for a node out of reach": Call.was_over_before_the_phone_heard,
    "its phone could not hang up without Redis": Call.could_not_be_hung_up,
    "silenced late without Redis": Call.was_silenced_late,
    "a stop for the call before met it": Call.was_silenced_by_the_call_before,
    "its node went while Redis was away": Call.was_known_to_the_dead,
    "busy with a call that was over": Call.was_busy_with_one_that_is_over,
}
# The next home lets them ring on, for a bounded time.
HAUNTING = ["INVITE to a node out of reach", "CANCEL to a node out of reach", "its node went while Redis was away",
            "node died while it took the INVITE"]
# The call went as it should for its caller; only the phone heard of its end late.
LATE = ["CANCEL to a node out of reach"]
# Their phones get a stop that they do not expect.
STRAYING = ["a stop for the call before met it"]


class Verdict:
    def __init__(self, since, faults):
        self.faults = faults
        self.outages = [outage for fault in faults for outage in fault.outages]
        traces, self.bindings = read(since)
        with open(FOLDER / "calls.jsonl") as file:
            told = [json.loads(line) for line in file]
        stories = [story for story in told if "call" in story]
        self.calls, last = [], {}
        for story in sorted(stories, key=lambda story: story["offered"]):
            user, trace = story["user"], traces.get(story["callID"], Trace())
            last[user] = Call(story, trace, self.bindings.get(f"phone{user}", []), self.outages, last.get(user))
            self.calls.append(last[user])
        self.strays = [stray for stray in told if "strayAt" in stray and not self.explains_stray(stray)]

    def explains_stray(self, stray):
        """A stop to a phone that has acted in its own call may be for one whose node died while it was about to announce it: whoever
        adopts that call cannot know whether the phone has heard of it, and tells it of the end. Nor whether the home before, which ended it
        without Redis, has told it."""
        return any(call.story["user"] == stray["user"] and (
            call.why in STRAYING and abs(call.over - stray["strayAt"]) < 2
            or (call.lost_its_node_at_once() or call.was_ended_unheard()) and call.over - 2 < stray["strayAt"] < call.over + BOUND) for call in self.calls)

    def devices(self):
        return (device for call in self.calls for device in call.devices)

    def numbers(self):
        reasons = Counter(call.why for call in self.calls if not call.isKept)
        unexplained = sum(count for why, count in reasons.items() if why.startswith("UNEXPLAINED"))
        late = sum(reasons[why] for why in LATE)
        acted = [device for device in self.devices() if device.get("answered") or device.get("declined")]
        return {
            "faults": len(self.faults), "offered": len(self.calls), "kept": sum(call.isKept for call in self.calls) + late,
            "physics": reasons.total() - unexplained - late, "LOST": unexplained,
            "announced": sum(len(device["announced"]) for device in self.devices()),
            "twice": sum(max(len(device["announced"]) - 1, 0) + max(len(device["stopped"]) - 1, 0) for device in self.devices()),
            "stopped": sum(bool(device["stopped"]) for device in acted) + len(self.strays),
            "finals": sum(len(call.trace.finals()) > 1 and not call.explains_finals() for call in self.calls),
            "winners": sum(sum(bool(device.get("answered")) for device in call.devices) > 1 for call in self.calls),
            "deaf": deafness(self.bindings, self.outages),
        }, reasons

    def bad(self):
        """The calls that have to be looked at, those whose phones had a stop that nothing explains among them."""
        users = {stray["user"] for stray in self.strays}
        return [call for call in self.calls if not call.isKept and call.why.startswith("UNEXPLAINED")
                or call.story["user"] in users or len(call.trace.finals()) > 1 or any(
                    len(device["announced"]) > 1 or len(device["stopped"]) > 1
                    or device["stopped"] and (device.get("answered") or device.get("declined")) for device in call.devices)]
