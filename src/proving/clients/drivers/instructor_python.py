"""What instructor sees of a gateway: answers as models of pydantic, by tools and by a schema."""

import instructor
from openai import OpenAI

from observe import KEY, LIMITED_URL, MESSAGES, MODEL, URL, Answer, observe, read_answer


def ask(mode=instructor.Mode.TOOLS, key=KEY, url=URL, model=MODEL, **options):
    client = instructor.from_openai(OpenAI(api_key=key, base_url=url, max_retries=0), mode=mode)
    answer = client.chat.completions.create(
        model=model, messages=MESSAGES, response_model=Answer, max_retries=1, **options
    )
    return read_answer(answer)


def stream():
    client = instructor.from_openai(OpenAI(api_key=KEY, base_url=URL, max_retries=0))
    parts = client.chat.completions.create_partial(
        model=MODEL, messages=MESSAGES, response_model=Answer, max_retries=1
    )
    return read_answer(list(parts)[-1])


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
