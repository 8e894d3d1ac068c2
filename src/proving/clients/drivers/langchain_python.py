"""What LangChain sees of a gateway."""

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import BaseModel

from observe import (
    IMAGE_CONTENT,
    KEY,
    LIMITED_URL,
    MODEL,
    QUESTION,
    URL,
    Answer,
    kind_of,
    observe,
    read_answer,
    words_in,
)


class weather(BaseModel):
    """Tells the weather."""

    city: str


def model_of(key=KEY, url=URL, model=MODEL, **options):
    return ChatOpenAI(model=model, api_key=key, base_url=url, max_retries=0, **options)


def chat():
    answer = model_of(max_tokens=12).invoke(QUESTION)
    finish = answer.response_metadata["finish_reason"]
    return [words_in(answer.content), finish, answer.usage_metadata["output_tokens"]]


def stream():
    text, tokens = "", 0
    for chunk in model_of(max_tokens=12, stream_usage=True).stream(QUESTION):
        text += chunk.content
        tokens += (chunk.usage_metadata or {}).get("output_tokens", 0)
    return [words_in(text), tokens]


def tools():
    call = model_of().bind_tools([weather]).invoke(QUESTION).tool_calls[0]
    return [call["name"], kind_of(call["args"]["city"])]


def structured():
    asked = model_of().with_structured_output(Answer, method="json_schema")
    return read_answer(asked.invoke(QUESTION))


def choices():
    generations = model_of(max_tokens=4, n=3).generate([[HumanMessage(QUESTION)]]).generations
    return len(generations[0])


def logprobs():
    answer = model_of(max_tokens=4, logprobs=True).invoke(QUESTION)
    return len(answer.response_metadata["logprobs"]["content"])


def image():
    return words_in(model_of(max_tokens=4).invoke([("human", IMAGE_CONTENT)]).content)


def limited():
    again = model_of(url=LIMITED_URL)
    again.invoke(QUESTION)
    again.invoke(QUESTION)


observe(
    {
        "chat": chat,
        "stream": stream,
        "tools": tools,
        "structured": structured,
        "choices": choices,
        "logprobs": logprobs,
        "image": image,
        "wrongKey": lambda: model_of("sk-no").invoke(QUESTION),
        "badRequest": lambda: model_of(temperature=3).invoke(QUESTION),
        "unknownModel": lambda: model_of(model="weir/none").invoke(QUESTION),
        "limited": limited,
    }
)
