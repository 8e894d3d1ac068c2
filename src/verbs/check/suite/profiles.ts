import type { CheckProfile } from '../model/check-choices.ts';

/**
 * The known gaps of servers: findings of these checks are reported separately from violations. Each reason has its
 * source, the server's documentation or code.
 */

/** The reasons by check; `*` at the end of an id stands for any further characters. */
type Exemptions = Readonly<Record<string, string>>;

const noKeyNeeded = 'the server asks for a key only if it was started with one';
const noHeaders = 'the server has no rate limits';

/** https://platform.openai.com/docs/api-reference */
const openai: Exemptions = {
  'models.form': 'ids have no publisher', // "models": the id is e.g. gpt-4o
  'top_k.*': 'there is no top_k', // "chat/create" lists the parameters; others are refused
  'bounds-*': 'there is no top_k, which these requests have',
  'unknown-key.type': 'the type is invalid_request_error', // "error codes"
  'error-body.*': 'code is null where there is none', // "error codes": code can be null
  'headers.*': 'the headers are x-ratelimit-limit-requests and so on', // "rate limits", headers
  // "audio/createSpeech", voice: a file name is refused, and the name that has to be refused is a voice.
  ...Object.fromEntries(
    ['default', 'wav', 'opus', 'fast', 'mp3', 'unknown-voice'].map((name) => [
      `speech-${name}`,
      'voices are names such as alloy',
    ]),
  ),
  'transcription-json.*': 'json has only the text', // "audio/json-object"
};

/** https://github.com/BerriAI/litellm, litellm/proxy */
const litellm: Exemptions = {
  'models.form': 'ids are what the administrator writes', // docs: proxy/configs, model_name
  'unknown-key.*': 'the type is auth_error and the code 401', // auth/auth_exception_handler.py, _types.py ProxyException
  'error-body.*': 'type and code can be None or a status as text', // _types.py ProxyException
  'headers.stream': 'streams have none', // common_request_processing.py: they begin before the post-call hook
  'headers.models': 'the list is not limited', // hooks/parallel_request_limiter.py: only model routes
  'headers.speech': 'audio has none', // proxy_server.py audio_speech returns its own response
  'headers.transcription': 'audio has none', // proxy_server.py, as for speech
  'headers.refusals': 'refusals have none', // hooks run after a success
  'root-*': 'every path is also served without /v1', // proxy_server.py: @router.post("/chat/completions")
  'stop-five': 'all but four stop sequences are dropped', // utils.py validate_openai_optional_params
  'stream-text': 'whatever is not true is no stream', // common_request_processing.py _is_streaming_request
  'no-role': 'a message without role is one of the assistant', // utils.py validate_and_fix_openai_messages
  'transcription-no-file': 'FastAPI refuses incomplete forms with 422', // proxy_server.py audio_transcriptions
  'broken-form': 'FastAPI refuses incomplete forms with 422', // the same: proxy_server.py audio_transcriptions
  'transcription-text.plain': 'transcripts come in JSON', // proxy_server.py audio_transcriptions returns a TranscriptionResponse
  'transcription-srt.plain': 'transcripts come in JSON',
  'transcription-vtt.plain': 'transcripts come in JSON',
};

/** https://github.com/vllm-project/vllm */
const vllm: Exemptions = {
  'models.audio': 'one model is served', // docs: serve
  'models.form': 'the id is the name that the server was started with', // docs: serve, --served-model-name
  'top_p.low': 'top_p has to be above 0', // vllm/sampling_params.py _verify_args
  'bounds-low': 'top_p has to be above 0',
  'temperature-above': 'temperature has no upper bound', // vllm/sampling_params.py _verify_args
  'stream-refused': 'temperature has no upper bound',
  'stop-five': 'any number of stop sequences is accepted', // vllm/sampling_params.py _verify_args
  'no-model': 'the one served model answers', // entrypoints/openai/chat_completion/protocol.py: model: str | None = None
  tools: 'tools are read only if the server was started with --enable-auto-tool-choice', // docs: features/tool_calling
  'missing-key-*': noKeyNeeded, // docs: serve, --api-key
  'unknown-key-*': noKeyNeeded,
  'unknown-key.*': 'the body is {"error": "Unauthorized"}', // entrypoints/openai: AuthenticationMiddleware
  'error-body.*': 'the code is a number', // entrypoints/openai: ErrorInfo
  'headers.*': noHeaders, // docs: serve has none
};

const wideRange = 'values outside the range are clamped or have no bound';
const wrongForm = 'what the chat template cannot read is a 500';

/** https://github.com/ggml-org/llama.cpp, tools/server; server-schema.cpp has the parameters */
const llamaCpp: Exemptions = {
  'models.form': 'the id is the file or its alias', // README: GET /v1/models
  'unknown-model': 'the model is not chosen by requests', // README: the one loaded model answers
  'no-model': 'the model is not chosen by requests',
  'temperature-*': wideRange,
  'top_p-*': wideRange,
  'top_k-*': 'a fraction is cut off', // server-schema.cpp
  'presence_penalty-*': wideRange,
  'frequency_penalty-*': wideRange,
  'stream-refused': wideRange,
  'stop-*': 'any number of stop sequences is accepted, and anything else is ignored', // server-schema.cpp
  'tools-text': wrongForm, // common/chat.cpp throws, server.cpp ex_wrapper makes it a 500
  'no-role': wrongForm,
  'models.audio': 'one model is served', // README
  'missing-key-*': noKeyNeeded, // README: --api-key
  'unknown-key-*': noKeyNeeded,
  'unknown-key.*': 'the code is a number', // format_error_response
  'error-body.*': 'the code is a number', // format_error_response
  'headers.*': noHeaders, // README has none
  'root-*': 'every path is also served without /v1', // README: routes
};

const profiles: Readonly<Record<CheckProfile, Exemptions>> = {
  spec: {},
  openai,
  litellm,
  vllm,
  'llama.cpp': llamaCpp,
};

/** Returns why a finding of a check is expected in a profile; `null` if it is not. */
export const exemptionOf = (profile: CheckProfile, check: string): string | null => {
  const found = Object.entries(profiles[profile]).find(([id]) =>
    id.endsWith('*') ? check.startsWith(id.slice(0, -1)) : id === check,
  );
  return found?.[1] ?? null;
};

/** All ids that profiles name, for tests. */
export const exemptedIds = (): readonly string[] =>
  Object.values(profiles).flatMap((exemptions) => Object.keys(exemptions));
