"""Serves an ASGI application of others, with its own log of chats: a JSON line for each decision and each usage.

Environment: APPLICATION as MODULE:NAME, TOKEN_LOG. Arguments: the port and the number of workers.
"""

import importlib
import inspect
import json
import os
import re
import sys
import time

import uvicorn

module, name = os.environ["APPLICATION"].split(":")
log_file = os.environ["TOKEN_LOG"]


def write(line):
    with open(log_file, "a", encoding="utf8") as log:
        log.write(json.dumps({"at": time.time() * 1000, **line}) + "\n")


def unit_of(text):
    found = re.search(r"(?:limit type|for)[^a-z]*(tokens|requests|tpm|rpm)", text, re.IGNORECASE)
    named = found.group(1).lower() if found else ""
    return {"tpm": "tokens", "rpm": "requests"}.get(named, named or None)


# The process that only starts workers needs no application.
is_parent = __name__ in ("__main__", "__mp_main__") and sys.argv[2:] != ["1"]
app = None if is_parent else getattr(importlib.import_module(module), name)


async def logged(scope, receive, send):
    if scope["type"] != "http" or not scope["path"].endswith("/chat/completions"):
        await app(scope, receive, send)
        return
    headers = {name.decode(): value.decode() for name, value in scope["headers"]}
    identity = headers.get("x-request-id", "-")
    state = {"status": 0, "body": b""}

    async def send_and_log(message):
        if message["type"] == "http.response.start":
            state["status"] = message["status"]
            if message["status"] != 429:
                write({"id": identity, "admitted": message["status"] == 200, "asked": 1})
        else:
            state["body"] += message.get("body", b"")
            if not message.get("more_body"):
                text = state["body"].decode("utf8", "replace")
                used = re.findall(r'"total_tokens":\s*(\d+)', text)
                if state["status"] == 429:
                    write({"id": identity, "admitted": False, "unit": unit_of(text), "asked": 1, "text": text[:300]})
                elif used:
                    write({"id": identity, "charge": int(used[-1]), "used": int(used[-1])})
        await send(message)

    await app(scope, receive, send_and_log)


if __name__ == "__main__":
    workers = int(sys.argv[2])
    target = "serve_tokens:logged" if workers > 1 else logged
    options = {"workers": workers}
    # A worker answers only once it has imported the application; older versions wait for ever.
    if "timeout_worker_healthcheck" in inspect.signature(uvicorn.run).parameters:
        options["timeout_worker_healthcheck"] = 300
    uvicorn.run(target, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", **options)
