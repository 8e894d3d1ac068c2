"""LiteLLM's own spend for each request, as its logger gets it: a JSON line in SPEND_LOG for each."""

import json
import os

from litellm.integrations.custom_logger import CustomLogger


def write(kwargs):
    payload = kwargs.get("standard_logging_object") or {}
    asked = (kwargs.get("litellm_params") or {}).get("proxy_server_request") or {}
    line = {
        "id": (asked.get("headers") or {}).get("x-request-id", "-"),
        "status": payload.get("status"),
        "cost": payload.get("response_cost"),
        "model": payload.get("model_group"),
        "key": (payload.get("metadata") or {}).get("user_api_key_hash"),
        "input": payload.get("prompt_tokens"),
        "output": payload.get("completion_tokens"),
        "error": payload.get("error_str"),
    }
    with open(os.environ["SPEND_LOG"], "a", encoding="utf8") as log:
        log.write(json.dumps(line) + "\n")


class SpendLog(CustomLogger):
    async def async_log_success_event(self, kwargs, response_obj, start_time, end_time):
        write(kwargs)

    async def async_log_failure_event(self, kwargs, response_obj, start_time, end_time):
        write(kwargs)


logger = SpendLog()
