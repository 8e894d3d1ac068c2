"""What instructor sees of a gateway: answers as models of pydantic, by tools and by a schema."""

import instructor
from openai import OpenAI
from pydantic import BaseModel, Field

from observe import KEY, LIMITED_URL, MODEL, QUESTION, URL, observe


class Answer(BaseModel):
    name: str
    count: int = Field(ge=3)


MESSAGES = [{"role": "user", "content": QUESTION}]


def ask(mode=instructor.Mode.TOOLS, key=KEY, url=URL, model=MODEL, **options):
    client = instructor.from_openai(OpenAI(api_key=key, base_url=url, max_retries=0), mode=mode)
    answer = client.chat.completions.create(
        model=model, messages=MESSAGES, response_model=Answer, max_retries=1, **options
    )
    return ["string" if isinstance(answer.name, str) else "other", answer.count >= 3]


def stream():
    client = instructor.from_openai(OpenAI(api_key=KEY, base_url=URL, max_retries=0))
    parts = client.chat.completions.create_partial(
        model=MODEL, messages=MESSAGES, response_model=Answer, max_retries=1
    )
    last = list(parts)[-1]
    return ["string" if isinstance(last.name, str) else "other", last.count >= 3]


def limited():
    ask(url=LIMITED_URL)
    ask(url=LIMITED_URL)


observe(
    {
        "tools": ask,
        "structured": lambda: ask(instructor.Mode.JSON_SCHEMA),
        "stream": stream,
        "wrongKey": lambda: ask(key="sk-no"),
        "badRequest": lambda: ask(temperature=3),
        "unknownModel": lambda: ask(model="weir/none"),
        "limited": limited,
    }
)
