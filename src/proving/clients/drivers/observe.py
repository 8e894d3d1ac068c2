"""What the drivers of Python clients share."""

import json
import os

URL = os.environ["WEIR_URL"]
LIMITED_URL = os.environ["WEIR_LIMITED_URL"]
CLIP = os.environ["WEIR_CLIP"]
KEY = "sk-weir-test"
MODEL = "weir/small"
QUESTION = "What is the weather in Paris?"
# A PNG of one pixel.
PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhf"
    "DwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
IMAGE_CONTENT = [
    {"type": "text", "text": QUESTION},
    {"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}},
]


def words_in(text):
    return len(text.split())


def observe(features):
    """Prints what each feature gives: its value, or the name and status of the error that it raises."""
    seen = {}
    for name, run in features.items():
        try:
            seen[name] = run()
        except Exception as error:
            # Some clients wrap what the client below them raised.
            cause = error
            while not hasattr(cause, "status_code") and cause.__cause__ is not None:
                cause = cause.__cause__
            status = getattr(cause, "status_code", None)
            seen[name] = {"error": type(error).__name__, "status": status, "message": str(error)}
    # What clients print of their own comes before.
    print("\n" + json.dumps(seen))
