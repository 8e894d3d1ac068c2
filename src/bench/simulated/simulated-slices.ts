import { setImmediate as turn } from 'node:timers/promises';
import {
  EventQueue,
  queueClock,
  runUntilSettled,
} from '../../acceptance/harness/event-queue.fixture.ts';
import { fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { type Result, resultSchema } from '../../model/result/result.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { mergeResults } from '../../record/merge-results.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { toResult } from '../../record/tally.ts';
import { eventText } from '../harness/chat-bytes.ts';
import { readOptions } from '../harness/child-input.ts';

/**
 * The slices of a load of many users, each run on a manual clock by the engine, and merged as a coordinator merges them. Reads
 * `SimulatedSlicesOptions` and prints `SimulatedSlices`. It needs Node's `--expose-gc`.
 */

export interface SimulatedSlicesOptions {
  readonly slices: number;
  /** Of each slice, all at once. */
  readonly streams: number;
  /** How many of the slices are merged, in turn. */
  readonly merged: readonly number[];
}

export interface SimulatedSlices {
  /** The most requests of a slice that were in flight at the same time. */
  readonly inFlight: number;
  readonly merges: readonly {
    readonly slices: number;
    /** The CPU time from the bytes of all results to the one result, in ms. */
    readonly time: number;
    /** The heap that the read results and the merged one take, in bytes. */
    readonly memory: number;
    /** The bytes of all results. */
    readonly bytes: number;
    readonly requests: number;
  }[];
}

const { slices, streams, merged } = await readOptions<SimulatedSlicesOptions>();
const load = {
  kind: 'closed' as const,
  users: slices * streams,
  duration: milliseconds(8000),
  thinkTime: milliseconds(60_000),
  // No answer has ended when the last user begins.
  rampUp: milliseconds(2000),
};
const traffic = samplePlan().stages[0]!.traffic.filter(({ kind }) => kind === 'chat-stream');
const plan = samplePlan({
  stages: [{ name: 'main', load, traffic }],
  warmUp: milliseconds(0),
  grace: milliseconds(60_000),
  inFlight: 1_000_000,
  deadlines: { connect: null, firstToken: null, idle: null, total: null },
});
const tokens = 8;
const token = Buffer.from(eventText('{"content":" word"}', 'null'));
let [inFlight, mostInFlight] = [0, 0];
const ending = Buffer.from(`${eventText('{}', '"stop"')}data: [DONE]\n\n`);

/** Answers each request with a stream of eight tokens in about four seconds, by the clock of the queue. */
const streamingTransport = (queue: EventQueue): Transport => {
  const clock = queueClock(queue);
  let requests = 0;
  return {
    send: (_, observer) => {
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      const draw = drawFrom(1, 0, (requests += 1));
      const after = (delay: number, action: () => void): void =>
        void queue.at(queue.now + delay * (0.5 + draw.uniform()), action);
      observer.onConnected(clock.now(), 'reused');
      observer.onSent(clock.now());
      const sendToken = (step: number): void => {
        if (step === 0)
          observer.onHeaders(clock.now(), 200, { 'content-type': 'text/event-stream' });
        observer.onChunk(clock.now(), step < tokens ? token : ending);
        if (step < tokens) after(500, () => sendToken(step + 1));
        else {
          inFlight -= 1;
          observer.onEnd(clock.now());
        }
      };
      after(200, () => sendToken(0));
      return { abort: () => undefined };
    },
    connectAhead: () => undefined,
    notes: () => [],
    close: () => Promise.resolve(),
  };
};

const resultBytes: Uint8Array[] = [];

const simulate = async (index: number): Promise<void> => {
  const slice = { index, count: slices };
  const queue = new EventQueue();
  const tally = createIncrementalTally(plan);
  const running = runSlice(fakeSliceOptions(plan, slice), {
    clock: queueClock(queue),
    transports: [streamingTransport(queue)],
    observe: (observation) => tally.record(observation),
  });
  await runUntilSettled(queue, running.done);
  const facts = sampleFacts([slice], { plan, scheduled: load.duration });
  resultBytes.push(new TextEncoder().encode(JSON.stringify(toResult(tally.whole(), facts))));
};

/** After several collections. */
const heap = async (): Promise<number> => {
  for (let collection = 0; collection < 4; collection += 1) {
    globalThis.gc?.();
    await turn();
  }
  return process.memoryUsage().heapUsed;
};

const mergeFirst = async (count: number): Promise<SimulatedSlices['merges'][number]> => {
  const contents = resultBytes.slice(0, count);
  const before = await heap();
  const began = process.cpuUsage();
  const parts: Result[] = contents.map((bytes) =>
    resultSchema.parse(JSON.parse(new TextDecoder().decode(bytes))),
  );
  const whole = mergeResults(parts);
  const { user, system } = process.cpuUsage(began);
  const time = (user + system) / 1000;
  if (!whole.ok) throw new Error(whole.message);
  const memory = (await heap()) - before;
  const requests = countArrivals(sumOutcomes(whole.result.groups));
  if (requests !== count * streams || parts.length !== count)
    throw new Error(`expected ${count * streams} requests, got ${requests}`);
  const bytes = contents.reduce((sum, content) => sum + content.length, 0);
  return { slices: count, time, memory, bytes, requests };
};

for (let index = 0; index < slices; index += 1) await simulate(index);
const merges: SimulatedSlices['merges'][number][] = [];
// Once before, so that its code is compiled.
await mergeFirst(Math.min(...merged));
for (const count of merged) merges.push(await mergeFirst(count));
const output: SimulatedSlices = { inFlight: mostInFlight, merges };
console.log(JSON.stringify(output));
