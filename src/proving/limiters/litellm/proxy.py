"""LiteLLM's proxy, with its own log of every request: METHOD PATH STATUS REQUEST-ID.

Arguments: the port and the log file; LiteLLM reads CONFIG_FILE_PATH.
"""

import sys

import uvicorn
from litellm.proxy.proxy_server import app

port, log_file = int(sys.argv[1]), sys.argv[2]


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
