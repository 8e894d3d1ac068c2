"""Reads lines (a JSON array in WEIR_LINES) one by one with prometheus-client's parser of the text format, and writes the text of a
registry with hard labels as servers in Python do; prints both as JSON: each line's samples, or null for one that is refused."""

import json
import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.parser import text_string_to_metric_families


def samples_in(text):
    try:
        return [
            [sample.name, sample.labels, repr(sample.value)]
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        ]
    except Exception:  # It refuses damage by several kinds of errors.
        return None


registry = CollectorRegistry()
gauge = Gauge("vllm:num_requests_running", 'Help with "quotes"\nand lines.', ["model_name", "le"], registry=registry)
for number, value in enumerate(['a "b"', "back\\slash", "two\nlines", "{brace},x=1", "é", "", " # ", "\\n"]):
    gauge.labels(value, "x").set(1e-7 * 10 ** (4 * number))
gauge.labels("nan", "").set(float("nan"))
gauge.labels("inf", "").set(float("inf"))
counter = Counter("vllm:generation_tokens", "Tokens.", registry=registry)
counter.inc(12345678901234567890)
histogram = Histogram("vllm:request_queue_time_seconds", "Time.", ["engine"], registry=registry)
histogram.labels("0").observe(0.1)
histogram.labels("0").observe(0.2)
text = generate_latest(registry).decode()
with open(os.environ["WEIR_LINES"], encoding="utf-8") as file:
    lines = json.load(file)
print(json.dumps({"lines": [samples_in(line + "\n") for line in lines], "text": text, "samples": samples_in(text)}))
