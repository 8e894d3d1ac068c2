import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import { metricsAddress, metricsEndpoint, watchServer } from './server-metrics.ts';

const wire = { ...samplePlan().wire, http2: true, verifyTls: false };
const certificates = { authorities: ['authority'], client: { cert: 'c', key: 'k' } } as never;

it('metrics at a path are the target’s, and only the target gets its wire and client certificate', () => {
  const base = 'https://gateway:8443/v1';
  expect(metricsAddress('/metrics?all=1', base)).toBe('https://gateway:8443/metrics?all=1');
  expect(metricsAddress('http://other/metrics', base)).toBe('http://other/metrics');
  const ready = { baseUrl: base, certificates };
  expect(metricsEndpoint('https://gateway:8443/metrics', wire, ready)).toEqual({
    url: 'https://gateway:8443/metrics',
    wire: { ...wire, http2: false },
    certificates,
  });
  const other = metricsEndpoint('https://other/metrics', wire, ready);
  expect(other.certificates).toEqual({ authorities: ['authority'], client: null });
  expect(other.wire).toMatchObject({ http2: false, verifyTls: true, proxy: { kind: 'none' } });
  expect(
    metricsEndpoint('https://other/', wire, { ...ready, certificates: null }).certificates,
  ).toBe(null);
});

/** A server of metrics, whose answers a test gives, and a clock that it moves. */
const open = async (answers: readonly (string | number)[]) => {
  const heads: unknown[] = [];
  const server = createServer((request, response) => {
    const answer = answers[heads.length] ?? 500;
    heads.push([request.url, request.headers['user-agent'], request.headers['authorization']]);
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.setHeader('content-type', 'text/plain').end(answer);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const warned: string[] = [];
  let [time, isStopped] = [-1, false];
  let tick = (): void => undefined;
  const watch = watchServer(
    samplePlan({
      server: {
        metrics: '/metrics',
        every: milliseconds(1000),
        figures: [{ name: 'waiting', metric: 'waiting', as: 'gauge' }],
      },
    } as never),
    {
      baseUrl: `http://127.0.0.1:${port}/v1`,
      certificates: null,
      secrets: ['sk-secret-1'],
    },
    (text) => warned.push(text),
  );
  onTestFinished(async () => {
    await watch.close!();
    server.close();
  });
  watch.onStart!({
    clock: {
      now: () => instant(time),
      every: (each: number, listener: () => void) => {
        expect(each).toBe(1000);
        tick = listener;
        return () => {
          isStopped = true;
        };
      },
    },
  } as never);
  return {
    watch,
    heads,
    warned,
    port,
    isStopped: () => isStopped,
    tickAt: (at: number): void => {
      time = at;
      tick();
    },
    /** Waits until so many readings have ended, failed ones too. */
    ended: async (count: number): Promise<void> => {
      await expect.poll(() => watch.collected()!.scrapes, { interval: 2 }).toBe(count);
    },
  };
};

it('metrics are read in their interval from the start on, one reading at a time, until the end', async () => {
  const { watch, heads, warned, port, tickAt, ended, isStopped } = await open([
    'waiting 3\n',
    'waiting 5\nwaiting sk-secret-1\n',
  ]);
  tickAt(-500);
  tickAt(1000);
  tickAt(1001);
  await ended(1);
  tickAt(2000);
  await ended(2);
  watch.onEnd!();
  tickAt(3000);
  expect([heads.length, isStopped(), warned]).toEqual([2, true, []]);
  expect(heads[0]).toEqual(['/metrics', expect.stringMatching(/^weir\/\d/), undefined]);
  expect(watch.collected()).toMatchObject({
    address: `http://127.0.0.1:${port}/metrics`,
    every: 1000,
    failed: 0,
    samples: [
      { sent: 1000, received: 1001, values: { waiting: 3 } },
      { sent: 2000, received: 2000, values: { waiting: 5 } },
    ],
  });
  const [note, ...more] = watch.notes();
  expect([note, more]).toEqual([expect.stringContaining('"waiting [redacted]"'), []]);
});

it('the first failure is said, and the readings go on', async () => {
  const { watch, warned, port, tickAt, ended } = await open([503, 404, 'waiting 1\n']);
  for (const at of [1000, 2000, 3000]) {
    tickAt(at);
    await ended(at / 1000);
  }
  expect(watch.collected()!.failed).toBe(2);
  expect(warned).toEqual([
    `The server’s metrics at http://127.0.0.1:${port}/metrics could not be read: answered 503. The run goes on, and so do the readings.`,
  ]);
});

it('a reading that is not done when the run ends does not count, even if it fails', async () => {
  const { watch, warned, tickAt } = await open([503, 503]);
  tickAt(1000);
  watch.onEnd!();
  await watch.close!();
  expect(watch.collected()).toMatchObject({ scrapes: 0, failed: 0 });
  expect(warned).toEqual([]);
});

it('a plan without metrics reads none', () => {
  const watch = watchServer(samplePlan(), {} as never, () => undefined);
  expect([watch.collected(), watch.notes()]).toEqual([undefined, []]);
});
