import { describe, expect, it } from 'vitest';
import { textsOfContent, mapContent } from '../workload/message.ts';
import { connectsAhead } from './connect-ahead.ts';
import type { Load, Plan } from './plan.ts';
import { populationOf, retriesOf, retryOf, stageStream } from './population.ts';
import { samplePlan } from './sample-plan.fixture.ts';
import { userIterationOf } from './user-iteration.ts';

/** Questions about a plan that several rooms ask. */

describe('connections are opened ahead', () => {
  const plan = samplePlan({ transport: 'socket' });
  const ahead = { ...plan, wire: { ...plan.wire, connectAhead: true } };
  const saturate = { ...plan.stages[0]!, load: { kind: 'saturate', connections: 3 } };
  it.each<[string, object]>([
    ['is not asked for', { wire: plan.wire }],
    ['opens one for each request', { wire: { ...ahead.wire, reuse: false } }],
    ['has a pace', { pace: { requests: 1 } }],
    ['uses undici', { transport: 'undici' }],
    ['saturates', { stages: [saturate] }],
    ['judges the time to connect', { objectives: [{ figure: { name: 'connect' } }] }],
    ['judges it for each request', { perRequest: [{ measure: 'connect' }] }],
  ])('unless a plan %s', (_, changes) => {
    const others = {
      objectives: [{ figure: { name: 'ttft' } }],
      perRequest: [{ measure: 'ttft' }],
    };
    expect(connectsAhead({ ...ahead, ...others } as unknown as Plan)).toBe(true);
    expect(connectsAhead({ ...ahead, ...others, ...changes } as unknown as Plan)).toBe(false);
  });
});

it('requests of users go round: each has every so many-th one; any other load has one user', () => {
  const closed = { kind: 'closed', users: 3 } as Load;
  expect(userIterationOf(closed, 7)).toEqual({ user: 1, users: 3, iteration: 2 });
  expect(userIterationOf({ kind: 'saturate', connections: 4 } as Load, 7)).toEqual({
    user: 3,
    users: 4,
    iteration: 1,
  });
  for (const load of [{ kind: 'iterations', users: 3 } as Load, undefined])
    expect(userIterationOf(load, 7)).toEqual({ user: 0, users: 1, iteration: 7 });
});

describe('a stage', () => {
  const [own, second] = [{ attempts: 2 }, { attempts: 5 }] as const;
  const populations = [
    { name: 'a', retry: own },
    { name: 'b', retry: null },
  ];
  const stages = [{ population: 'b', stream: 9 }, { population: 'a' }, { population: 'c' }, {}];
  const plan = { populations, stages, retry: second } as never;
  const alone = { stages: [{}], retry: second } as never;

  it('belongs to the population that it names', () => {
    expect([0, 1, 2, 3].map((stage) => populationOf(plan, stage)?.name)).toEqual([
      'b',
      'a',
      undefined,
      undefined,
    ]);
    expect(populationOf(alone, 0)).toBeUndefined();
  });

  it('is retried as its population says, or the plan', () => {
    expect([0, 1, 2].map((stage) => retryOf(plan, stage))).toEqual([null, own, null]);
    expect(retryOf(alone, 0)).toBe(second);
    expect(retriesOf(plan)).toEqual([own, null]);
    expect(retriesOf(alone)).toEqual([second]);
  });

  it('is drawn by its number, or the one of its population', () => {
    expect([0, 1, 7].map((stage) => stageStream(plan, stage))).toEqual([9, 1, 7]);
  });
});

describe('the content of a message', () => {
  const parts = [
    { type: 'text' as const, text: 'a' },
    { type: 'image_url' as const, image_url: { url: 'b', detail: 'low' as const } },
    { type: 'input_audio' as const, input_audio: { data: 'c', format: 'wav' } },
    { type: 'text' as const, text: 'd' },
  ];

  it('has the texts of its parts', () => {
    expect(textsOfContent('x')).toEqual(['x']);
    expect(textsOfContent(parts)).toEqual(['a', 'd']);
  });

  it('changes in each text, address and recording', () => {
    const twice = (text: string) => text + text;
    expect(mapContent('x', twice)).toBe('xx');
    expect(mapContent(parts, twice)).toEqual([
      { type: 'text', text: 'aa' },
      { type: 'image_url', image_url: { url: 'bb', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'cc', format: 'wav' } },
      { type: 'text', text: 'dd' },
    ]);
  });
});
