import type { CheckProfile } from '../model/check-choices.ts';

/**
 * This file lists the known gaps of servers. Reports list findings about known gaps separately, and do not treat them
 * as violations. Each reason gives its source: the server's documentation or code.
 */

/** The reasons by the id of the check. A `*` at the end of an id stands for any further characters. */
type Exemptions = Readonly<Record<string, string>>;

const noKeyNeeded = 'the server asks for a key only if it was started with one';
const noHeaders = 'the server has no rate limits';

/** Source: https://platform.openai.com/docs/api-reference. The comment on a gap names the page of its source. */
const openai: Exemptions = {
  'models.form': 'ids have no publisher', // Source: "models". An id is for example gpt-4o.
  'top_k.*': 'there is no top_k', // Source: "chat/create". The page lists all parameters, and the server refuses any other.
  'bounds-*': 'there is no top_k, which these requests have',
  'unknown-key.type': 'the type is invalid_request_error', // Source: "error codes".
  'error-body.*': 'code is null where there is none', // Source: "error codes". The code can be null.
  'headers.*': 'the headers are x-ratelimit-limit-requests and so on', // Source: "rate limits", the section on headers.
  // Source: "audio/createSpeech", voice. By default, the checks send a voice that is the name of a file (Emily.wav),
  // which the server refuses. The check `unknown-voice` sends alloy, which the server has.
  ...Object.fromEntries(
    ['default', 'wav', 'opus', 'fast', 'mp3', 'unknown-voice'].map((name) => [
      `speech-${name}`,
      'voices are names such as alloy',
    ]),
  ),
  'transcription-json.*': 'json has only the text', // Source: "audio/json-object".
};

/**
 * Source: https://github.com/BerriAI/litellm. The comment on a gap names its source: a file in the folder
 * litellm/proxy, or a page of the documentation.
 */
const litellm: Exemptions = {
  'models.form': 'ids are what the administrator writes', // Source: documentation, proxy/configs, model_name.
  'unknown-key.*': 'the type is auth_error and the code 401', // Source: auth/auth_exception_handler.py, and ProxyException in _types.py.
  'error-body.*': 'type and code can be None or a status as text', // Source: ProxyException in _types.py.
  'headers.stream': 'streams have none', // Source: common_request_processing.py. A stream begins before the post-call hook.
  'headers.models': 'the list is not limited', // Source: hooks/parallel_request_limiter.py. This limiter covers only routes that use a model.
  'headers.speech': 'audio has none', // Source: proxy_server.py. audio_speech returns its own response.
  'headers.transcription': 'audio has none', // Source: proxy_server.py. Transcription returns its own response, like speech.
  'headers.refusals': 'refusals have none', // The hooks that add the headers run only after a success.
  'root-*': 'every path is also served without /v1', // Source: proxy_server.py: @router.post("/chat/completions")
  'stop-five': 'all but four stop sequences are dropped', // Source: utils.py, validate_openai_optional_params.
  'stream-text': 'whatever is not true is no stream', // Source: common_request_processing.py, _is_streaming_request.
  'no-role': 'a message without role is one of the assistant', // Source: utils.py, validate_and_fix_openai_messages.
  'transcription-no-file': 'FastAPI refuses incomplete forms with 422', // Source: proxy_server.py, audio_transcriptions.
  'broken-form': 'FastAPI refuses incomplete forms with 422', // Source: proxy_server.py, audio_transcriptions.
  'transcription-text.plain': 'transcripts come in JSON', // Source: proxy_server.py. audio_transcriptions returns a TranscriptionResponse.
  'transcription-srt.plain': 'transcripts come in JSON',
  'transcription-vtt.plain': 'transcripts come in JSON',
};

/**
 * Source: https://github.com/vllm-project/vllm. The comment on a gap names its source: a file, or a page of the
 * documentation.
 */
const vllm: Exemptions = {
  'models.audio': 'one model is served', // Source: documentation, "serve".
  'models.form': 'the id is the name that the server was started with', // Source: documentation, "serve", --served-model-name.
  'top_p.low': 'top_p has to be above 0', // Source: vllm/sampling_params.py, _verify_args.
  'bounds-low': 'top_p has to be above 0',
  'temperature-above': 'temperature has no upper bound', // Source: vllm/sampling_params.py, _verify_args.
  'stream-refused': 'temperature has no upper bound',
  'stop-five': 'any number of stop sequences is accepted', // Source: vllm/sampling_params.py, _verify_args.
  'no-model': 'the one served model answers', // Source: entrypoints/openai/chat_completion/protocol.py, model: str | None = None
  tools: 'tools are read only if the server was started with --enable-auto-tool-choice', // Source: documentation, features/tool_calling.
  'missing-key-*': noKeyNeeded, // Source: documentation, "serve", --api-key.
  'unknown-key-*': noKeyNeeded,
  'unknown-key.*': 'the body is {"error": "Unauthorized"}', // Source: entrypoints/openai, AuthenticationMiddleware.
  'error-body.*': 'the code is a number', // Source: entrypoints/openai, ErrorInfo.
  'headers.*': noHeaders, // Source: documentation, "serve", which names no such headers.
};

const wideRange = 'values outside the range are clamped or have no bound';
const wrongForm = 'what the chat template cannot read is a 500';

/**
 * Source: https://github.com/ggml-org/llama.cpp, tools/server. The comment on a gap names the file that shows the gap.
 * The file server-schema.cpp lists the parameters.
 */
const llamaCpp: Exemptions = {
  'models.form': 'the id is the file or its alias', // Source: README, GET /v1/models.
  'unknown-model': 'the model is not chosen by requests', // Source: README. The only loaded model answers.
  'no-model': 'the model is not chosen by requests',
  'temperature-*': wideRange,
  'top_p-*': wideRange,
  'top_k-*': 'a fraction is cut off', // Source: server-schema.cpp.
  'presence_penalty-*': wideRange,
  'frequency_penalty-*': wideRange,
  'stream-refused': wideRange,
  'stop-*': 'any number of stop sequences is accepted, and anything else is ignored', // Source: server-schema.cpp.
  'tools-text': wrongForm, // Source: common/chat.cpp throws an error, and ex_wrapper in server.cpp makes a 500 of the error.
  'no-role': wrongForm,
  'models.audio': 'one model is served', // Source: README.
  'missing-key-*': noKeyNeeded, // Source: README, --api-key.
  'unknown-key-*': noKeyNeeded,
  'unknown-key.*': 'the code is a number', // Source: server.cpp, format_error_response.
  'error-body.*': 'the code is a number', // Source: server.cpp, format_error_response.
  'headers.*': noHeaders, // Source: README, which names no such headers.
  'root-*': 'every path is also served without /v1', // Source: README, routes.
};

const profiles: Readonly<Record<CheckProfile, Exemptions>> = {
  spec: {},
  openai,
  litellm,
  vllm,
  'llama.cpp': llamaCpp,
};

/** Returns the reason why a profile expects a finding of this check; `null` if it expects none. */
export const exemptionOf = (profile: CheckProfile, check: string): string | null => {
  const found = Object.entries(profiles[profile]).find(([id]) =>
    id.endsWith('*') ? check.startsWith(id.slice(0, -1)) : id === check,
  );
  return found?.[1] ?? null;
};

/** Returns all ids that profiles name. Only tests need this function. */
export const exemptedIds = (): readonly string[] =>
  Object.values(profiles).flatMap((exemptions) => Object.keys(exemptions));
