"""What LiteLLM's SDK sees of a gateway."""

import os

# Else it reads the prices of models from the network.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"

import litellm  # noqa: E402

from observe import (  # noqa: E402
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

litellm.suppress_debug_info = True
litellm.telemetry = False

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


def structured():
    text = complete(response_format=Answer).choices[0].message.content
    return read_answer(Answer.model_validate_json(text))


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
        **chat_features(complete, WEATHER),
        "structured": structured,
        "speech": speech,
        "transcription": transcription,
        "wrongKey": lambda: complete(key="sk-no"),
        "limited": limited,
    }
)
