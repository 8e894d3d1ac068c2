"""What LiteLLM's SDK sees of a gateway."""

import json
import os

# Else it reads the prices of models from the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402
from pydantic import BaseModel, Field  # noqa: E402

from observe import CLIP, IMAGE_CONTENT, KEY, LIMITED_URL, MODEL, QUESTION, URL, observe, words_in  # noqa: E402

litellm.suppress_debug_info = True
litellm.telemetry = False


class Answer(BaseModel):
    name: str
    count: int = Field(ge=3)


MESSAGES = [{"role": "user", "content": QUESTION}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def target(model, key=KEY, url=URL):
    return {"model": f"openai/{model}", "api_key": key, "api_base": url, "max_retries": 0}


def complete(model=MODEL, key=KEY, url=URL, **fields):
    return litellm.completion(**target(model, key, url), **{"messages": MESSAGES, **fields})


def chat():
    answer = complete(max_tokens=12)
    choice = answer.choices[0]
    return [words_in(choice.message.content), choice.finish_reason, answer.usage.completion_tokens]


def stream():
    text, tokens = "", None
    for chunk in complete(max_tokens=12, stream=True, stream_options={"include_usage": True}):
        if chunk.choices:
            text += chunk.choices[0].delta.content or ""
        usage = getattr(chunk, "usage", None)
        tokens = usage.completion_tokens if usage else tokens
    return [words_in(text), tokens]


def tools():
    call = complete(tools=[WEATHER]).choices[0].message.tool_calls[0].function
    return [call.name, "string" if isinstance(json.loads(call.arguments)["city"], str) else "other"]


def structured():
    parsed = Answer.model_validate_json(complete(response_format=Answer).choices[0].message.content)
    return ["string", parsed.count >= 3]


def image():
    messages = [{"role": "user", "content": IMAGE_CONTENT}]
    return words_in(complete(messages=messages, max_tokens=4).choices[0].message.content)


def speech():
    audio = litellm.speech(
        **target("weir-tts"), voice="Emily.wav", input="Hello.", response_format="wav"
    )
    return audio.content[:4].decode()


def transcription():
    with open(CLIP, "rb") as file:
        return litellm.transcription(**target("weir/whisper"), file=file).text


def limited():
    complete(url=LIMITED_URL, max_tokens=1)
    complete(url=LIMITED_URL, max_tokens=1)


observe(
    {
        "chat": chat,
        "stream": stream,
        "tools": tools,
        "structured": structured,
        "choices": lambda: len(complete(max_tokens=4, n=3).choices),
        "logprobs": lambda: len(complete(max_tokens=4, logprobs=True).choices[0].logprobs.content),
        "image": image,
        "speech": speech,
        "transcription": transcription,
        "wrongKey": lambda: complete(key="sk-no"),
        "badRequest": lambda: complete(temperature=3),
        "unknownModel": lambda: complete("weir/none"),
        "limited": limited,
    }
)
