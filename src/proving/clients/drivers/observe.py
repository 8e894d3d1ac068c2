"""What the drivers of Python clients share."""

import json
import os

from pydantic import BaseModel, Field

URL = os.environ["WEIR_URL"]
LIMITED_URL = os.environ["WEIR_LIMITED_URL"]
CLIP = os.environ["WEIR_CLIP"]
KEY = "sk-weir-test"
MODEL = "weir/small"
QUESTION = "What is the weather in Paris?"
MESSAGES = [{"role": "user", "content": QUESTION}]
# A PNG of one pixel.
PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhf"
    "DwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
IMAGE_CONTENT = [
    {"type": "text", "text": QUESTION},
    {"type": "image_url", "image_url": {"url": PICTURE, "detail": "low"}},
]


class Answer(BaseModel):
    """An answer."""

    name: str
    count: int = Field(ge=3)


def words_in(text):
    return len(text.split())


def kind_of(value):
    return "string" if isinstance(value, str) else "other"


def read_answer(answer):
    return [kind_of(answer.name), answer.count >= 3]


def chat_features(create, tool):
    """The features of chats whose answers are objects like OpenAI's; `create` sends one with these fields besides its own."""

    def chat():
        answer = create(max_tokens=12)
        choice = answer.choices[0]
        return [words_in(choice.message.content), choice.finish_reason, answer.usage.completion_tokens]

    def stream():
        text, tokens = "", None
        for chunk in create(max_tokens=12, stream=True, stream_options={"include_usage": True}):
            if chunk.choices:
                text += chunk.choices[0].delta.content or ""
            usage = getattr(chunk, "usage", None)
            tokens = usage.completion_tokens if usage else tokens
        return [words_in(text), tokens]

    def tools():
        call = create(tools=[tool]).choices[0].message.tool_calls[0].function
        return [call.name, kind_of(json.loads(call.arguments)["city"])]

    def image():
        messages = [{"role": "user", "content": IMAGE_CONTENT}]
        return words_in(create(messages=messages, max_tokens=4).choices[0].message.content)

    return {
        "chat": chat,
        "stream": stream,
        "tools": tools,
        "choices": lambda: len(create(max_tokens=4, n=3).choices),
        "logprobs": lambda: len(create(max_tokens=4, logprobs=True).choices[0].logprobs.content),
        "image": image,
        "badRequest": lambda: create(temperature=3),
        "unknownModel": lambda: create(model="weir/none"),
    }


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
    # Clients may print lines before it.
    print("\n" + json.dumps(seen))
