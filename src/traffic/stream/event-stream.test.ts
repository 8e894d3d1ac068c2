// @gate 1 s
import type { Outcome } from '../../model/observation/outcome.ts';
import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { contextWith, readAt, replay } from '../kinds/replay.fixture.ts';

/**
 * This file compares the reader with a slow oracle: eventsource-parser finds the events of the whole text, JSON.parse
 * reads every one, and plain code computes the outcome. One event is one read, so that instants are compared, too.
 */

interface Call {
  readonly id?: unknown;
  readonly function?: { readonly arguments?: unknown };
}
interface Choice {
  readonly index?: number;
  readonly delta?: (Readonly<Record<string, unknown>> & { tool_calls?: readonly Call[] }) | null;
  readonly finish_reason?: string | null;
}
interface Body {
  readonly choices?: readonly Choice[] | null;
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: unknown } | null;
  readonly error?: unknown;
}

const someText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', ' the', 'é😀', 'x'.repeat(40), '漢', 'weir') },
  {
    weight: 3,
    arbitrary: fc.constantFrom('', null, '"', '\\', '\n', '\\"', '\u2028', '"content":"', '}]}'),
  },
  { weight: 1, arbitrary: fc.string() },
);
const toolCalls = fc.constantFrom(
  null,
  [],
  [{ index: 0, type: 'function', function: { arguments: '' } }],
  [{ index: 0, function: { arguments: '{"content":"x"}' } }],
  [{ index: 0, id: 'call_1' }],
);
const delta = fc.oneof(
  { weight: 8, arbitrary: fc.record({ content: someText }) },
  { weight: 3, arbitrary: fc.record({ reasoning_content: someText, content: fc.constant(null) }) },
  { weight: 1, arbitrary: fc.record({ reasoning: someText }) },
  {
    weight: 3,
    arbitrary: fc.record(
      {
        role: fc.constant('assistant'),
        content: someText,
        reasoning: someText,
        reasoning_content: someText,
        refusal: someText,
        tool_calls: toolCalls,
      },
      { requiredKeys: [] },
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, {}, { content: 7 }) },
);
const finishReason = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(null, undefined) },
  { weight: 2, arbitrary: fc.constantFrom('stop', 'length', 'tool_calls') },
  { weight: 1, arbitrary: fc.constantFrom('error', '') },
);
const choice = fc.record(
  {
    meta: fc.constantFrom({ content: 'trap' }, { content: '' }),
    index: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.constantFrom(1, undefined)),
    delta,
    logprobs: fc.constantFrom(null, { content: [{ token: 'x' }] }, { content: 'trap' }),
    finish_reason: finishReason,
  },
  { requiredKeys: ['delta', 'index'] },
);
const usage = fc.constantFrom(
  null,
  undefined,
  { prompt_tokens: 3, completion_tokens: 0 },
  { completion_tokens: 'x' },
  {},
  ...[1, 2, 7].map((n) => ({ prompt_tokens: 3, completion_tokens: n, total_tokens: 3 + n })),
);
const rarely = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const chunk = fc.record({
  created: fc.oneof({ weight: 9, arbitrary: fc.constant(1) }, fc.constant(2)),
  note: rarely(fc.constant({ content: 'trap' })),
  choices: fc.oneof(
    { weight: 12, arbitrary: fc.array(choice, { minLength: 1, maxLength: 1 }) },
    { weight: 1, arbitrary: fc.array(choice, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
  ),
  usage: rarely(usage),
  error: rarely(fc.constantFrom(null, { message: 'no luck' }, 'no luck')),
});
/** Returns a member of a delta. Texts and reasoning are content parts. */
function memberOf(member: string, text: unknown): object {
  if (member === 'text') return { content: [{ type: 'text', text }] };
  if (member !== 'thinking') return { [member]: text };
  return { content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
}
/** Generates events that differ in one text only, as those of a real stream do, with difficult characters in it. */
const run = fc
  .tuple(
    chunk.filter(({ choices }) => choices?.length === 1),
    fc.constantFrom({}, { role: 'assistant' }, { content: null }, { tool_calls: null }),
    fc.constantFrom('content', 'reasoning', 'reasoning_content', 'refusal', 'text', 'thinking'),
    fc.array(someText, { minLength: 3, maxLength: 12 }),
  )
  .map(([base, beside, member, texts]) =>
    texts.map((content) => ({
      type: 'message',
      json: {
        ...base,
        choices: [{ ...base.choices![0], delta: { ...beside, ...memberOf(member, content) } }],
      },
    })),
  );
const event = fc.oneof(
  { weight: 12, arbitrary: chunk.map((json) => ({ type: 'message', json })) },
  { weight: 1, arbitrary: fc.constantFrom('[DONE]', '{"a":', '5', '', 'null').map(rawEvent) },
  { weight: 1, arbitrary: fc.constant({ type: 'error', json: { message: 'no luck' } }) },
);
const someEvents = fc
  .array(
    fc.oneof({ weight: 2, arbitrary: run }, { weight: 1, arbitrary: event.map((one) => [one]) }),
    {
      maxLength: 6,
    },
  )
  .map((groups) => groups.flat());
function rawEvent(raw: string): { type: string; raw: string } {
  return { type: 'message', raw };
}

const writings: Readonly<Record<string, (json: unknown) => string>> = {
  compact: (json) => JSON.stringify(json),
  spaced: (json) => JSON.stringify(json, null, 1).replaceAll(/\n */g, ' '),
  ascii: (json) =>
    JSON.stringify(json).replaceAll(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
};

const stream = fc.record({
  writing: fc.constantFrom(...Object.keys(writings)),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  events: someEvents,
  isDone: fc.boolean(),
  streams: fc.constantFrom('lenient' as const, 'strict' as const),
});
type Stream = typeof stream extends fc.Arbitrary<infer T> ? T : never;

const readsOf = ({ writing, lineEnd, events, isDone }: Stream): string[] => [
  `: a stream${lineEnd}`,
  ...[...events, ...(isDone ? [rawEvent('[DONE]')] : [])].map((entry) => {
    const data = 'raw' in entry ? entry.raw : writings[writing]!(entry.json);
    const name = entry.type === 'message' ? '' : `event: ${entry.type}${lineEnd}`;
    return `${name}data: ${data}${lineEnd}${lineEnd}`;
  }),
];

const isText = (value: unknown): boolean => typeof value === 'string' && value.length > 0;

interface Part {
  readonly type: string;
  readonly text?: unknown;
  readonly thinking?: readonly Part[];
}
const bears = ({ delta: piece }: Choice): 'visible' | 'reasoning' | null => {
  if (!piece) return null;
  if (Array.isArray(piece['content'])) {
    const [part] = piece['content'] as Part[];
    if (isText(part?.thinking?.[0]?.text)) return 'reasoning';
    if (isText(part?.text)) return 'visible';
  }
  const call = piece.tool_calls?.some((one) => isText(one.id) || isText(one.function?.arguments));
  if (call === true || isText(piece['content']) || isText(piece['refusal'])) return 'visible';
  return isText(piece['reasoning']) || isText(piece['reasoning_content']) ? 'reasoning' : null;
};

/** Computes the outcome of a stream in the slow and plain way. */
class Oracle {
  firstEvent: number | null = null;
  firstVisible: number | null = null;
  readonly tokenInstants: number[] = [];
  readonly finishes = new Map<number, string | null>();
  usage: { readonly input: number; readonly output: number } | null = null;
  firstChunkTokens: number | null = null;
  issue: string | null = null;
  isDone = false;
  isOver = false;
  hasFailedFinish = false;

  take(at: number, type: string, data: string): void {
    // After a failed choice, only an error, which explains it, and the end still count.
    if (this.isOver || (this.issue !== null && !this.hasFailedFinish)) return;
    if (this.isDone) return this.takeLate(data);
    if (data === '[DONE]' && type === 'message') {
      this.isDone = true;
      return;
    }
    if (data === '' && type === 'message') return;
    const body = plainly(data);
    const isError = Boolean(body?.error);
    if (this.hasFailedFinish) {
      this.isOver = type === 'error' || isError;
      return;
    }
    const isBad = body?.choices?.some((one) => one.delta?.['content'] === 7) ?? body === null;
    if (type === 'error' || isError) this.issue = 'stream-error';
    else if (isBad || body === null) this.issue = 'stream-event';
    else this.takeChunk(at, body);
  }

  /** Takes the usage of the one event after `[DONE]`. */
  takeLate(data: string): void {
    this.isOver = true;
    const body = plainly(data);
    const isBad = body?.choices?.some((one) => one.delta?.['content'] === 7) ?? body === null;
    if (!isBad && !body?.error) this.takeUsage(body?.usage);
  }

  takeUsage(counts: Body['usage']): Oracle['usage'] {
    const output = counts?.completion_tokens;
    const counted =
      typeof output === 'number' && counts ? { input: counts.prompt_tokens, output } : null;
    // Zeros replace no counts.
    const before = this.usage;
    this.usage =
      counted === null || before === null
        ? (counted ?? before)
        : { input: counted.input || before.input, output: counted.output || before.output };
    return counted;
  }

  takeChunk(at: number, { choices, usage: counts }: Body): void {
    const all = choices ?? [];
    if (all.length > 0) this.firstEvent ??= at;
    for (const [position, one] of all.entries()) {
      const index = one.index ?? position;
      if (one.finish_reason) this.finishes.set(index, one.finish_reason);
      else if (!this.finishes.has(index)) this.finishes.set(index, null);
    }
    const counted = this.takeUsage(counts);
    const borne = all.map(bears);
    if (borne.includes('visible')) this.firstVisible ??= at;
    if (borne.some((one) => one !== null)) {
      const isFirst = this.tokenInstants.push(at) === 1;
      if (isFirst && counted !== null && counted.output > 0) this.firstChunkTokens = counted.output;
    }
    this.hasFailedFinish = all.some((one) => one.finish_reason === 'error');
    if (this.hasFailedFinish) this.issue = 'stream-error';
  }

  end(streams: Stream['streams']): object {
    const reasons = [...this.finishes.values()];
    const isNamed = streams === 'lenient' || reasons.some((reason) => reason !== null);
    const isWhole = (this.isDone && isNamed) || (streams === 'lenient' && !reasons.includes(null));
    const events = this.tokenInstants.length;
    const isNothing = reasons.every((reason) => reason === null) && events === 0;
    const isEmpty = this.isDone && isNothing && !this.usage?.output;
    const issueOfEnd =
      reasons.length === 0 || isEmpty ? 'empty' : isWhole ? null : 'stream-truncated';
    const isCounted = this.usage !== null && (this.usage.output > 0 || events === 0);
    const issue = this.issue ?? issueOfEnd;
    // The usage of an answer that did not come to its end is not all of it.
    const hasEnd = this.isDone || (reasons.length > 0 && !reasons.includes(null));
    const isFinal = isCounted && (issue === null || hasEnd);
    return {
      issue,
      firstEvent: this.firstEvent,
      firstVisible: this.firstVisible,
      tokenInstants: this.tokenInstants,
      firstChunkTokens: this.firstChunkTokens,
      tokens: {
        input: this.usage?.input ?? null,
        output: isFinal ? this.usage?.output : Math.max(events, this.usage?.output ?? 0),
        source: isFinal ? 'usage' : 'events',
      },
      // The reason that failed the stream comes before that of the first choice.
      finish: this.hasFailedFinish
        ? 'error'
        : (this.finishes.get(0) ?? reasons.find((reason) => reason !== null) ?? null),
    };
  }
}

const plainly = (data: string): Body | null => {
  try {
    const json: unknown = JSON.parse(data);
    // An event of nothing is one without choices.
    return typeof json === 'object' ? (json ?? {}) : null;
  } catch {
    return null;
  }
};

const expectation = (reads: readonly string[], streams: Stream['streams']): object => {
  const oracle = new Oracle();
  let read = 0;
  const parser = createParser({
    onEvent: ({ event: type, data }) => oracle.take(readAt(read), type ?? 'message', data),
  });
  for (read = 0; read < reads.length; read += 1) {
    parser.feed(reads[read]!.replaceAll(/\r\n?/g, '\n'));
  }
  return oracle.end(streams);
};

const facts = (outcome: Outcome): object => {
  const issue = outcome.kind === 'malformed' ? outcome.issue : null;
  const answer =
    outcome.kind === 'completed' ? outcome.answer : 'partial' in outcome ? outcome.partial : null;
  if (answer?.kind !== 'chat-stream') throw new Error('a stream was expected');
  const { firstEvent, firstVisible, firstChunkTokens, finish } = answer;
  const { most: _, ...tokens } = answer.tokens;
  const tokenInstants = [...answer.tokenInstants];
  return { issue, firstEvent, firstVisible, tokenInstants, firstChunkTokens, tokens, finish };
};

it('reads any stream like a parser of every event', () => {
  fc.assert(
    fc.property(stream, (one) => {
      const reads = readsOf(one);
      const outcome = replay(
        'chat-stream',
        reads.map((read) => Buffer.from(read)),
        {},
        contextWith({ streams: one.streams }),
      );
      expect(facts(outcome)).toEqual(expectation(reads, one.streams));
    }),
    { numRuns: 600 },
  );
});
