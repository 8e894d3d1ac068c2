"""Keys with limits for LiteLLM's proxy: PROVING_KEYS, PROVING_RPM, PROVING_TPM and PROVING_SCOPE say which."""

import os

from litellm.proxy._types import ProxyException, UserAPIKeyAuth

keys = os.environ["PROVING_KEYS"].split(",")
tokens = int(os.environ["PROVING_TPM"])
scopes = {
    "key": {"tpm_limit": tokens},
    "team": {"team_id": "proving", "team_tpm_limit": tokens},
    "model": {"metadata": {"model_tpm_limit": {"proving/small": tokens}}},
}
limits = {"rpm_limit": int(os.environ["PROVING_RPM"]), **scopes[os.environ.get("PROVING_SCOPE", "key")]}


async def user_api_key_auth(request, api_key):
    if api_key not in keys:
        raise ProxyException("Invalid API key", "auth_error", "key", 401)
    return UserAPIKeyAuth(api_key=api_key, **limits)
