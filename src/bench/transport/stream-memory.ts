import { setTimeout as sleep } from 'node:timers/promises';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { atMost, type BenchPart, benchRow, type BenchRow } from '../harness/bench.ts';
import { hasEnded, memoryOf } from '../harness/processes.ts';
import { startWeirRun, streamScenario, type WeirRun } from '../harness/run-weir.ts';
import { type ChatServer, startChatServer } from '../harness/start-chat-server.ts';
import { lacksDescriptors } from './descriptors.ts';

const streams = 10_000;
/** One event per second; the first stream ends well after the last has begun. */
const gap = 1000;
const tokens = 14;
const rampUp = 6;

/**
 * Follows a run until its first stream ends, or the run itself. Returns in bytes the last resident memory before the
 * first stream began, and the highest while all were open.
 */
const trackMemory = async (server: ChatServer, { child }: WeirRun) => {
  let idle = Number.NaN;
  let highest = Number.NaN;
  while (!hasEnded(child)) {
    const memory = await memoryOf(child.pid);
    const { begun, ended } = await server.count();
    if (begun === 0) idle = memory;
    if (ended > 0) break;
    if (begun >= streams) highest = Number.isNaN(highest) ? memory : Math.max(highest, memory);
    await sleep(50);
  }
  return { idle, highest };
};

/** How many requests did not complete, those that were never counted included. */
const countFailures = async (run: WeirRun): Promise<number> => {
  const outcomes = sumOutcomes((await run.result()).timeline);
  return Math.max(countArrivals(outcomes), streams) - outcomes.completed;
};

/** Whether 10,000 streams at once in one run all complete, and the memory that each takes, without forced collections. */
export const measureStreamMemory: BenchPart = async (say) => {
  const name = `${streams} streams at once in one run`;
  const rows = (failed: number, each: number): readonly BenchRow[] => [
    benchRow(`${name}: requests that did not complete`, '', failed, atMost(0)),
    benchRow(`${name}: memory of each, above the idle process`, 'KiB', each, atMost(16)),
  ];
  if (await lacksDescriptors(streams, name, say)) return rows(Number.NaN, Number.NaN);
  await using server = await startChatServer({ gap, tokens, certificate: null });
  await using run = await startWeirRun(
    streamScenario({
      target: server.url,
      load: { kind: 'closed', users: streams, duration: `${rampUp + 1}s`, rampUp: `${rampUp}s` },
      inFlight: streams,
      grace: '60s',
      transport: 'socket',
    }),
  );
  const { idle, highest } = await trackMemory(server, run);
  const failed = await countFailures(run);
  const [from, to] = [idle, highest].map((bytes) => Math.round(bytes / 2 ** 20));
  say(`${name}: ${from} MiB idle, at most ${to} MiB, ${failed} failed`);
  return rows(failed, (highest - idle) / streams / 1024);
};
