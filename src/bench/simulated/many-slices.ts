import { type Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { type SharedProgress } from '../../verbs/fleet/model/records.ts';
import { fleetForecast } from '../../model/plan/slice-forecast.ts';
import { maxLedgerRows } from '../../model/observation/ledger.ts';
import { sliceForecast } from '../../judge/calibration/needed-slices.ts';
import { sleep } from '../../platform/process/pause.ts';
import { followCoordinator } from '../../verbs/fleet/follow-coordinator.ts';
import { LedRun } from '../../verbs/fleet/lead-run.ts';
import { atLeast, atMost, type BenchPart, benchRow } from '../harness/bench.ts';
import { runPinned } from '../harness/processes.ts';
import type { SimulatedSlices, SimulatedSlicesOptions } from './simulated-slices.ts';

const [few, all] = [50, 200] as const;
const streams = 5000;

/** A rendezvous in memory that counts the bytes of what is written and read. */
const countingRendezvous = (): Rendezvous & { readonly bytes: () => number } => {
  const records = new Map<string, string>();
  let bytes = 0;
  const counted = <Text extends string | null>(key: string, text: Text): Text => {
    bytes += key.length + (text?.length ?? 0);
    return text;
  };
  return {
    name: 'memory',
    bytes: () => bytes,
    create: async (key, text) => {
      records.set(key, counted(key, text));
      return true;
    },
    put: async (key, text) => void records.set(key, counted(key, text)),
    get: async (key) => counted(key, records.get(key) ?? null),
    store: async () => '',
    load: async () => new Uint8Array(),
    answerTime: async () => async () => undefined,
    askTime: async () => 0,
    clear: async () => records.clear(),
    close: async () => undefined,
  };
};

/** The progress of a worker as it is under way: latencies of one kind in eighty steps. */
const progress: SharedProgress = {
  elapsed: 30_000,
  due: streams,
  inFlight: streams,
  outcomes: { completed: 123_456, limited: 12, broken: 3 },
  latencies: {
    'chat-stream': Array.from({ length: 80 }, (_, n) => [12.3456789 * 1.05 ** n, 1543 + n]),
  },
};

/** What coordinator and workers write and read in a second of the load, in bytes. */
const trafficOf = async (slices: number): Promise<number> => {
  const rendezvous = countingRendezvous();
  const words = { weir: '0', runId: 'r', name: 'many', planHash: 'h', planDigest: 'd' };
  const run = { format: 'rendezvous/1' as const, id: 'id', silence: 10_000, slices, ...words };
  const led = new LedRun(rendezvous, run);
  await led.turn();
  const workers = Array.from({ length: slices }, (_, slice) =>
    followCoordinator(rendezvous, {
      run,
      slice,
      worker: { worker: `worker-${slice}`, host: `host-${slice}` },
      takeProgress: () => progress,
    }),
  );
  for (const worker of workers) worker.send({ phase: 'running' });
  led.begin(Date.now());
  const lead = async (seconds: number): Promise<number> => {
    const [bytes, began] = [rendezvous.bytes(), performance.now()];
    while (performance.now() - began < seconds * 1000) {
      await led.turn();
      await sleep(250);
    }
    return ((rendezvous.bytes() - bytes) * 1000) / (performance.now() - began);
  };
  await lead(1);
  const perSecond = await lead(5);
  await Promise.all(workers.map((worker) => worker.close()));
  return perSecond;
};

/** Whether time, memory and traffic grow no faster than the number of slices: 200 of 5,000 streams against 50. */
export const measureManySlices: BenchPart = async (say) => {
  const options: SimulatedSlicesOptions = { slices: all, streams, merged: [few, 100, all] };
  const file = 'bench/simulated/simulated-slices.ts';
  const flags = ['--expose-gc', '--max-old-space-size=4096'];
  const { inFlight, merges } = await runPinned<SimulatedSlices>(1, file, options, flags);
  for (const { slices, time, memory, bytes, requests } of merges)
    say(
      `${slices} slices of ${streams} streams (${requests} requests): ${(bytes / 1e6).toFixed(0)} MB of results, merged in ${(time / 1000).toFixed(1)} s of CPU, ${(memory / 2 ** 20).toFixed(0)} MiB of heap`,
    );
  const [small, , large] = merges;
  if (small === undefined || large === undefined) throw new Error('nothing was merged');
  const times = all / few;
  const traffic = [await trafficOf(few), await trafficOf(all)] as const;
  say(
    `traffic of ${few} and ${all} slices: ${traffic.map((each) => `${(each / 1e6).toFixed(2)} MB/s`).join(', ')}`,
  );
  // What `weir plan` says of them. Chunks count for CPU and bandwidth only.
  const forecast = sliceForecast({ streams: all * streams, chunks: 0 }, all, null);
  const fleet = fleetForecast(forecast, {
    requests: all * streams,
    scheduled: 8000,
    rows: maxLedgerRows,
  });
  const what = (figure: string): string =>
    `${figure} for each of ${all} slices against each of ${few}`;
  return [
    benchRow(`CPU to read and merge ${all} results of ${streams} streams`, 's', large.time / 1000),
    benchRow(what('CPU to merge'), '×', large.time / small.time / times, atMost(1.3)),
    benchRow(`heap of ${all} results read and merged`, 'MiB', large.memory / 2 ** 20),
    benchRow(what('heap'), '×', large.memory / small.memory / times, atMost(1.1)),
    benchRow(what('bytes of results'), '×', large.bytes / small.bytes / times, atMost(1.05)),
    benchRow(
      'requests in flight of a slice against the forecast',
      '×',
      inFlight / forecast.streams,
      atLeast(0.99),
    ),
    benchRow('bytes of results against the forecast', '×', large.bytes / fleet.results, atMost(1)),
    benchRow('CPU to merge against the forecast', '×', large.time / fleet.mergeTime, atMost(1)),
    benchRow('heap against the forecast', '×', large.memory / fleet.mergeMemory, atMost(1)),
    benchRow(`traffic of a load with ${all} slices`, 'MB/s', traffic[1] / 1e6),
    benchRow(what('traffic'), '×', traffic[1] / traffic[0] / times, atMost(1.1)),
  ];
};
