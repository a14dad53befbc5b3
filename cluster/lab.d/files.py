"""Everything that the processes read: certificates, configurations. Made anew for each lab, in its folder."""
import base64
import json
import secrets

from network import run
from places import (ADDRESS, ADMIN_PORT, CALLERS, CLUSTER, CONTROL_PORT, FOLDER, NETWORK, NODES, NOT_UP, PARTS, PEER_PORT, PRIMARY, PROVIDER, PUSH,
                    PUSH_PORT, REDISES, SERVER_NAME, Trouble)

ZONE = "lab.test."
KEY_ID, TEAM_ID = "LABKEY1234", "LABTEAM123"


def write(name, text):
    path = FOLDER / name
    path.touch(mode=0o600)
    path.write_text(text)
    return path


def fill(source, name, **words):
    """A configuration of `cluster/` as anybody would fill it in."""
    text = source.read_text()
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return write(name, text)


def certificates():
    p256 = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    run("openssl", "req", "-x509", *p256, "-keyout", f"{FOLDER}/ca.key", "-out", f"{FOLDER}/ca.pem", "-days", "30", "-subj", "/CN=Lab")
    # The provider's certificate names the domain that was asked for (RFC 5922).
    wanted = {"provider": (["DNS:" + PROVIDER, "DNS:sip." + PROVIDER], "provider")}
    wanted |= {node: ([f"DNS:{node}", "DNS:" + SERVER_NAME], node) for node in NODES}
    for name, (names, host) in wanted.items():
        extensions = write(f"{name}.ext", "subjectAltName=" + ",".join(names + ["IP:" + ADDRESS[host]]))
        run("openssl", "req", *p256, "-keyout", f"{FOLDER}/{name}.key", "-out", f"{FOLDER}/{name}.csr", "-subj", f"/CN={name}")
        run("openssl", "x509", "-req", "-in", f"{FOLDER}/{name}.csr", "-CA", f"{FOLDER}/ca.pem", "-CAkey", f"{FOLDER}/ca.key",
            "-CAcreateserial", "-days", "30", "-out", f"{FOLDER}/{name}.pem", "-extfile", str(extensions))


def provider():
    fill(PARTS / "provider/kamailio.cfg", "kamailio.cfg", ADDRESS=ADDRESS["provider"], DOMAIN=PROVIDER, FOLDER=str(FOLDER))
    fill(PARTS / "provider/tls.cfg", "kamailio-tls.cfg", FOLDER=str(FOLDER))


def names():
    secret = base64.b64encode(secrets.token_bytes(32)).decode()
    write("dns.key", f"hmac-sha256:ringhold:{secret}\n")
    words = {"ADDRESS": ADDRESS["ns"], "ZONE": ZONE, "NAME": SERVER_NAME + ".", "SECRET": secret, "FOLDER": str(FOLDER / "knot")}
    (FOLDER / "knot").mkdir()
    path = fill(CLUSTER / "dns/knot.conf", "knot.conf", **words)
    path.write_text(path.read_text() + f"- domain: {PROVIDER}.\n")
    fill(CLUSTER / "dns/zone", f"knot/{ZONE.rstrip('.')}.zone", **words)
    fill(PARTS / "provider/zone", f"knot/{PROVIDER}.zone", DOMAIN=PROVIDER, ADDRESS=ADDRESS["ns"], PROVIDER=ADDRESS["provider"])


def updater(me, hasRedis):
    lines = ["[updater]", f"name = {SERVER_NAME}.", f"zone = {ZONE}", f"server = {ADDRESS['ns']}", f"key_file = {FOLDER}/dns.key", "ttl = 2",
             f"me = {me}", "[nodes]"]
    lines += [f"{node} = {ADDRESS[node]} http://{ADDRESS[node]}:{ADMIN_PORT}" for node in NODES]
    if hasRedis:
        lines += ["[redis]", "sentinels = " + " ".join(ADDRESS[host] for host in REDISES), f"primary = {PRIMARY}", "username = ringhold",
                  f"password_file = {FOLDER}/redis.password"]
    return write(f"updater-{me}.conf", "\n".join(lines) + "\n")


def cluster(ringhold):
    """The product makes them itself. A version that has no cluster needs none of them."""
    try:
        run(ringhold, "cluster", "init", "--nodes", ",".join(NODES), "--out", str(FOLDER / "cluster"))
        password = (FOLDER / "cluster/redis-password").read_text().strip()
    except Trouble:
        password = secrets.token_hex(16)
    write("redis.password", password)


def redis():
    password, operator = (FOLDER / "redis.password").read_text(), secrets.token_hex(16)
    write("operator.password", operator)
    for host in REDISES:
        words = {"ADDRESS": ADDRESS[host], "PASSWORD": password, "OPERATOR_PASSWORD": operator, "PRIMARY": ADDRESS[REDISES[0]]}
        fill(CLUSTER / "redis/redis.conf", f"{host}.conf", **words)
        # Each Sentinel writes into its own.
        (FOLDER / host).mkdir()
        path = fill(CLUSTER / "redis/sentinel.conf", f"{host}/sentinel.conf", **words)
        path.write_text(path.read_text() + f"dir {FOLDER}/{host}\n")


def node(name, state, ring=60):
    """JSON is YAML. `ring`: seconds until a call that nobody answers is refused."""
    address = ADDRESS[name]
    identity = {"certificate": f"{name}.pem", "key": f"{name}.key"}
    configuration = {
        "server_name": SERVER_NAME, "state": state, "https": {"listen": [f"{address}:443"], **identity},
        "admin": {"listen": f"{address}:{ADMIN_PORT}"},
        "sip": {"listen": {"udp": f"{address}:5060", "tcp": f"{address}:5060", "tls": f"{address}:5061"}, "advertise": address, **identity,
                "provider_ca": "ca.pem", "allow_networks": [NETWORK], "protection_timer_s": ring},
        "dns": {"servers": [f"{ADDRESS['ns']}:53"]},
        "push": {"apns": {"key": "push.p8", "key_id": KEY_ID, "team_id": TEAM_ID, "url": f"https://{PUSH}:{PUSH_PORT}", "ca": "push-ca.pem"}},
        "node": {"name": name}, "log": {"level": "info", "format": "text"},
    }
    if state == "redis":
        mine = f"cluster/{name}"
        configuration["node"] |= {"peers_listen": f"{address}:{PEER_PORT}", "certificate": f"{mine}/node.pem", "key": f"{mine}/node.key",
                                  "ca": f"{mine}/cluster-ca.pem", "cluster_key": f"{mine}/cluster.key"}
        configuration["redis"] = {"sentinels": [f"{ADDRESS[host]}:26379" for host in REDISES], "primary": PRIMARY, "username": "ringhold",
                                  "password": (FOLDER / "redis.password").read_text()}
    return write(f"{name}.yaml", json.dumps(configuration, indent=1))


def phones(isByName):
    write("phones.json", json.dumps({
        "control": f"{ADDRESS['phones']}:{CONTROL_PORT}", "push": f"{PUSH}:{PUSH_PORT}", "folder": str(FOLDER), "server": f"https://{SERVER_NAME}",
        "ca": f"{FOLDER}/ca.pem", "dns": [f"{ADDRESS['ns']}:53"] if isByName else [], "nodes": [f"{ADDRESS[name]}:443" for name in NODES],
        "caller": f"{CALLERS}:5060", "provider": f"{ADDRESS['provider']}:5060", "registrar": PROVIDER,
        "domain": PROVIDER, "media": ADDRESS["phones"]}))


def remember(**facts):
    write("lab.json", json.dumps(facts))


def facts():
    try:
        return json.loads((FOLDER / "lab.json").read_text())
    except OSError as error:
        raise Trouble(NOT_UP) from error
