import { usageSchema } from '../../../contract/chat.ts';
import type { CheckAnswer } from './check-answer.ts';
import { deviation, type Judged, open, pass, violation } from './check-case.ts';
import { fieldText, kindText, placesAt } from './json-fields.ts';
import { eventsIn, type StreamEvent } from './stream-lines.ts';

/** The chunks of a stream (interface 2.5), and what they say together. */

const known = new WeakMap<CheckAnswer, readonly StreamEvent[]>();

export const eventsOf = (answer: CheckAnswer): readonly StreamEvent[] => {
  const events = known.get(answer) ?? eventsIn(answer.received.body);
  known.set(answer, events);
  return events;
};

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Judges that the data of each event is a document. */
export const judgeDocuments = (answer: CheckAnswer): Judged => {
  const events = eventsOf(answer);
  const wrong = events.findIndex(({ json }) => !isObject(json));
  return wrong < 0
    ? pass(`${events.length} events`)
    : violation(`the data of event ${wrong + 1} is no JSON object`);
};

/** Judges every chunk that is a document; `wrongIn` says what is wrong with one. */
export const judgeChunks = (
  answer: CheckAnswer,
  wrongIn: (chunk: unknown) => Judged | null,
): Judged => {
  const events = eventsOf(answer);
  const found = events.flatMap(({ json }, index) => {
    const judged = isObject(json) ? wrongIn(json) : null;
    return judged === null
      ? []
      : [{ ...judged, observed: `chunk ${index + 1}: ${judged.observed}` }];
  });
  const gravest = found.find(({ outcome }) => outcome === 'violation') ?? found[0];
  return gravest ?? pass(`${events.length} chunks`);
};

const usageIn = (events: readonly StreamEvent[]): readonly unknown[] =>
  events
    .map(({ json }) => placesAt(json, 'usage')[0]?.value)
    .filter((usage) => usage !== undefined && usage !== null);

/** The usage that an answer reports, whole or in its chunks; undefined if it reports none. */
export const reportedUsage = (answer: CheckAnswer): unknown =>
  answer.contentType === 'text/event-stream'
    ? usageIn(eventsOf(answer)).at(-1)
    : placesAt(answer.json, 'usage')[0]?.value;

const contentsOf = (events: readonly StreamEvent[]): readonly unknown[] =>
  events.flatMap(({ json }) => placesAt(json, 'choices.*.delta.content').map(({ value }) => value));

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export const judgeChoices = (chunk: unknown): Judged | null => {
  const choices = placesAt(chunk, 'choices')[0]?.value;
  if (!Array.isArray(choices)) {
    return usageIn([{ type: '', text: '', json: chunk }]).length > 0
      ? deviation('usage-without-choices', `choices is ${kindText(choices)} beside the usage`)
      : violation(`choices is ${kindText(choices)}`);
  }
  const wrongDelta = placesAt(chunk, 'choices.*.delta').find(
    ({ value }) => typeof value !== 'object' || value === null,
  );
  return wrongDelta === undefined
    ? null
    : violation(`${wrongDelta.path} is ${kindText(wrongDelta.value)}`);
};

export const judgeChunkIds = (answer: CheckAnswer): Judged => {
  const ids = eventsOf(answer)
    .filter(({ json }) => isObject(json))
    .map(({ json }) => placesAt(json, 'id')[0]?.value);
  const wrongAt = ids.findIndex((id) => typeof id !== 'string' || id === '');
  if (wrongAt >= 0) return violation(`the id of chunk ${wrongAt + 1} is ${kindText(ids[wrongAt])}`);
  const changed = ids.findIndex((id) => id !== ids[0]);
  return changed < 0
    ? pass('the same id on every chunk')
    : deviation('changing-ids', `chunk ${changed + 1} has another id than the first`);
};

export const judgeIncrements = (answer: CheckAnswer): Judged => {
  const contents = contentsOf(eventsOf(answer));
  const odd = contents.find((content) => !isAbsent(content) && typeof content !== 'string');
  if (odd !== undefined) return violation(`delta.content is ${kindText(odd)}`);
  const filled = contents.filter((content) => typeof content === 'string' && content !== '');
  return filled.length > 0
    ? pass(`${filled.length} increments`)
    : deviation('no-content', 'no chunk has delta.content');
};

/** Holds the increments against the usage, where the stream reports it. */
export const judgeStreamUsage = (answer: CheckAnswer, maxTokens: number): Judged => {
  const events = eventsOf(answer);
  const usage = usageIn(events).at(-1);
  if (usage === undefined) return open('no chunk has the usage');
  const parsed = usageSchema.safeParse(usage);
  if (!parsed.success) return violation('the usage has not the three counts');
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = parsed.data;
  const increments = contentsOf(events).filter((text) => typeof text === 'string' && text !== '');
  if (completion > maxTokens)
    return violation(`${completion} tokens were generated, ${maxTokens} were allowed`);
  if (increments.length > completion) {
    return deviation(
      'more-increments-than-tokens',
      `${increments.length} increments of text, but ${completion} tokens in the usage`,
    );
  }
  if (total !== undefined && total < prompt + completion)
    return violation(`${prompt} + ${completion} tokens, but the total is ${total}`);
  return pass(`${increments.length} increments of text, ${completion} tokens in the usage`);
};

export const judgeStreamFinish = (answer: CheckAnswer): Judged => {
  const reasons = eventsOf(answer)
    .flatMap(({ json }) => placesAt(json, 'choices.*.finish_reason'))
    .map(({ value }) => value)
    .filter((value) => !isAbsent(value) && value !== '');
  const [last] = reasons.slice(-1);
  if (last === undefined) return open('no chunk has finish_reason');
  return ['stop', 'length', 'tool_calls'].includes(last as string)
    ? pass(fieldText(answer, last))
    : deviation('other-finish', `finish_reason is ${fieldText(answer, last)}`);
};
