import { describe, expect, it } from 'vitest';
import type { LimitCheck, LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import { checkCounting, checkExhausted } from './check-counting.ts';
import { sampleReply } from './sample-reply.fixture.ts';

const window = milliseconds(10_000);

const logOf = (replies: readonly ProbeReply[]): LimitLog => ({
  declared: { requests: { limit: 20, window }, tokens: null, permitted: [] },
  replies,
  unanswered: [],
  cut: null,
});

const remains = (requests: number | null, tokens: number | null = null): ProbeReply['told'] =>
  Object.entries({ requests, tokens }).flatMap(([unit, remaining]) =>
    remaining === null
      ? []
      : [{ profile: 'x', descriptor: 'api_key', unit, limit: null, remaining, resetIn: null }],
  );

type Counted = readonly [request: ProbeReply['request'], remaining: number | null];

/** Replies of the counting, one each `step` ms, with what remained. */
const counting = (replies: readonly Counted[], step = 600): readonly ProbeReply[] =>
  replies.map(([request, remaining], i) =>
    sampleReply(i * step, {
      request,
      told: remains(remaining),
      usage: request.startsWith('chat') ? { input: 3, output: 1 } : null,
      asked: request.startsWith('chat') ? { characters: 8, maxTokens: 1 } : null,
    }),
  );

const costsIn = (replies: readonly ProbeReply[]): readonly string[] =>
  checkCounting(logOf(replies))
    .filter(({ id }) => id.startsWith('counts-'))
    .map(({ id, finding, observed }) => `${id} ${finding}: ${observed}`);

describe('what a request costs', () => {
  it('is the drop between the chats around it', () => {
    expect(
      costsIn(
        counting([
          ['chat', 19],
          ['models', null],
          ['chat', 18],
          ['speech', null],
          ['chat', 16],
          ['chat-stream', null],
          ['chat', 14],
          ['wrong-key', null],
          ['chat', 12],
        ]),
      ),
    ).toEqual([
      'counts-models proved: it cost 0 requests',
      'counts-speech proved: it cost 1 request',
      'counts-chat-stream proved: it cost 1 request',
      'counts-wrong-key refuted: it cost 1 request',
    ]);
  });

  it('is claimed by the interface of streams and wrong keys', () => {
    const claims = checkCounting(
      logOf(
        counting([
          ['chat', 19],
          ['chat-stream', null],
          ['chat', 17],
          ['wrong-key', null],
          ['chat', 16],
          ['unknown-path', null],
          ['chat', 15],
        ]),
      ),
    ).map(({ id, claim, section }) => [id, claim, section]);
    expect(claims.slice(0, 3)).toEqual([
      ['counts-chat-stream', 'A streamed chat counts as one request.', '8'],
      ['counts-wrong-key', 'A request with another key does not count against this key.', '8'],
      [
        'counts-unknown-path',
        'The cost of a path that does not exist (404) is known; the interface leaves it open.',
        null,
      ],
    ]);
  });

  it('is shown neither by a plain chat, nor between other requests, nor by a drop that was refilled', () => {
    expect(
      costsIn(
        counting([
          ['chat', 19],
          ['long-prompt', 18],
          ['chat', 17],
          ['speech', null],
          ['models', null],
          ['chat', 16],
          ['speech', null],
          ['chat', 16],
        ]),
      ),
    ).toEqual([]);
  });

  it('is what it was at first', () => {
    expect(
      costsIn(
        counting([
          ['chat', 19],
          ['speech', null],
          ['chat', 17],
          ['speech', null],
          ['chat', 16],
        ]),
      ),
    ).toEqual(['counts-speech proved: it cost 1 request']);
  });

  it('is unknown if a chat does not lower remaining by one, in the whole log and in the first window', () => {
    const steady: readonly Counted[] = [
      ['chat', 19],
      ['chat', 18],
      ['speech', null],
      ['chat', 16],
    ];
    const risen = [...steady, ['chat', 13] as const];
    expect(costsIn(counting(risen))).toEqual([
      'counts-speech undecided: the remaining requests also rise by themselves between requests',
    ]);
    // The first window of at least nine seconds is steady, whatever comes after it.
    expect(costsIn(counting(risen, 2991))).toEqual([]);
    expect(costsIn(counting(risen, 2990))).toEqual(['counts-speech proved: it cost 1 request']);
    expect(costsIn(counting(risen, 2242))).toEqual([
      'counts-speech undecided: the remaining requests also rise by themselves between requests',
    ]);
    expect(costsIn(counting(risen, 2243))).toEqual(['counts-speech proved: it cost 1 request']);
  });
});

describe('what is charged', () => {
  type Charged = readonly [kind: 'chat' | 'long-prompt' | 'longer-answer', tokens: number];
  const sizes = {
    chat: { asked: { characters: 8, maxTokens: 1 }, usage: { input: 3, output: 1 } },
    'long-prompt': { asked: { characters: 1509, maxTokens: 1 }, usage: { input: 303, output: 1 } },
    'longer-answer': { asked: { characters: 8, maxTokens: 40 }, usage: { input: 3, output: 40 } },
  };
  const accounting = (...chats: readonly Charged[]): string => {
    const { finding, observed } = checkCounting(
      logOf(
        chats.map(([request, tokens], i) =>
          sampleReply(i * 600, { request, told: remains(19 - i, tokens), ...sizes[request] }),
        ),
      ),
    ).find(({ id }) => id === 'token-accounting')!;
    return `${finding}: ${observed}`;
  };

  it.each<readonly [string, number, number, number]>([
    [
      'proved: charged: the tokens used, after the answer (4 drops in remaining tokens)',
      4,
      304,
      43,
    ],
    ['refuted: charged: the tokens of the answer only (4 drops in remaining tokens)', 1, 1, 40],
    ['refuted: charged: the tokens of the prompt only (4 drops in remaining tokens)', 3, 303, 3],
    [
      'refuted: charged: a quarter of the characters and max_tokens, never corrected (4 drops in remaining tokens)',
      3,
      379,
      42,
    ],
    ['refuted: no known counting method explains the 4 drops in remaining tokens', 9, 900, 90],
  ])('is %s', (found, small, long, longer) => {
    const drops = [small, long, small, longer];
    const kinds = ['chat', 'chat', 'long-prompt', 'chat', 'longer-answer'] as const;
    let left = 10_000;
    const chats = kinds.map((kind, i): Charged => {
      left -= i === 0 ? 0 : drops[i - 1]!;
      return [kind, left];
    });
    expect(accounting(...chats)).toBe(found);
  });

  it('is unknown by fewer than three drops, or by equal ones', () => {
    const few = 'undecided: too few chats reported remaining tokens';
    expect(accounting(['chat', 100], ['chat', 96], ['long-prompt', 5])).toBe(few);
    expect(accounting(['chat', 100], ['chat', 96], ['chat', 92], ['chat', 88])).toBe(few);
    expect(accounting()).toBe(few);
  });
});

describe('an exhausted key', () => {
  const exhausted = (request: ProbeReply['request'], status: number): ProbeReply =>
    sampleReply(20_000, { phase: 'exhausted', request, status, admitted: status !== 429 });
  const before = (cost: number): readonly ProbeReply[] =>
    counting([
      ['chat', 19],
      ['chat', 18],
      ['chat-stream', null],
      ['chat', 17 - cost],
    ]);
  const streams = (...replies: readonly ProbeReply[]): string => {
    const { finding, observed, violates, evidence } = checkExhausted(logOf(replies)).find(
      ({ id }) => id === 'streams-limited',
    )!;
    return `${finding}${violates ? '!' : ''} ${evidence.length}: ${observed}`;
  };

  it('lets streams through that cost nothing', () => {
    const [chat, stream] = [exhausted('chat', 429), exhausted('chat-stream', 200)];
    expect(streams(...before(0), chat, stream)).toBe(
      'refuted! 2: a stream cost nothing and was admitted while the key’s other chats were refused',
    );
    const possibly =
      'undecided 0: a stream was admitted; other chats were possibly admitted again by then';
    expect(streams(...before(1), chat, stream)).toBe(possibly);
    expect(streams(chat, stream)).toBe(possibly);
    expect(streams(...before(0), exhausted('chat', 200), stream)).toBe(possibly);
    expect(streams(...before(0), chat, exhausted('chat-stream', 500))).toBe(possibly);
    expect(streams(...before(0), chat, exhausted('chat-stream', 429))).toBe(
      'proved 0: a stream was refused while the key was exhausted',
    );
    expect(streams(...before(0), chat)).toBe(
      'undecided 0: no stream was sent with the exhausted key',
    );
    expect(streams(...before(0), chat, { ...stream, key: 'second' })).toMatch(/no stream/);
  });

  const timed = (sent: number, took: number, changes: Partial<ProbeReply> = {}): ProbeReply =>
    sampleReply(sent, { answered: instant(sent + took), ...changes });
  const latency = (first: readonly number[], second: readonly number[]): LimitCheck =>
    checkExhausted(
      logOf([
        ...first.map((took, i) => timed(i * 1000, took)),
        ...second.map((took, i) =>
          timed(20_000 + i * 1000, took, { key: 'second', phase: 'exhausted' }),
        ),
      ]),
    ).find(({ id }) => id === 'key-latency')!;

  it('slows another down if its fastest answer is slower than all before', () => {
    const first = [30.4, 40, 50, 60, 70];
    const [fast, slow] = [
      [70, 80, 90, 95, 100.6],
      [71, 80, 90, 95, 100],
    ];
    expect(latency(first, fast)).toMatchObject({
      finding: 'proved',
      observed: 'the second key was answered in 70 to 101 ms, the first key earlier in 30 to 70 ms',
    });
    expect(latency(first, slow).finding).toBe('refuted');
    expect(latency(first, slow.slice(1))).toMatchObject({
      finding: 'undecided',
      observed: 'too few small chats of each key were answered',
    });
    expect(latency(first.slice(1), slow).finding).toBe('undecided');
  });
});
