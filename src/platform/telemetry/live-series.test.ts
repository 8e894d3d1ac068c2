import { expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import { instant } from '../../model/quantity.ts';
import { liveSeries, recordLiveObservation } from './live-series.ts';

it('the buckets of each histogram ascend in small steps, and other series have none', () => {
  for (const { kind, buckets } of Object.values(liveSeries)) {
    expect(buckets).toEqual([...new Set(buckets)].toSorted((a, b) => a - b));
    expect(buckets.length > 0).toBe(kind === 'histogram');
    // No bound is more than four times the one before.
    for (const [i, bound] of buckets.entries())
      if (i > 0) expect(bound / buckets[i - 1]!).toBeLessThanOrEqual(4);
  }
});

const attempt = {
  key: 'k',
  begun: instant(102),
  released: instant(100),
  sent: instant(103),
  head: { at: instant(110), status: 200, quota: null, serverId: null },
  ended: instant(350),
};
const observed = (differing: object): readonly string[] => {
  const recorded: string[] = [];
  const observation = {
    ...attempt,
    traffic: 'chat',
    model: 'm',
    stage: 1,
    due: instant(100),
    reserved: null,
    connected: null,
    connection: null,
    earlier: [],
    outcome: { kind: 'dropped', cause: 'saturated' },
    ...differing,
  } as unknown as Observation;
  const short = (labels: object): string =>
    Object.entries(labels)
      .filter(([, value]) => !['chat', 'm', 'peak'].includes(String(value)))
      .map(([name, value]) => `${name}=${value}`)
      .join(' ');
  recordLiveObservation(
    (series, value, labels) => recorded.push(`${series} ${value} ${short(labels)}`.trim()),
    ['steady', 'peak'],
    observation,
  );
  return recorded;
};

it('an arrival counts once, each attempt by its status, and a completed one its time and tokens', () => {
  const tokens = { input: 7, output: 5, source: 'usage' };
  const completed = { kind: 'completed', answer: { kind: 'chat', tokens } };
  const limited = { ...attempt, key: 'j', head: { ...attempt.head, status: 429 } };
  const retried = { ...limited, outcome: { kind: 'limited' }, begun: instant(101) };
  expect(observed({ outcome: completed, earlier: [retried] })).toEqual([
    'arrivals 1 key=k outcome=completed',
    'attempts 1 key=j status=429',
    'lag 0.001',
    'attempts 1 key=k status=200',
    'lag 0.002',
    'endToEnd 0.25 key=k',
    'tokens 5 key=k direction=output',
    'tokens 7 key=k direction=input',
  ]);
  const unread = { ...completed, answer: { kind: 'chat', tokens: { ...tokens, input: null } } };
  expect(observed({ outcome: unread }).slice(-2)).toEqual([
    'endToEnd 0.25 key=k',
    'tokens 5 key=k direction=output',
  ]);
});

it('a failure has no time and no tokens, and what is not known has an empty label', () => {
  const broken = { kind: 'broken', cause: 'reset', detail: '', partial: null };
  const differing = { outcome: broken, head: null, model: null, stage: 7, begun: instant(99) };
  expect(observed(differing)).toEqual([
    'arrivals 1 model= key=k stage=7 outcome=broken',
    'attempts 1 model= key=k stage=7 status=0',
    'lag 0',
  ]);
});

it('a key has the remaining amounts that a gateway reported last', () => {
  const quota = { limitRequests: 9, remainingRequests: 0, limitTokens: 9, remainingTokens: 8 };
  const remaining = (reported: object) =>
    observed({ head: { ...attempt.head, quota: { ...quota, ...reported } } }).filter((line) =>
      line.startsWith('remaining'),
    );
  expect(remaining({})).toEqual([
    'remaining 0 key=k unit=requests',
    'remaining 8 key=k unit=tokens',
  ]);
  expect(remaining({ remainingRequests: null })).toEqual(['remaining 8 key=k unit=tokens']);
  expect(remaining({ remainingTokens: null })).toEqual(['remaining 0 key=k unit=requests']);
});
