"""The package limits as a store of tokens: words port and strategy; GET /take, /look and /add with scope, limit, window, amount."""

import json
import math
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

from limits import parse, storage, strategies

words = dict(word.split("=", 1) for word in sys.argv[1:])
lock = threading.Lock()
memory = storage.MemoryStorage()
strategy = getattr(strategies, words["strategy"])(memory)


def answer(action, item, scope, amount):
    admitted = True
    if action == "take":
        admitted = strategy.hit(item, scope, cost=amount)
        if not admitted and words["strategy"] == "FixedWindowRateLimiter":
            # It counts what it refused, which a gateway of tokens gives back.
            memory.incr(item.key_for(scope), item.get_expiry(), amount=-amount)
    elif action == "look":
        admitted = strategy.test(item, scope, cost=1)
    elif words["strategy"] == "FixedWindowRateLimiter":
        memory.incr(item.key_for(scope), item.get_expiry(), amount=amount)
    else:
        # As a gateway does that charges the usage by hit(): what has no room is not charged, and nothing is given back.
        admitted = amount > 0 and strategy.hit(item, scope, cost=amount)
    reset_at, remaining = strategy.get_window_stats(item, scope)
    return {"admitted": admitted, "wait": math.ceil(max(0, reset_at - time.time())), "rest": remaining}


class Store(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        url = urlparse(self.path)
        query = {name: values[0] for name, values in parse_qs(url.query).items()}
        item = parse(f"{query.get('limit', 1)} per {int(query.get('window', 60000)) // 1000} second")
        with lock:
            said = answer(url.path[1:], item, query.get("scope", "-"), int(query.get("amount", 0)))
        body = json.dumps(said)
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(words["port"])), Store).serve_forever()
