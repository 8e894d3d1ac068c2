import { expect, it } from 'vitest';
import type { LimitLog, ProbeReply } from '../../../model/limits/limit-log.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { checkExhausted } from './check-counting.ts';
import { sampleReply } from './sample-reply.fixture.ts';

type Exhausted = readonly [request: ProbeReply['request'], status: number, key?: ProbeReply['key']];

/** Judges what was answered once a key was exhausted. */
const judged = (...replies: readonly Exhausted[]) => {
  const window = milliseconds(10_000);
  const log: LimitLog = {
    declared: { requests: { limit: 20, window }, tokens: null, permitted: [] },
    replies: replies.map(([request, status, key = 'first'], place) =>
      sampleReply(place * 600, {
        request,
        status,
        key,
        phase: 'exhausted',
        admitted: status !== 429,
      }),
    ),
    unanswered: [],
    cut: null,
  };
  const checks = checkExhausted(log);
  return (id: string): readonly string[] => {
    const { finding, observed } = checks.find((check) => check.id === id)!;
    return [finding, observed];
  };
};

const unclear = 'the key was not certainly exhausted, or the other model cannot be used';

it.each<readonly [string, string, readonly Exhausted[]]>([
  [
    'refuted',
    'another model was admitted while the key was exhausted: limits are for each model',
    [
      ['chat', 429],
      ['other-model', 200],
      ['chat', 429],
    ],
  ],
  [
    'proved',
    'another model was refused while the key was exhausted',
    [
      ['chat', 429],
      ['other-model', 429],
      ['chat', 429],
    ],
  ],
  [
    'undecided',
    unclear,
    [
      ['chat', 200],
      ['other-model', 200],
      ['chat', 429],
    ],
  ],
  [
    'undecided',
    unclear,
    [
      ['chat', 429],
      ['other-model', 200],
      ['chat', 200],
    ],
  ],
  [
    'undecided',
    unclear,
    [
      ['chat', 429],
      ['chat', 429],
      ['other-model', 200],
    ],
  ],
  [
    'undecided',
    unclear,
    [
      ['chat', 429],
      ['other-model', 404],
      ['chat', 429],
    ],
  ],
  [
    'undecided',
    'the target lists no other chat model',
    [
      ['chat', 429],
      ['chat', 429],
    ],
  ],
])('that models share a limit is %s: %s', (finding, observed, replies) => {
  expect(judged(...replies)('limit-for-all-models')).toEqual([finding, observed]);
});

it.each<readonly [string, string, readonly Exhausted[]]>([
  [
    'proved',
    '2 of 2 requests of the idle second key',
    [
      ['chat', 200, 'second'],
      ['chat', 200, 'second'],
    ],
  ],
  [
    'proved',
    '1 of 2 requests of the idle second key',
    [
      ['chat', 200, 'second'],
      ['chat', 429, 'second'],
    ],
  ],
  [
    'refuted',
    '1 of 2 requests of the idle second key',
    [
      ['chat', 429, 'second'],
      ['chat', 200, 'second'],
    ],
  ],
  ['undecided', 'not tested: no second key was given (--second-key)', [['chat', 429]]],
])('that a key is apart from another is %s: %s', (finding, observed, replies) => {
  const found = judged(...replies)('key-isolation');
  expect(found).toEqual([finding, expect.stringContaining(observed)]);
});
