import { maxFinishLength, plainFinish } from '../../model/observation/outcome.ts';
import { objectOf } from './json-text.ts';

/**
 * This file defines which finish reasons complete an answer and which fail it. `content_filter` and `length` complete
 * an answer: the API documents them as ends of an answer that was served and billed. A scenario can declare that these
 * or other reasons fail an answer (`fails`).
 */

type Ending = 'completes' | 'fails';

/** The known reasons in lower case, each with its ending. The comments name the servers that send them, and where they are defined. */
const endings = {
  // The OpenAI API (openai/openai-openapi, finish_reason), and the interface (2.4).
  stop: 'completes',
  length: 'completes',
  tool_calls: 'completes',
  function_call: 'completes',
  content_filter: 'completes',
  // Text Generation Inference (router/src/lib.rs, FinishReason), and Together’s `eos` (API reference, finish_reason).
  eos_token: 'completes',
  eos: 'completes',
  stop_sequence: 'completes',
  // vLLM (vllm/v1/engine/__init__.py, FINISH_REASON_STRINGS): it ends an answer that repeats itself.
  repetition: 'completes',
  // The Anthropic API (Messages, stop_reason), through proxies that do not translate it.
  end_turn: 'completes',
  max_tokens: 'completes',
  tool_use: 'completes',
  pause_turn: 'completes',
  refusal: 'completes',
  // Anthropic, Amazon Bedrock and Zhipu GLM.
  model_context_window_exceeded: 'completes',
  // Amazon Bedrock (Converse, StopReason), through proxies.
  content_filtered: 'completes',
  guardrail_intervened: 'completes',
  // Mistral (OpenAPI, ChatCompletionChoice.finish_reason: stop, length, model_length, error, tool_calls).
  model_length: 'completes',
  // Zhipu GLM (API reference, finish_reason): what was unsafe is left out.
  sensitive: 'completes',
  // Cohere (OpenAPI, FinishReason; its ERROR, ERROR_TOXIC, ERROR_LIMIT, USER_CANCEL and TIMEOUT are below).
  complete: 'completes',
  tool_call: 'completes',
  // Gemini (FinishReason), through proxies.
  safety: 'completes',
  recitation: 'completes',
  blocklist: 'completes',
  prohibited_content: 'completes',
  spii: 'completes',
  image_safety: 'completes',
  language: 'completes',
  malformed_function_call: 'completes',
  unexpected_tool_call: 'completes',
  // Ollama (server/routes.go): the model was only loaded or unloaded.
  load: 'completes',
  unload: 'completes',
  // SGLang (python/sglang/srt/managers/schedule_batch.py, FINISH_ABORT) and vLLM (FINISH_REASON_STRINGS).
  abort: 'fails',
  aborted: 'fails',
  // vLLM, OpenRouter (API reference, errors in streams), Mistral, Cohere, LMDeploy (lmdeploy/serve/openai/protocol.py).
  error: 'fails',
  error_toxic: 'fails',
  error_limit: 'fails',
  user_cancel: 'fails',
  // DeepSeek (API reference, finish_reason): the request was interrupted for want of resources.
  insufficient_system_resource: 'fails',
  insufficient_system_resources: 'fails',
  // Zhipu GLM (API reference, finish_reason): the inference failed.
  network_error: 'fails',
  // TensorRT-LLM (tensorrt_llm/executor/result.py, CompletionOutput.finish_reason), and Cohere.
  timeout: 'fails',
  cancelled: 'fails',
  // No server is known for these words, which say a failure whoever sends them.
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

/** The words that say a failure within reasons that no server is known for, such as `engine_error` or `upstream_timeout`. */
const failingWords =
  /(?<!(?:^|_)(?:no|non|not|without)_)(?<=^|_)(?:errors?|errored|abort(?:ed)?|fail(?:ed|ure)?|cancel(?:l?ed)?|exception|timeout|timed_out|overload(?:ed)?|preempt(?:ed|ion)?|evict(?:ed|ion)?|interrupted|disconnect(?:ed)?|crash(?:ed)?|killed|oom|out_of_memory|unavailable)(?:_|$)/;

const endingOf = (reason: string): Ending | undefined => {
  const spelled = endingByReason.get(reason);
  if (spelled !== undefined) return spelled;
  const plain = plainFinish(reason);
  return (
    endingByReason.get(plain) ??
    (failingWords.test(plain.slice(0, maxFinishLength)) ? 'fails' : undefined)
  );
};

/** Decides whether a finish reason fails the answer: it is known to do so, or the scenario names it. */
export const isFailingFinish = (reason: string, fails: readonly string[]): boolean =>
  endingOf(reason) === 'fails' || fails.includes(reason);

/** Decides whether Weir knows what a reason means. An unknown one completes the answer, with a note. */
export const isKnownFinish = (reason: string): boolean => endingOf(reason) !== undefined;

/** The maximum length of a finish reason that is read. It is longer than a key, so that an echoed one is masked whole. */
const maxReadLength = 8192;

/** Returns a finish reason as results hold it: masked, shortened and without control characters. */
export const shownFinish = (reason: string, redact: (text: string) => string): string =>
  isKnownFinish(reason)
    ? reason.slice(0, maxFinishLength)
    : redact(reason)
        .replace(/[\u0000-\u001f\u007f]+/g, ' ')
        .slice(0, maxFinishLength)
        .toWellFormed();

/**
 * Reads the finish reason of a choice; `null` while the choice continues. Some servers send an empty reason until the
 * end, DashScope the text `null` (Model Studio, API reference), and SGLang an object such as `{type: "abort", message}`.
 */
export const readFinish = (value: unknown): string | null => {
  if (value === null || value === undefined || value === '' || value === false) return null;
  if (value === 'null' || value === 'None') return null;
  if (typeof value === 'string') return value.slice(0, maxReadLength);
  if (typeof value === 'object' && 'type' in value) return readFinish(value.type);
  return JSON.stringify(value).slice(0, maxReadLength);
};

/**
 * Reads the finish reason of a choice from its own field, from Gemini's `finishReason` (its API in the form of OpenAI's,
 * in the last chunk), or from within its delta or message.
 */
export const finishOfChoice = (
  choice: Readonly<Record<string, unknown>>,
  part: unknown,
): string | null =>
  readFinish(choice['finish_reason']) ??
  readFinish(choice['finishReason'] ?? objectOf(part)?.['finish_reason']);
