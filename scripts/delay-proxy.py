"""Passes connections on to another port of this machine, every byte towards the server some milliseconds later, as if it were far
away.

    delay-proxy.py PORT MILLISECONDS: prints the port that it listens on
"""
import asyncio
import sys

target, delay = int(sys.argv[1]), float(sys.argv[2]) / 1000


async def passOn(reader, writer):
    while data := await reader.read(1 << 20):
        writer.write(data)
        await writer.drain()
    writer.close()


async def passOnLater(reader, writer):
    loop = asyncio.get_running_loop()
    waiting = asyncio.Queue()

    async def send():
        while True:
            time, data = await waiting.get()
            await asyncio.sleep(max(0, time - loop.time()))
            if not data:
                return writer.close()
            writer.write(data)

    sending = asyncio.create_task(send())
    data = b"."
    while data:
        data = await reader.read(1 << 20)
        waiting.put_nowait((loop.time() + delay, data))
    await sending


async def connected(reader, writer):
    try:
        there = await asyncio.open_connection("127.0.0.1", target)
        await asyncio.gather(passOnLater(reader, there[1]), passOn(there[0], writer))
    except OSError:
        writer.close()


async def main():
    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


asyncio.run(main())
