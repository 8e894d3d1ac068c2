"""What the official Python client sees of a gateway."""

import json
from typing import Annotated

from annotated_types import Ge
from openai import OpenAI
from pydantic import BaseModel

from observe import CLIP, IMAGE_CONTENT, KEY, LIMITED_URL, MODEL, QUESTION, URL, observe, words_in


class Answer(BaseModel):
    name: str
    count: Annotated[int, Ge(3)]


def client_of(key=KEY, url=URL):
    return OpenAI(api_key=key, base_url=url, max_retries=0)


client = client_of()
MESSAGES = [{"role": "user", "content": QUESTION}]
WEATHER = {
    "type": "function",
    "function": {
        "name": "weather",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}


def create(**fields):
    return client.chat.completions.create(**{"model": MODEL, "messages": MESSAGES, **fields})


def chat():
    answer = create(max_tokens=12)
    choice = answer.choices[0]
    return [words_in(choice.message.content), choice.finish_reason, answer.usage.completion_tokens]


def stream():
    text, usage = "", None
    for chunk in create(max_tokens=12, stream=True, stream_options={"include_usage": True}):
        if chunk.choices:
            text += chunk.choices[0].delta.content or ""
        usage = chunk.usage or usage
    return [words_in(text), usage.completion_tokens]


def tools():
    call = create(tools=[WEATHER]).choices[0].message.tool_calls[0].function
    return [call.name, "string" if isinstance(json.loads(call.arguments)["city"], str) else "other"]


def structured():
    answer = client.chat.completions.parse(model=MODEL, messages=MESSAGES, response_format=Answer)
    parsed = answer.choices[0].message.parsed
    return ["string" if isinstance(parsed.name, str) else "other", parsed.count >= 3]


def image():
    messages = [{"role": "user", "content": IMAGE_CONTENT}]
    return words_in(create(messages=messages, max_tokens=4).choices[0].message.content)


def speech():
    audio = client.audio.speech.create(
        model="weir-tts", voice="Emily.wav", input="Hello.", response_format="wav"
    )
    return audio.content[:4].decode()


def transcription():
    with open(CLIP, "rb") as file:
        return client.audio.transcriptions.create(model="weir/whisper", file=file).text


def limited():
    again = client_of(url=LIMITED_URL)
    again.models.list()
    again.models.list()


observe(
    {
        "models": lambda: [model.id for model in client.models.list()],
        "model": lambda: client.models.retrieve("weir/large").id,
        "chat": chat,
        "stream": stream,
        "tools": tools,
        "structured": structured,
        "choices": lambda: len(create(max_tokens=4, n=3).choices),
        "logprobs": lambda: len(create(max_tokens=4, logprobs=True).choices[0].logprobs.content),
        "image": image,
        "speech": speech,
        "transcription": transcription,
        "wrongKey": lambda: client_of("sk-no").models.list(),
        "badRequest": lambda: create(temperature=3),
        "unknownModel": lambda: create(model="weir/none"),
        "limited": limited,
    }
)
