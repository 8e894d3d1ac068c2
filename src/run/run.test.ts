// @gate 5 s
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunRequest } from './input/run-request.ts';
import { insideChat, type Inside, insideScenario, openInside } from './runs-inside.fixture.ts';

/** Whole runs in this process: the gateway listens in it, and the self-test, which has a process, is off. */

let inside: Inside;
beforeAll(async () => {
  inside = await openInside();
});
afterAll(() => inside.close());

const scenario = {
  ...insideScenario,
  load: { kind: 'constant', rate: '40/s', duration: '500ms' },
};
const run = (changes: object, more: Partial<RunRequest> = {}) =>
  inside.run({ ...scenario, ...changes }, more);

const long = { load: { kind: 'constant', rate: '40/s', duration: '30s' } };
/** They mostly wait, so they do it at the same time. */
describe.concurrent('a run in this process', () => {
  it('ends at a broken objective that ends it, and names it', async () => {
    const broken = {
      ...long,
      traffic: [{ ...insideChat, model: 'none' }],
      objectives: [{ objective: 'errorRate < 10%', abort: { after: '1s' } }],
    };
    const { finished, said } = await run(broken, { preflight: false });
    expect(finished.result.partial).toMatch(
      /^ended after \d.* s, since the objective errorRate < 10% was broken$/,
    );
    expect(said).toContain('ending: the objective errorRate < 10% is broken');
    expect(['empty', 'invalid', 'incomplete']).toContain(finished.exit);
  });

  it('shares its load among workers, and merges what they send', async () => {
    const { finished, outcomes } = await run({ workers: 2 });
    expect(outcomes).toMatchObject({ completed: 20, limited: 0, broken: 0 });
    expect(finished.result.slices).toHaveLength(2);
    expect(finished.result.partial).toBeNull();
  });

  it('reads the server’s metrics beside the load, and goes on if it cannot', async () => {
    const server = (metrics: string) => ({ server: { metrics, every: '100ms' } });
    const { said, warned, outcomes } = await run(server(`${inside.mock.controlUrl}/nothing`));
    // Alone: a reading that is still under way at the end does not count.
    const { finished } = await run(server(new URL('/metrics', inside.mock.url).href));
    expect(finished.result.server).toMatchObject({ failed: 0, lastFailure: null });
    expect(finished.result.server!.scrapes).toBeGreaterThan(0);
    expect([...said, ...warned].join('\n')).toContain(
      `The server’s metrics at ${inside.mock.controlUrl}/nothing could not be read: `,
    );
    expect(outcomes.completed).toBe(20);
  });
});
