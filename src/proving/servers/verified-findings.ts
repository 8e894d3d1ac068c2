import { found, ranges, type VerifiedFinding } from './verified-finding.ts';

export const nginxAsItComes: readonly VerifiedFinding[] = [
  found(
    'error-body.413',
    'an upload above 1 MB gets nginx’s own page',
    'nginx.org, ngx_http_core_module: `client_max_body_size`, default 1m',
  ),
];

export const liteLlmFindings: readonly VerifiedFinding[] = [
  found(
    'stop-five',
    'all but the first four stop sequences are dropped',
    '`litellm/utils.py`: `validate_openai_optional_params`',
  ),
  found(
    'stream-text',
    'a `stream` that is not `true` is none, whatever it is',
    '`litellm/llms/openai/openai.py`: `if stream is True`',
  ),
  found(
    'no-role',
    'a message without a role is given `assistant`',
    '`litellm/utils.py`: `validate_and_fix_openai_messages`',
  ),
  found(
    'transcription-no-file broken-form',
    'FastAPI answers 422 where the file is missing',
    '`litellm/proxy/proxy_server.py`: `audio_transcriptions`, `file: UploadFile = File(...)`',
  ),
  found(
    'transcription-text.plain transcription-srt.plain transcription-vtt.plain',
    'a transcript in any format is returned as an object, which FastAPI writes as JSON',
    '`litellm/proxy/proxy_server.py`: `audio_transcriptions`, `return response`',
  ),
  found(
    'unknown-key.type unknown-key.code',
    'the type is `auth_error` and the code `401`',
    '`litellm/proxy/auth/auth_exception_handler.py`; `_types.py`: `ProxyException`, `self.code = str(code)`',
  ),
  found(
    'error-body.400',
    'an error of the router has no type: it is null',
    '`litellm/proxy/proxy_server.py`: `audio_speech`, `type=getattr(e, "type", "None")`, null in `BadRequestError`',
  ),
  found(
    'headers.stream headers.models headers.speech headers.transcription headers.refusals',
    'limit headers are only on whole chats',
    '`litellm/proxy/hooks/parallel_request_limiter_v3.py`: `async_post_call_success_hook`, which runs for nothing else',
  ),
  found(
    'root-models root-chat',
    'every path is served without /v1, too',
    '`litellm/proxy/proxy_server.py`: `@router.post("/chat/completions")`',
  ),
];

const llamaFindings: readonly VerifiedFinding[] = [
  found(
    'models.form',
    'the id is the alias or the file',
    '`tools/server/server.cpp`: `params.model_alias`',
  ),
  found(
    'models.audio',
    'one chat model is served',
    '`tools/server/server.cpp`: only a router has several',
  ),
  found(
    `temperature-below ${ranges} stop-number`,
    'values outside a range are clamped or have no bound, any number of stop sequences is taken, and a `stop` that is neither text nor list is ignored',
    '`tools/server/server-schema.cpp`: `field_num::eval`, `make_llama_cmpl_schema`',
  ),
  found(
    'top_k-fraction',
    'a fraction is cut off to an integer',
    '`tools/server/server-schema.cpp`: `field_num::eval`, `get<T>()`',
  ),
  found(
    'tools-text no-role',
    'what the template’s reader refuses is a 500',
    '`common/chat.cpp`: `runtime_error`; `tools/server/server.cpp`: `ex_wrapper` has 400 for `invalid_argument` only',
  ),
  found(
    'no-model unknown-model',
    'the one loaded model answers',
    '`tools/server/server.cpp`: only a router chooses by `model`',
  ),
  found(
    'error-body.400',
    'the code of an error is a number',
    '`tools/server/server-common.cpp`: `format_error_response`',
  ),
  found(
    'headers.chat headers.stream headers.models',
    'there are no rate limits',
    'no such header is set in `tools/server/server-http.cpp`',
  ),
  found(
    'root-models root-chat',
    'every path is served without /v1, too',
    '`tools/server/server.cpp`: `/models`, `/chat/completions`',
  ),
];

export const openLlamaFindings: readonly VerifiedFinding[] = [
  ...llamaFindings,
  found(
    'missing-key-chat missing-key-models unknown-key-chat',
    'no key is asked for',
    '`tools/server/server-http.cpp`: `middleware_validate_api_key` without `--api-key`',
  ),
];

export const lockedLlamaFindings: readonly VerifiedFinding[] = [
  ...llamaFindings,
  found(
    'unknown-key.code error-body.401',
    'the code of a 401 is the number 401',
    '`tools/server/server-http.cpp`: `middleware_validate_api_key`',
  ),
];

export const llmockFindings: readonly VerifiedFinding[] = [
  found('models.form', 'the ids are those of OpenAI', '`llmock/routers/openai.py`'),
  found('models.audio', 'no model for audio is listed', '`llmock/routers/openai.py`'),
  found(
    `temperature-below ${ranges} stop-number top_k-fraction tools-text`,
    'these parameters are not read, or have no range',
    '`llmock/routers/openai.py`: `ChatCompletionRequest`',
  ),
  found(
    'chat.max-tokens stop.low-obeyed stop.high-obeyed',
    'the echo of the prompt is neither cut off nor stopped',
    '`llmock/routers/openai.py`: `ChatCompletionRequest` has no `stop`; `LLMOCK_RESPONSE_STYLE=echo`',
  ),
  found(
    'temperature-text max_tokens-text stream-text messages-text no-model no-messages no-role broken-json',
    'FastAPI answers 422',
    '`llmock/routers/openai.py`: `ChatCompletionRequest`, `ChatMessage`',
  ),
  found(
    'no-content',
    'content can be null',
    '`llmock/routers/openai.py`: `ChatMessage`, `content: … | None = None`',
  ),
  found('unknown-model', 'any model answers', '`llmock/routers/openai.py`: `model: str`'),
  found(
    'missing-key-chat missing-key-models unknown-key-chat',
    'no key is asked for',
    '`llmock/middleware.py`: a key only names the account of a limit',
  ),
  found(
    'headers.chat headers.stream headers.models',
    'no such headers are sent',
    '`llmock/ratelimit.py`',
  ),
];

export const aimockFindings: readonly VerifiedFinding[] = [
  found('models.form models.audio', 'its list has chat models of OpenAI', 'its `GET /v1/models`'),
  found(
    `temperature-below ${ranges} stop-number temperature-text max_tokens-text top_k-fraction stream-text tools-text no-model no-role no-content unknown-model`,
    'of a chat only `messages` has to be there, and has to be a list',
    '`dist/server.js`: “Missing required parameter”',
  ),
  found(
    'chat.max-tokens stream.usage stop.low-obeyed stop.high-obeyed json-mode.valid',
    'a fixture is answered as it is',
    '`dist/server.js`; our fixture has one sentence five times',
  ),
  found(
    'speech-no-voice speech-no-model speech-unknown-voice speech-format speech-speed speech-default.container speech-default.content-type speech-opus.container speech-opus.content-type speech-mp3.container speech-mp3.content-type speech-wav.length speech-fast.speed',
    'a fixture is answered as it is',
    '`dist/speech.js`; our fixture is one short WAV',
  ),
  found(
    'transcription-no-file transcription-no-model transcription-format transcription-txt broken-form transcription-json.language transcription-json.duration transcription-json.segments transcription-json.start transcription-json.end transcription-json.segment-text transcription-text.plain transcription-srt.plain transcription-vtt.plain',
    'a fixture is answered as it is, in JSON, whatever was uploaded',
    '`dist/transcription.js`: `handleTranscription`; our fixture has only a text',
  ),
  found(
    'transcription-too-large',
    'a body above 10 MiB ends the connection without an answer',
    '`dist/helpers.js`: `readBodyBuffer`, `req.destroy()`',
  ),
  found('error-body.400', 'the code of an error is null', '`dist/server.js`: `code: null`'),
  found(
    'headers.chat headers.stream headers.models headers.speech headers.transcription',
    'no such headers are sent',
    '`dist/server.js`',
  ),
  found(
    'root-chat',
    'chats are served without /v1, too',
    '`dist/server.js`: `"/chat/completions"`',
  ),
];
