"""What the official Python client sees of a gateway."""

from openai import OpenAI

from observe import (
    CLIP,
    KEY,
    LIMITED_URL,
    MESSAGES,
    MODEL,
    URL,
    Answer,
    chat_features,
    observe,
    read_answer,
)


def client_of(key=KEY, url=URL):
    return OpenAI(api_key=key, base_url=url, max_retries=0)


client = client_of()
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


def structured():
    answer = client.chat.completions.parse(model=MODEL, messages=MESSAGES, response_format=Answer)
    return read_answer(answer.choices[0].message.parsed)


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
        **chat_features(create, WEATHER),
        "models": lambda: [model.id for model in client.models.list()],
        "model": lambda: client.models.retrieve("weir/large").id,
        "structured": structured,
        "speech": speech,
        "transcription": transcription,
        "wrongKey": lambda: client_of("sk-no").models.list(),
        "limited": limited,
    }
)
