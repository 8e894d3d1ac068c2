import { maxFinishLength, plainFinish } from '../../model/observation/outcome.ts';
import { objectOf } from './json-text.ts';

/**
 * This file defines which finish reasons complete an answer and which fail it. `content_filter` and `length` complete
 * an answer, because the API documents both as ends of an answer that was served and billed. In a scenario, `fails` can
 * name further reasons that fail an answer, even reasons that complete an answer by default.
 */

type Ending = 'completes' | 'fails';

/**
 * Says whether each known reason, in lower case, completes an answer or fails it. The comments name the servers that
 * send a reason, and where these servers define it.
 */
const endings = {
  // Sent by the OpenAI API (openai/openai-openapi, finish_reason). Weir's interface (scenarios/interface.md, section
  // 2.4) has `stop`, `length` and `tool_calls`.
  stop: 'completes',
  length: 'completes',
  tool_calls: 'completes',
  function_call: 'completes',
  content_filter: 'completes',
  // Sent by Text Generation Inference (router/src/lib.rs, FinishReason); Together sends `eos` (API reference,
  // finish_reason).
  eos_token: 'completes',
  eos: 'completes',
  stop_sequence: 'completes',
  // Sent by vLLM (vllm/v1/engine/__init__.py, FINISH_REASON_STRINGS) when vLLM ends an answer that repeats itself.
  repetition: 'completes',
  // Sent by the Anthropic API (Messages, stop_reason), if a proxy passes the reason on unchanged.
  end_turn: 'completes',
  max_tokens: 'completes',
  tool_use: 'completes',
  pause_turn: 'completes',
  refusal: 'completes',
  // Sent by Ollama and LM Studio in some versions (earendil-works/pi, pull request 2106), SambaNova, Baidu Qianfan.
  end: 'completes',
  end_of_text: 'completes',
  normal: 'completes',
  // Sent by TensorRT-LLM (tensorrt_llm/executor/result.py).
  end_id: 'completes',
  stop_words: 'completes',
  // Sent by OpenAI's Responses API (incomplete_details.reason), if a proxy passes the reason on.
  max_output_tokens: 'completes',
  // Sent by Anthropic, Amazon Bedrock and Zhipu GLM.
  model_context_window_exceeded: 'completes',
  // Sent by Amazon Bedrock (Converse, StopReason), if a proxy passes the reason on.
  content_filtered: 'completes',
  malformed_model_output: 'completes',
  malformed_tool_use: 'completes',
  guardrail_intervened: 'completes',
  // Sent by Mistral (OpenAPI, ChatCompletionChoice.finish_reason: stop, length, model_length, error, tool_calls).
  model_length: 'completes',
  // Sent by Zhipu GLM (API reference, finish_reason) when unsafe content was left out of the answer.
  sensitive: 'completes',
  // Sent by Cohere (OpenAPI, FinishReason). Cohere's reasons ERROR, ERROR_TOXIC, ERROR_LIMIT, USER_CANCEL and TIMEOUT
  // are below.
  complete: 'completes',
  tool_call: 'completes',
  // Sent by Gemini (FinishReason), if a proxy passes the reason on.
  safety: 'completes',
  recitation: 'completes',
  blocklist: 'completes',
  prohibited_content: 'completes',
  spii: 'completes',
  image_safety: 'completes',
  language: 'completes',
  malformed_function_call: 'completes',
  unexpected_tool_call: 'completes',
  too_many_tool_calls: 'completes',
  // Sent by Ollama (server/routes.go) when a model was only loaded or unloaded.
  load: 'completes',
  unload: 'completes',
  // Sent by SGLang (python/sglang/srt/managers/schedule_batch.py, FINISH_ABORT) and vLLM (FINISH_REASON_STRINGS).
  abort: 'fails',
  aborted: 'fails',
  // Sent by vLLM, OpenRouter (API reference, errors in streams), Mistral, Cohere, LMDeploy
  // (lmdeploy/serve/openai/protocol.py).
  error: 'fails',
  error_toxic: 'fails',
  error_limit: 'fails',
  user_cancel: 'fails',
  // Sent by DeepSeek (API reference, finish_reason) when the request was interrupted because of missing resources.
  insufficient_system_resource: 'fails',
  insufficient_system_resources: 'fails',
  // Sent by Zhipu GLM (API reference, finish_reason) when the inference failed.
  network_error: 'fails',
  // Sent by TensorRT-LLM (tensorrt_llm/executor/result.py, CompletionOutput.finish_reason), and Cohere.
  timeout: 'fails',
  cancelled: 'fails',
  // No server is known to send these words, but they mean failure.
  canceled: 'fails',
  cancel: 'fails',
  failed: 'fails',
  failure: 'fails',
  server_error: 'fails',
  internal_error: 'fails',
  overloaded: 'fails',
  preempted: 'fails',
  interrupted: 'fails',
} as const satisfies Readonly<Record<string, Ending>>;

const endingByReason: ReadonlyMap<string, Ending> = new Map(Object.entries(endings));

/**
 * Matches words that mean failure as parts of an unknown reason, such as `engine_error` or `upstream_timeout`. The
 * words include the statuses of gRPC, which a server may pass on.
 */
const failingWords =
  /(?<!(?:^|_)(?:no|non|not|without)_)(?<=^|_)(?:errors?|errored|abort(?:ed)?|fail(?:ed|ure)?|cancel(?:l?ed)?|exception|timeout|timed_out|overload(?:ed)?|preempt(?:ed|ion)?|evict(?:ed|ion)?|interrupted|disconnect(?:ed)?|crash(?:ed)?|killed|oom|out_of_memory|unavailable|unreachable|lost|died|panic(?:ked)?|fault(?:ed)?|reset|expired|throttled|rate_limit(?:ed)?|resources?_exhausted|deadline_exceeded|dropped|busy|rejected|shed|shut_?down|dead|unhealthy|throttling|quota_exceeded|insufficient|(?:no|over)_capacity|queue_full)(?:_|$)/;

const endingOf = (reason: string): Ending | undefined => {
  const spelled = endingByReason.get(reason);
  if (spelled !== undefined) return spelled;
  const plain = plainFinish(reason);
  return (
    endingByReason.get(plain) ??
    (failingWords.test(plain.slice(0, maxFinishLength)) ? 'fails' : undefined)
  );
};

/**
 * Returns whether a finish reason, in any spelling, fails the answer. It does if Weir knows the reason as a failure, or
 * if the scenario names the reason in `fails`.
 */
export const isFailingFinish = (reason: string, fails: readonly string[]): boolean =>
  endingOf(reason) === 'fails' || fails.some((each) => plainFinish(each) === plainFinish(reason));

/**
 * Returns whether Weir knows what a reason means. An unknown reason completes the answer, and the answer gets a note.
 */
export const isKnownFinish = (reason: string): boolean => endingOf(reason) !== undefined;

/**
 * At most this many UTF-16 units of a finish reason are read. If a server sends an API key in place of a reason, Weir
 * must read the whole key in order to mask it. API keys are shorter.
 */
const maxReadLength = 8192;

/**
 * Returns a finish reason in the form that results store. An unknown reason is masked and cleared of control
 * characters. Every reason is shortened.
 */
export const shownFinish = (reason: string, redact: (text: string) => string): string =>
  isKnownFinish(reason)
    ? reason.slice(0, maxFinishLength)
    : redact(reason)
        .replace(/[\u0000-\u001f\u007f]+/g, ' ')
        .slice(0, maxFinishLength)
        .toWellFormed();

/**
 * Reads the finish reason of a choice; `null` while the choice continues. While a choice continues, some servers send
 * an empty reason, and DashScope sends the text `null` (Model Studio, API reference). SGLang sends an object such as
 * `{type: "abort", message}` as a reason.
 */
const readFinish = (value: unknown): string | null => {
  if (value === null || value === undefined || value === '' || value === false) return null;
  if (value === 'null' || value === 'None') return null;
  if (typeof value === 'string') return value.slice(0, maxReadLength);
  if (typeof value === 'object' && 'type' in value) return readFinish(value.type);
  return JSON.stringify(value).slice(0, maxReadLength);
};

/**
 * Returns a finish reason if the value is a text or an object. A number is ignored, because vLLM's stop reason may be
 * the number of the token that ended the answer.
 */
const wordOf = (value: unknown): string | null =>
  typeof value === 'number' ? null : readFinish(value);

/**
 * Reads the finish reason of a choice. The reason may be in the choice's `finish_reason`, in Gemini's `finishReason`
 * (Gemini's API in the form of OpenAI's, in the last chunk), or within the delta or message. If these fields are
 * absent, `finish_details` or Anthropic's `stop_reason` counts. OpenRouter's `native_finish_reason` is the reason that
 * the server behind OpenRouter sent. This native reason counts if no other reason exists, or if only the native reason
 * means failure.
 */
export const finishOfChoice = (
  choice: Readonly<Record<string, unknown>>,
  part: unknown,
): string | null => {
  const own =
    readFinish(choice['finish_reason']) ??
    readFinish(choice['finishReason'] ?? objectOf(part)?.['finish_reason']);
  const native = choice['native_finish_reason'];
  if (native !== undefined && (own === null || endingOf(own) !== 'fails')) {
    const reason = wordOf(native);
    if (reason !== null && (own === null || endingOf(reason) === 'fails')) return reason;
  }
  return own ?? wordOf(choice['finish_details']) ?? wordOf(choice['stop_reason']);
};

/**
 * Reads the finish reason at the top of a document, which applies to all choices. Examples are Ollama's `done_reason`
 * and Anthropic's `stop_reason`.
 */
export const finishOfDocument = (document: Readonly<Record<string, unknown>>): string | null =>
  readFinish(document['finish_reason']) ??
  wordOf(document['done_reason']) ??
  wordOf(document['stop_reason']);
