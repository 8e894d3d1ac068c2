"""Keys with limits for LiteLLM's proxy: PROVING_KEYS, PROVING_RPM and PROVING_TPM say which."""

import os

from litellm.proxy._types import ProxyException, UserAPIKeyAuth

keys = os.environ["PROVING_KEYS"].split(",")
limits = {"rpm_limit": int(os.environ["PROVING_RPM"]), "tpm_limit": int(os.environ["PROVING_TPM"])}


async def user_api_key_auth(request, api_key):
    if api_key not in keys:
        raise ProxyException("Invalid API key", "auth_error", "key", 401)
    return UserAPIKeyAuth(api_key=api_key, **limits)
