"""Passes requests on to another port of this machine, and lets a share of them fail in the ways in which a network and a service do.

    fault-proxy.py PORT PERCENT SEED REPORT: prints the port that it listens on

A request fails before it is passed on (503, 429), or after it was carried out: its answer is an error, is cut off, or never
comes. On TERM it writes REPORT: a JSON object with the number of requests, and of each kind of failure.
"""
import asyncio
import collections
import json
import random
import signal
import sys

target, share, chance, report = int(sys.argv[1]), float(sys.argv[2]) / 100, random.Random(sys.argv[3]), sys.argv[4]
counts = collections.Counter()
KINDS = ["unavailable", "exhausted", "error after", "cut off", "lost"]


def error(code, status):
    body = json.dumps({"error": {"code": code, "message": "made by the test", "status": status}}).encode()
    head = f"HTTP/1.1 {code} Error\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def message(reader):
    """The bytes of one request or answer; empty where the other side has closed."""
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as end:
        return end.partial
    fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line)
    if b"chunked" in fields.get(b"transfer-encoding", b""):
        body = b""
        while not body.endswith(b"0\r\n\r\n"):
            size = await reader.readuntil(b"\r\n")
            body += size + await reader.readexactly(int(size.split(b";")[0], 16) + 2)
        return head + body
    return head + await reader.readexactly(int(fields.get(b"content-length", b"0")))


async def connected(reader, writer):
    there = None
    try:
        there = await asyncio.open_connection("127.0.0.1", target, limit=1 << 26)
        while request := await message(reader):
            counts["requests"] += 1
            kind = chance.choice(KINDS) if chance.random() < share else None
            if kind:
                counts[kind] += 1
            if kind in ("unavailable", "exhausted"):
                writer.write(error(503, "UNAVAILABLE") if kind == "unavailable" else error(429, "RESOURCE_EXHAUSTED"))
                continue
            there[1].write(request)
            answer = await message(there[0])
            if kind == "lost":
                break
            if kind == "cut off":
                writer.write(answer[: len(answer) // 2])
                break
            writer.write(error(503, "UNAVAILABLE") if kind == "error after" else answer)
            await writer.drain()
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        for each in (writer, there and there[1]):
            if each:
                each.close()


async def main():
    server = await asyncio.start_server(connected, "127.0.0.1", 0, limit=1 << 26)
    print(server.sockets[0].getsockname()[1], flush=True)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()
    with open(report, "w") as file:
        json.dump(counts, file)


asyncio.run(main())
