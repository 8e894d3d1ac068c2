// @gate 2 s
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Observation } from '../model/observation/observation.ts';
import { Problem } from '../platform/problem.ts';
import { fakeHost, runRequest } from './fake-host.fixture.ts';
import { runOnce } from './run.ts';
import type { RunObserver } from './watch/observer.ts';

/** Runs that end before their load, in this process, against a server that refuses or hangs. */

let server: Server;
let target: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    // The path of the target says what it does.
    if (request.url?.startsWith('/hangs') === true) return;
    response.writeHead(404, { 'content-type': 'application/json' });
    response.end('{"error":{"message":"no such model","type":"t","code":"model_not_found"}}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const scenario = {
  name: 'ended',
  traffic: [{ kind: 'models' }],
  load: { kind: 'constant', rate: '100/s', duration: '30s' },
  canary: false,
};
const unasked = { keyCheck: false, preflight: false };
const environment = { WEIR_API_KEY: 'sk-of-this-test' };

/** An observer that keeps in which order it was called. */
const keeping = (more: RunObserver = {}) => {
  const calls: string[] = [];
  const note = (name: string): void => {
    if (calls.at(-1) !== name) calls.push(name);
  };
  const observer: RunObserver = {
    announcements: ['announced'],
    onStart: () => note('start'),
    onTick: () => note('tick'),
    onEnd: () => note('end'),
    onPublished: async (written) => note(`published ${written}`),
    close: async () => note('close'),
    ...more,
  };
  return { calls, observer };
};

describe.concurrent('a run', () => {
  it('whose first requests are all refused alike ends, and says why', async () => {
    const fake = fakeHost(environment);
    const { calls, observer } = keeping();
    const request = runRequest(scenario, `${target}/refuses`, { ...unasked, earlyStop: true });
    const { result, exit, page, file } = await runOnce(request, fake.host, () => observer);
    const reason =
      'the first 20 requests were all refused with 404 model_not_found: no such model; --no-early-stop sends the whole load';
    expect(result.partial).toMatch(/^ended after [\d.]+ m?s, since /);
    expect(result.partial).toContain(reason);
    expect([exit, page, file]).toEqual(['incomplete', null, '']);
    expect(fake.said).toEqual([
      'announced',
      `ended: 30 s against ${target}/refuses. Ctrl-C ends it early and keeps the report.`,
      `ending: ${reason}`,
    ]);
    // The load ended soon after the first look, a second after its begin.
    expect(result.scheduled).toBeLessThan(20_000);
    expect(calls.filter((name) => name !== 'tick')).toEqual([
      'start',
      'end',
      'published pass',
      'close',
    ]);
  });

  it('that is stopped twice aborts what is in flight, and has its exit whatever was kept', async () => {
    const fake = fakeHost(environment);
    const seen: Observation[] = [];
    let due = 0;
    const { observer } = keeping({
      onObservation: (observation) => void seen.push(observation),
      onTick: (_, progress) => {
        due = progress.due;
        if (progress.inFlight >= 5) fake.stop('SIGINT');
      },
      onPublished: () => Promise.reject(new Problem('the disk is full')),
    });
    const request = runRequest(scenario, `${target}/hangs`, unasked);
    const { result, exit } = await runOnce(request, fake.host, () => observer);
    expect(exit).toBe('interrupted');
    expect(result.partial).toBe('stopped by SIGINT before the load had ended');
    expect(fake.warned).toEqual(['Not everything was kept: the disk is full.']);
    expect(fake.said.filter((text) => text.startsWith('stopping'))).toEqual([
      'stopping: waiting up to 2 s for requests in flight; press Ctrl-C again to abort them',
    ]);
    expect(seen.length).toBeGreaterThanOrEqual(due);
    for (const { outcome } of seen) expect(outcome).toMatchObject({ cause: 'aborted' });
    // It did not wait for the two seconds.
    expect(result.ended).toBeLessThan(result.scheduled + 1900);
  });

  it('that breaks an objective ends, and says when and which', async () => {
    const fake = fakeHost(environment);
    const breach = { text: 'errorRate < 1%', at: 400, observed: 100 };
    const { observer } = keeping({ findBreach: (now) => (now < 300 ? null : breach) });
    const request = runRequest(scenario, `${target}/refuses`, unasked);
    const { result } = await runOnce(request, fake.host, () => observer);
    expect(result.breach).toEqual(breach);
    expect(result.partial).toBe(
      'ended after 400 ms, since the objective errorRate < 1% was broken',
    );
    expect(fake.said.at(-1)).toBe('ending: the objective errorRate < 1% is broken');
  });
});
