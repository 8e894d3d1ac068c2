import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant } from '../../model/quantity.ts';
import { answeredChat } from '../../record/sample-observations.fixture.ts';
import { weirVersion } from '../../platform/host/machine.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import { openLiveMetrics } from './live-metrics.ts';

const open = (slice: Slice, isServed = true) => {
  const metrics = isServed ? { host: '127.0.0.1', port: 0 } : null;
  return openLiveMetrics(
    samplePlan(),
    { runId: 'evening', slice },
    { metrics, otlp: null, say: () => undefined },
  );
};

it('live metrics show what is due, in flight and observed, by this thread and by workers', async () => {
  const observer = await open({ index: 0, count: 1 });
  const [announcement = '', ...more] = observer.announcements!;
  expect(more).toEqual([]);
  const read = async (): Promise<readonly string[]> => {
    const answer = await fetch(announcement.replace('Live metrics: ', ''));
    return (await answer.text()).split('\n');
  };
  try {
    const version = weirVersion();
    expect(await read()).toContain(
      `weir_run_info{scenario="sample",run_id="evening",version="${version}"} 1`,
    );
    observer.onTick!(instant(250), { due: 7, inFlight: 4 });
    observer.onObservation!(answeredChat(0, 200));
    observer.onWorkerUpdate!({
      observations: [answeredChat(100, 300), answeredChat(200, 300)],
    } as never);
    const lines = await read();
    expect(lines).toContain('weir_due 7');
    expect(lines).toContain('weir_in_flight 4');
    const labels = 'traffic="chat",model="publisher/model-8b",key="main",stage="steady"';
    expect(lines).toContain(`weir_arrivals_total{${labels},outcome="completed"} 3`);
    expect(lines).toContain(`weir_end_to_end_seconds_sum{${labels}} 0.8`);
  } finally {
    await observer.close!();
  }
});

it('nothing is exported where nobody asked', async () => {
  const observer = await open({ index: 1, count: 2 }, false);
  expect(observer.announcements).toEqual([]);
  observer.onObservation!(answeredChat(0, 200));
  await observer.close!();
});

it('the last push has every arrival as ended, none in flight', async () => {
  const pushed: { name: string; gauge?: { dataPoints: { asDouble: number }[] } }[] = [];
  const collector = createServer((request, response) => {
    void request.toArray().then((parts) => {
      const { resourceMetrics } = JSON.parse(Buffer.concat(parts as Buffer[]).toString('utf8'));
      pushed.push(...resourceMetrics[0].scopeMetrics[0].metrics);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  const { port } = collector.address() as AddressInfo;
  const said: string[] = [];
  const observer = await openLiveMetrics(
    samplePlan(),
    { runId: 'evening', slice: { index: 0, count: 1 } },
    {
      metrics: null,
      otlp: { url: `http://127.0.0.1:${port}/v1/metrics?key=k`, interval: 60_000 },
      say: (text) => said.push(text),
    },
  );
  expect(observer.announcements).toEqual([
    `Live metrics: pushed to http://127.0.0.1:${port}/v1/metrics every 60 s`,
  ]);
  observer.onTick!(instant(250), { due: 7, inFlight: 4 });
  for (const begin of [0, 100]) observer.onObservation!(answeredChat(begin, 200));
  await observer.close!();
  collector.close();
  const gauge = (name: string) => pushed.find((metric) => metric.name === name)?.gauge?.dataPoints;
  expect(gauge('weir_due')).toMatchObject([{ asDouble: 2 }]);
  expect(gauge('weir_in_flight')).toMatchObject([{ asDouble: 0 }]);
  expect(said).toEqual([]);
});
