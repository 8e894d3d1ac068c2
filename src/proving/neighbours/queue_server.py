"""Serves streams by queues: of each key, or one for all. Arguments: `key` or `shared`, the port and the log file.

Each queue has four workers of 200 ms, a little random. The log has a line `METHOD PATH STATUS REQUEST-ID` for each request.
"""

import asyncio
import json
import random
import sys

kind, port, log_file = sys.argv[1], int(sys.argv[2]), sys.argv[3]
workers, work = 4, 0.2
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
    name = headers.get("authorization", "") if kind == "key" else "all"
    async with queues.setdefault(name, asyncio.Semaphore(workers)):
        await asyncio.sleep(work * random.uniform(0.8, 1.2))
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
        writer.write(chunked(event({"role": "assistant", "content": "a"})))
        writer.write(chunked(event({}, "stop")) + chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n")


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
