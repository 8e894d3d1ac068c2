"""Serves streams by queues: of each key, or one for all. Arguments: `key`, `shared` or `turns`, the port and the log file.

Each queue has four workers of 200 ms, a little random; with a further argument `exponential`, eight of exponential times of 100 ms. With `turns` all keys share four workers, and a free one takes
the first request of the key that had the fewest turns (of those that wait). The log has a line `METHOD PATH STATUS REQUEST-ID` for each request.
"""

import asyncio
import json
import random
import sys

kind, port, log_file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
is_exponential = "exponential" in sys.argv[4:]
workers = 8 if is_exponential else 4


class Turns:
    """Workers that the keys have in turns."""

    def __init__(self):
        self.free = workers
        self.waiting = {}
        self.taken = {}

    async def enter(self, key):
        # A key that waited for nothing does not save turns for later.
        if not self.waiting.get(key):
            busy = [turns for name, turns in self.taken.items() if self.waiting.get(name)]
            self.taken[key] = max([self.taken.get(key, 0)] + ([min(busy)] if busy else []))
        if self.free > 0:
            self.free -= 1
        else:
            turn = asyncio.get_running_loop().create_future()
            self.waiting.setdefault(key, []).append(turn)
            await turn
        self.taken[key] += 1

    def leave(self, _):
        keys = [key for key, line in self.waiting.items() if line]
        if keys:
            self.waiting[min(keys, key=self.taken.get)].pop(0).set_result(None)
        else:
            self.free += 1


class Queue:
    """Workers that serve in the order of arrival."""

    def __init__(self):
        self.workers = asyncio.Semaphore(workers)

    async def enter(self, _):
        await self.workers.acquire()

    def leave(self, _):
        self.workers.release()


queues = {}


def event(delta, finish=None):
    chunk = {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "proving/small",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return f"data: {json.dumps(chunk)}\n\n".encode()


def chunked(data):
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


async def read_request(reader):
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    line, *fields = head.split("\r\n")
    headers = dict(field.lower().split(": ", 1) for field in fields if field)
    await reader.readexactly(int(headers.get("content-length", 0)))
    method, path, _ = line.split(" ")
    return method, path, headers


async def answer(writer, method, headers):
    if method == "GET":
        body = b'{"object":"list","data":[{"id":"proving/small","object":"model"}]}'
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        return
    key = headers.get("authorization", "")
    queue = queues.setdefault(key if kind == "key" else "all", Turns() if kind == "turns" else Queue())
    await queue.enter(key)
    try:
        await asyncio.sleep(random.expovariate(10) if is_exponential else random.uniform(0.16, 0.24))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        writer.write(chunked(event({"role": "assistant", "content": "a"})))
        writer.write(chunked(event({}, "stop")) + chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")
    finally:
        queue.leave(key)


async def serve(reader, writer):
    try:
        while True:
            method, path, headers = await read_request(reader)
            await answer(writer, method, headers)
            with open(log_file, "a", encoding="utf8") as log:
                log.write(f"{method} {path} 200 {headers.get('x-request-id', '-')}\n")
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", port)
    await server.serve_forever()


asyncio.run(main())
