"""What runs on each host, and how to ask it."""
import http.client
import json
import os
import re
import subprocess

import files
import processes
from network import connect, run
from places import ADDRESS, ADMIN_PORT, CLUSTER, CONTROL_PORT, FOLDER, NODES, PARTS, PRIMARY, REDISES, SWITCH, Trouble, namespace


def start(host):
    if host in NODES:
        processes.start(host, files.facts()["ringhold"], "serve", "--config", FOLDER / f"{host}.yaml", host=host)
    elif host in REDISES:
        processes.start(host, CLUSTER / "redis/start", FOLDER / f"{host}.conf", FOLDER / host, ADDRESS[REDISES[0]],
                        *(ADDRESS[other] for other in REDISES), host=host)
    elif host == "provider":
        processes.start(host, "/usr/sbin/kamailio", "-f", FOLDER / "kamailio.cfg", "-DD", "-E", "-m", "256", "-M", "16", host=host)
    elif host == "ns":
        processes.start(host, "/usr/sbin/knotd", "-c", FOLDER / "knot.conf", host=host)
    elif host == "phones":
        processes.start(host, files.facts()["labphones"], FOLDER / "phones.json", host=host)
    else:
        raise Trouble(f"{host}: its processes come with the traffic")


def start_sentinel(host):
    processes.start(f"sentinel-{host[-1]}", "/usr/bin/redis-sentinel", FOLDER / host / "sentinel.conf", host=host)


def start_updater(host, hasRedis):
    config = files.updater(host, hasRedis)
    processes.start(f"dns-{host}", CLUSTER / "dns/updater", config, host=host)


# Nodes


def get(host, address, port, path, method="GET", timeout=2.0, body=None):
    """Status and body, asked as somebody on the same host would ask."""
    link = http.client.HTTPConnection(address, port, timeout=timeout)
    try:
        link.sock = connect(host, address, port, min(timeout, 1.0))
        link.sock.settimeout(timeout)
        link.request(method, path, body)
        answer = link.getresponse()
        return answer.status, answer.read(1 << 24)
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise OSError(f"{host} does not answer at {address}:{port}: {error}") from error
    finally:
        link.close()


def has_settled(node):
    """It knows of all its calls that they are its own; a node without peers always does."""
    found = report(node)
    return found is not None and not (found.get("cluster") or {}).get("settling")


def is_ready(node):
    return get(node, ADDRESS[node], ADMIN_PORT, "/readyz")[0] == 200


def report(node):
    """What the node says of itself; None where it says nothing."""
    try:
        status, body = get(node, ADDRESS[node], ADMIN_PORT, "/status.json", timeout=1.0)
        return json.loads(body) if status == 200 else None
    except (OSError, ValueError):
        return None


def wait_until_ready(node, seconds=40):
    def is_there():
        if not processes.runs(node):
            raise Trouble(f"{node} has ended; see {FOLDER}/logs/{node}.log")
        return is_ready(node)
    processes.wait_for(f"{node} ready", is_there, seconds)


# Phones


def ask_phones(path, method="POST", timeout=2.0):
    status, body = get("phones", ADDRESS["phones"], CONTROL_PORT, path, method, timeout)
    if status != 200:
        raise Trouble(f"the phones refuse {path} with {status}")
    return body


def counts():
    return json.loads(ask_phones("/counts", "GET"))


def set_up_phones(number):
    """How many there are then."""
    return json.loads(ask_phones(f"/setup?{number}", timeout=60 + number / 5)).get("phones", 0)


def offer(rate):
    """So many calls each second from now on."""
    ask_phones(f"/offer?{rate}")


def write_stories():
    """What happened in each call since the last time, into `calls.jsonl`."""
    ask_phones("/stories", timeout=20)


def bindings():
    """Each user's contacts at the provider."""
    question = json.dumps({"jsonrpc": "2.0", "method": "ul.dump", "id": 1})
    _, body = get("provider", ADDRESS["provider"], 5060, "/", "POST", body=question)
    infos = [entry["Info"] for domain in json.loads(body)["result"]["Domains"] for entry in domain["Domain"]["AoRs"]]
    return {info["AoR"]: [entry["Contact"]["Address"] for entry in info["Contacts"]] for info in infos}


# Redis


def redis_cli(host, *words, port=6379):
    """Standard output; None where nothing answers."""
    environment = dict(os.environ)
    if port == 6379:
        environment["REDISCLI_AUTH"] = (FOLDER / "operator.password").read_text()
        words = ("--user", "operator", *words)
    try:
        done = subprocess.run(
            ["ip", "netns", "exec", namespace(host), "redis-cli", "-h", ADDRESS[host], "-p", str(port), *words], capture_output=True, text=True,
            timeout=3, env=environment)
    except subprocess.TimeoutExpired:
        return None
    return done.stdout.strip() if done.returncode == 0 and not done.stdout.startswith("Could not connect") else None


def primary():
    """The host of the primary, as most of the Sentinels have it that answer; None where none does."""
    named = [redis_cli(host, "sentinel", "get-master-addr-by-name", PRIMARY, port=26379) for host in REDISES]
    addresses = [lines.split()[0] for lines in named if lines]
    if not addresses:
        return None
    address = max(set(addresses), key=addresses.count)
    return next((host for host in REDISES if ADDRESS[host] == address), None)


def role(host):
    return (redis_cli(host, "role") or "no").split()[0]


# Names


def name_is():
    """The addresses of the server's name, as the lab's name server has them."""
    try:
        return run("ip", "netns", "exec", namespace("ns"), "kdig", f"@{ADDRESS['ns']}", "+short", "+time=1", "+retry=0", files.SERVER_NAME).split()
    except (Trouble, subprocess.TimeoutExpired):
        return []


def start_delay(host, milliseconds):
    processes.ask("start", name=f"slow-{host}", namespace=SWITCH,
                  argv=["/usr/bin/env", "python3", str(PARTS / "delay.py"), host, f"{host}.d", str(milliseconds)])
