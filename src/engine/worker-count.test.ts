import { describe, expect, it } from 'vitest';
import type { Load } from '../model/plan/plan.ts';
import { constantLoad, fakePlan, usersAtOnce as users } from './fake-run.fixture.ts';
import { recommendedWorkers } from './worker-count.ts';

const streaming = (load: Load, maxTokens: number | null = 90) => {
  const stream = { kind: 'chat-stream', weight: 1, model: 'm', body: {}, price: null } as const;
  const conversations = [[{ role: 'user' as const, content: 'x' }]];
  const traffic = [{ ...stream, conversations, maxTokens }];
  return fakePlan(load, { stages: [{ name: 'main', load, traffic }] });
};

describe('the recommended number of workers', () => {
  it.each([
    ['a small load', streaming(constantLoad(10, 1000)), 8, 1],
    ['90 chunks and a request of 10, 300 times a second', streaming(constantLoad(300, 1000)), 8, 1],
    ['a little more', streaming(constantLoad(301, 1000)), 8, 2],
    ['ten times as much', streaming(constantLoad(3000, 1000)), 64, 10],
    ['never the last core', streaming(constantLoad(3000, 1000)), 2, 1],
    ['never less than one', streaming(constantLoad(3000, 1000)), 1, 1],
    ['answers of unknown length count as 256', streaming(constantLoad(200, 1000), null), 8, 2],
    ['requests without streams', fakePlan(constantLoad(6001, 1000)), 8, 3],
    ['users, assuming a fast target', streaming(users(1000)), 8, 4],
  ])('%s', (_, plan, cores, workers) => {
    expect(recommendedWorkers(plan, cores)).toBe(workers);
  });
});
