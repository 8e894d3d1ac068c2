"""A small OpenAI-like gateway behind a rate limiter from PyPI.

Every word of its command line is name=value: port, limiter, limit, window in ms, log (a line
`METHOD PATH STATUS REQUEST-ID` for each request), and optionally headers=none (no limit headers).
"""

import asyncio
import json
import math
import sys
import time

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, StreamingResponse

words = dict(word.split("=", 1) for word in sys.argv[1:])
limit = int(words["limit"])
window = int(words["window"]) / 1000
service = 0.002
model = "proving/small"
keys = ["sk-proving-1", "sk-proving-2"]
app = FastAPI()


def of_limits(strategy_name):
    """The package limits, with its store in memory: returns (admitted, remaining, reset in s)."""
    from limits import parse, storage, strategies

    strategy = getattr(strategies, strategy_name)(storage.MemoryStorage())
    item = parse(f"{limit} per {int(window)} second")

    async def decide(key):
        admitted = strategy.hit(item, key)
        reset_at, remaining = strategy.get_window_stats(item, key)
        return admitted, remaining, max(0, reset_at - time.time())

    return decide


def of_aiolimiter(waits):
    from aiolimiter import AsyncLimiter

    own = {}

    async def decide(key):
        limiter = own.setdefault(key, AsyncLimiter(limit, window))
        if not waits and not limiter.has_capacity():
            return False, None, None
        await limiter.acquire()
        return True, None, None

    return decide


def of_pyrate():
    from pyrate_limiter import Duration, Limiter, Rate

    own = {key: Limiter(Rate(limit, int(window * Duration.SECOND))) for key in keys}

    async def decide(key):
        return bool(own[key].try_acquire(key, blocking=False)), None, None

    return decide


limiters = {
    "limits-fixed": lambda: of_limits("FixedWindowRateLimiter"),
    "limits-moving": lambda: of_limits("MovingWindowRateLimiter"),
    "limits-counter": lambda: of_limits("SlidingWindowCounterRateLimiter"),
    "aiolimiter-wait": lambda: of_aiolimiter(True),
    "aiolimiter-refuse": lambda: of_aiolimiter(False),
    "pyrate-limiter": of_pyrate,
    "slowapi": lambda: None,
}
decide = limiters[words["limiter"]]()

usage = {"prompt_tokens": 4, "completion_tokens": 3, "total_tokens": 7}
answer_words = ["Yes", ", sir", "."]


def note(request, status):
    identity = request.headers.get("x-request-id", "-")
    with open(words["log"], "a", encoding="utf8") as log:
        log.write(f"{request.method} {request.url.path} {status} {identity}\n")


def reply(request, status, body, headers=None):
    note(request, status)
    return JSONResponse(body, status_code=status, headers=headers)


def failure(request, status, kind, code, headers=None):
    error = {"message": code.replace("_", " "), "type": kind, "code": code}
    return reply(request, status, {"error": error}, headers)


def key_of(request):
    return request.headers.get("authorization", "").removeprefix("Bearer ")


def refusal(request, headers=None):
    return failure(request, 429, "rate_limit_error", "rate_limit_exceeded", headers)


def chunk(delta, finish=None):
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    return f"data: {json.dumps({**event, 'choices': [choice]})}\n\n"


async def stream():
    yield chunk({"role": "assistant", "content": ""})
    for word in answer_words:
        yield chunk({"content": word})
    yield chunk({}, "stop")
    last = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": model}
    yield f"data: {json.dumps({**last, 'choices': [], 'usage': usage})}\n\n"
    yield "data: [DONE]\n\n"


async def complete(request, headers=None):
    body = await request.json()
    await asyncio.sleep(service)
    if body.get("model") != model:
        return failure(request, 404, "invalid_request_error", "model_not_found", headers)
    if body.get("temperature", 1) > 2:
        return failure(request, 400, "invalid_request_error", "invalid_temperature", headers)
    if body.get("stream"):
        note(request, 200)
        return StreamingResponse(stream(), media_type="text/event-stream", headers=headers)
    message = {"role": "assistant", "content": "".join(answer_words)}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": model}
    return reply(request, 200, {**head, "choices": [choice], "usage": usage}, headers)


@app.get("/v1/models")
async def models(request: Request):
    if key_of(request) not in keys:
        return failure(request, 401, "authentication_error", "invalid_api_key")
    return reply(request, 200, {"object": "list", "data": [{"id": model, "object": "model", "created": 1, "owned_by": "proving"}]})


if words["limiter"] == "slowapi":
    from slowapi import Limiter
    from slowapi.errors import RateLimitExceeded

    slow = Limiter(key_func=key_of)
    app.state.limiter = slow

    @app.exception_handler(RateLimitExceeded)
    async def exceeded(request, _error):
        return refusal(request)

    @slow.limit(f"{limit} per {int(window)} second")
    async def limited(request: Request):
        return await complete(request)

    @app.post("/v1/chat/completions")
    async def chat(request: Request):
        if key_of(request) not in keys:
            return failure(request, 401, "authentication_error", "invalid_api_key")
        return await limited(request)

else:

    @app.post("/v1/chat/completions")
    async def chat(request: Request):
        key = key_of(request)
        if key not in keys:
            return failure(request, 401, "authentication_error", "invalid_api_key")
        admitted, remaining, reset = await decide(key)
        headers = {}
        if remaining is not None and words.get("headers") != "none":
            headers["x-ratelimit-api_key-limit-requests"] = str(limit)
            headers["x-ratelimit-api_key-remaining-requests"] = str(max(0, remaining))
        if admitted:
            return await complete(request, headers)
        if reset is not None:
            headers["retry-after"] = str(math.ceil(reset))
        return refusal(request, headers)


@app.exception_handler(404)
async def unknown_path(request, _error):
    return failure(request, 404, "not_found", "not_found")


uvicorn.run(app, host="127.0.0.1", port=int(words["port"]), log_level="warning")
