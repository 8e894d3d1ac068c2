"""An independent client: streams one chat after another with httpx and prints, as JSON, how many were answered, how
many failed, and the milliseconds to each first token and between tokens.
Arguments: address (ends in /v1), key, model, seconds, most tokens."""

import json
import sys
import time

import httpx

url, key, model, seconds, tokens = sys.argv[1:6]
times = {"answered": 0, "failed": 0, "ttft": [], "gap": []}
body = {
    "model": model,
    "messages": [{"role": "user", "content": "hello there"}],
    "max_tokens": int(tokens),
    "stream": True,
}


def stream(client, name):
    headers = {"authorization": f"Bearer {key}", "x-request-id": name}
    last = time.perf_counter()
    received = 0
    with client.stream("POST", f"{url}/chat/completions", json=body, headers=headers) as answer:
        answer.raise_for_status()
        for line in answer.iter_lines():
            now = time.perf_counter()
            if not line.startswith("data: {"):
                continue
            choices = json.loads(line[6:]).get("choices") or [{}]
            if not (choices[0].get("delta") or {}).get("content"):
                continue
            times["gap" if received else "ttft"].append((now - last) * 1000)
            received += 1
            last = now


end = time.perf_counter() + float(seconds)
serial = 0
with httpx.Client(verify=False, timeout=30, trust_env=False) as client:
    while time.perf_counter() < end:
        serial += 1
        try:
            stream(client, f"client-{serial}")
            times["answered"] += 1
        except httpx.HTTPError as error:
            # A server that closes connections early fails this client as any other; the losses are counted.
            times["failed"] += 1
            print(repr(error), file=sys.stderr)
print(json.dumps(times))
