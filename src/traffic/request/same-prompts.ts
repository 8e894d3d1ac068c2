import type { ChatContent } from '../../model/workload/workload.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { TargetMemory } from '../traffic-handler.ts';

/**
 * This file finds the requests of a slice that have the same prompt. The answers to these requests must report the same
 * number of input tokens.
 */

type ChatTraffic = TrafficOf<'chat' | 'chat-stream'>;
type Messages = ChatContent['messages'];

/** The input tokens that the first answer to a prompt reported; absent until the first answer comes. */
export interface FirstAnswer {
  input?: number;
}

/**
 * The body fields that do not change a prompt. Any other field may change a prompt, for example `tools` or
 * `reasoning_effort`.
 */
const besidePrompts: ReadonlySet<string> = new Set(
  'max_tokens max_completion_tokens min_tokens temperature top_p top_k min_p seed stop n user stream_options ignore_eos presence_penalty frequency_penalty repetition_penalty logprobs top_logprobs cache_prompt'.split(
    ' ',
  ),
);

/** For each entry, the model and the body fields that may change a prompt, as one text. */
const knownFields = new WeakMap<ChatTraffic, string>();

const fieldsOf = (traffic: ChatTraffic): string => {
  const known = knownFields.get(traffic);
  if (known !== undefined) return known;
  const fields = Object.entries(traffic.body).filter(([name]) => !besidePrompts.has(name));
  const text = JSON.stringify([traffic.model, fields.toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  knownFields.set(traffic, text);
  return text;
};

/**
 * The first answers by prompt. `byMessages` finds the first answer to a conversation of an entry without reading the
 * text of the conversation.
 */
interface KnownAnswers {
  readonly byText: Map<string, FirstAnswer>;
  readonly byMessages: WeakMap<Messages, WeakMap<ChatTraffic, FirstAnswer>>;
}

const known = new WeakMap<TargetMemory, KnownAnswers>();

/** Only the first prompts of a slice, up to this many different ones, are remembered by their text. */
const maxPrompts = 10_000;

/** Returns the first answer to a conversation in the plan. Such a conversation is sent many times. */
export const firstAnswerTo = (
  memory: TargetMemory,
  traffic: ChatTraffic,
  messages: Messages,
): FirstAnswer | undefined => {
  let answers = known.get(memory);
  if (answers === undefined) {
    answers = { byText: new Map(), byMessages: new WeakMap() };
    known.set(memory, answers);
  }
  const { byText, byMessages } = answers;
  let ofMessages = byMessages.get(messages);
  const found = ofMessages?.get(traffic);
  if (found !== undefined) return found;
  const text = fieldsOf(traffic) + JSON.stringify(messages);
  const first = byText.get(text) ?? {};
  if (byText.size < maxPrompts) byText.set(text, first);
  ofMessages ??= new WeakMap();
  byMessages.set(messages, ofMessages.set(traffic, first));
  return first;
};
