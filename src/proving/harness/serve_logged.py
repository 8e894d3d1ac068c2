"""Serves an ASGI application of others, with its own log of every request: METHOD PATH STATUS REQUEST-ID.

Arguments: the application as MODULE:NAME, the port and the log file.
"""

import importlib
import sys

import uvicorn

module, name = sys.argv[1].split(":")
port, log_file = int(sys.argv[2]), sys.argv[3]
app = getattr(importlib.import_module(module), name)


async def logged(scope, receive, send):
    if scope["type"] != "http":
        await app(scope, receive, send)
        return
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    identity = headers.get("x-request-id", "-")

    async def send_and_log(message):
        if message["type"] == "http.response.start":
            with open(log_file, "a", encoding="utf8") as log:
                log.write(f"{scope['method']} {scope['path']} {message['status']} {identity}\n")
        await send(message)

    await app(scope, receive, send_and_log)


uvicorn.run(logged, host="127.0.0.1", port=port, log_level="warning")
