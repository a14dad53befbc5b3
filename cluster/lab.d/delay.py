"""delay.py LINK LINK MILLISECONDS: carries every frame from one link to the other, so much later. Not every kernel has netem."""
import collections
import selectors
import socket
import sys
import time

SOL_PACKET, PACKET_VNET_HDR, PACKET_OUTGOING, ETH_P_ALL = 263, 15, 4, 3
# Frames under way in one direction; what comes above is lost, as in a router.
LIMIT = 20_000


def attach(link):
    made = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    # With this header a frame keeps what the kernel has not computed yet: checksums, segments.
    made.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    made.bind((link, 0))
    made.setblocking(False)
    return made


def receive(source, queue, due):
    while True:
        try:
            frame, (_, _, kind, *_) = source.recvfrom(70_000)
        except BlockingIOError:
            return
        if kind != PACKET_OUTGOING and len(queue) < LIMIT:
            queue.append((due, frame))


def main():
    one, other, delay = attach(sys.argv[1]), attach(sys.argv[2]), int(sys.argv[3]) / 1000
    ways = [(one, other, collections.deque()), (other, one, collections.deque())]
    ready = selectors.DefaultSelector()
    for source, _, queue in ways:
        ready.register(source, selectors.EVENT_READ, queue)
    while True:
        waits = [queue[0][0] for _, _, queue in ways if queue]
        timeout = max(min(waits) - time.monotonic(), 0) if waits else None
        for key, _ in ready.select(timeout):
            receive(key.fileobj, key.data, time.monotonic() + delay)
        now = time.monotonic()
        for _, goal, queue in ways:
            while queue and queue[0][0] <= now:
                try:
                    goal.send(queue.popleft()[1])
                except OSError:
                    pass  # The link is down or its buffer full: the frame is lost.


main()
