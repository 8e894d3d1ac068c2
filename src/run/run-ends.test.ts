import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sumOutcomes } from '../model/measures/outcome-counts.ts';
import { Problem } from '../platform/problem.ts';
import type { RunRequest } from './input/run-request.ts';
import { fakeHost, runRequest } from './fake-host.fixture.ts';
import {
  insideChat,
  insideKeys,
  type Inside,
  insideScenario,
  openInside,
} from './runs-inside.fixture.ts';
import { runOnce } from './run.ts';

/** What ends a run early, or happens to it after its load, in this process. */

let inside: Inside;
beforeAll(async () => {
  inside = await openInside();
});
afterAll(() => inside.close());

const scenario = { ...insideScenario, load: { kind: 'constant', rate: '40/s', duration: '100ms' } };
const run = (changes: object, more: Partial<RunRequest> = {}) =>
  inside.run({ ...scenario, ...changes }, more);
const long = { load: { kind: 'constant', rate: '40/s', duration: '30s' } };

/** They mostly wait, so they do it at the same time. */
describe.concurrent('a run in this process', () => {
  it('ends when it is stopped, says so once, and is partial', async () => {
    const fake = fakeHost(insideKeys);
    const running = runOnce(
      runRequest({ ...scenario, ...long }, inside.mock.url),
      fake.host,
      () => ({
        onObservation: ({ index }) => {
          if (index === 4) fake.stop('SIGTERM');
        },
      }),
    );
    const { result, exit } = await running;
    expect(exit).toBe('terminated');
    expect(result.partial).toBe('stopped by SIGTERM before the load had ended');
    expect(sumOutcomes(result.groups).completed).toBeLessThan(600);
    expect(fake.said.filter((text) => text.startsWith('stopping:'))).toEqual([
      'stopping: waiting up to 2 s for requests in flight; press Ctrl-C again to abort them',
    ]);
  });

  it('ends before it would pass its budget', async () => {
    const { finished, outcomes } = await run({
      budget: { requests: 7 },
      load: { kind: 'closed', users: 2, duration: '30s' },
    });
    expect(outcomes.completed).toBe(7);
    expect(finished.result.partial).toMatch(
      /^ended after .*, since the next request might have passed budget\.requests$/,
    );
  });

  it('sends no load with a model that the target neither lists nor answers', async () => {
    const unknown = { traffic: [{ ...insideChat, model: 'weir/none' }] };
    await expect(run(unknown)).rejects.toThrow(
      `${inside.mock.url} does not know the model weir/none. It lists weir/small`,
    );
    const { outcomes } = await run(unknown, { preflight: false });
    expect(outcomes).toMatchObject({ completed: 0 });
  });

  it('sends nothing once its lease is over, and says why', async () => {
    const lease = new Float64Array(new SharedArrayBuffer(8));
    const { finished, outcomes } = await run(long, { lease, isRetry: true });
    expect(outcomes.completed).toBe(0);
    expect(finished.result.partial).toMatch(/^ended after .*, since the coordinator was silent$/);
    expect(finished.exit).not.toBe('pass');
  });

  it('that waits for its start can be stopped, and leaves nothing', async () => {
    const fake = fakeHost(insideKeys);
    const out = join(inside.folder, 'waiting');
    const request = runRequest(scenario, inside.mock.url, {
      out,
      agreeOnStart: () => {
        fake.stop('SIGINT');
        return new Promise(() => undefined);
      },
    });
    await expect(runOnce(request, fake.host)).rejects.toThrow(
      'stopped by SIGINT before the load began',
    );
    expect(existsSync(out)).toBe(false);
  });

  it('that has ended says so if it is stopped then, and says what was not kept', async () => {
    const fake = fakeHost(insideKeys);
    const closed: string[] = [];
    const out = join(inside.folder, 'unkept');
    const request = runRequest(scenario, inside.mock.url, { out });
    const { exit, written, page, file } = await runOnce(request, fake.host, () => ({
      announcements: ['announced'],
      onPublished: (kept) => {
        fake.stop('SIGINT');
        return Promise.reject(new Problem(`the disk is full after "${kept}"`));
      },
      close: async () => void closed.push('close'),
    }));
    expect([written, page, file]).toEqual(['unwritten', null, join(out, 'result.json')]);
    // On a machine that is busy, requests may be late, which is graver.
    expect(['unwritten', 'invalid']).toContain(exit);
    expect(fake.warned).toEqual(['Not everything was kept: the disk is full after "pass".']);
    expect(fake.said).toEqual([
      'announced',
      `inside: 100 ms against ${inside.mock.url}. Ctrl-C ends it early and keeps the report.`,
      'the load is over; the reports are being written',
    ]);
    expect(closed).toEqual(['close']);
  });

  it('with a defect in what is kept fails with it, and closes all', async () => {
    const fake = fakeHost(insideKeys);
    const defect = new TypeError('of ours');
    const closed: string[] = [];
    const running = runOnce(runRequest(scenario, inside.mock.url), fake.host, () => ({
      onPublished: () => Promise.reject(defect),
      close: async () => void closed.push('close'),
    }));
    await expect(running).rejects.toBe(defect);
    expect(closed).toEqual(['close']);
    // Nobody listens any more.
    fake.stop('SIGINT');
    expect(fake.said).toHaveLength(1);
  });
});
