import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import {
  EventQueue,
  queueClock,
  runUntilSettled,
} from '../../acceptance/harness/event-queue.fixture.ts';
import { constantLoad, fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant } from '../../model/quantity.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { openLineFile } from '../../platform/files/line-file.ts';
import { watchGenerator } from '../../platform/host/generator-signals.ts';
import { thisMachine } from '../../platform/host/machine.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { observationLine } from '../../record/observation-lines.ts';
import { writeCheckpoint } from '../../run/watch/checkpoint.ts';
import { createSnapshotPace } from '../../run/watch/snapshot-pace.ts';
import { eventText } from '../harness/chat-bytes.ts';
import { readOptions } from '../harness/child-input.ts';
import { openTempFolder } from '../harness/run-weir.ts';

/**
 * A run of streamed chats with everything that a run records, on a manual clock: an hour takes half a minute.
 * Reads `LongRunOptions` and prints a `HeapOfRun`. It needs Node's `--expose-gc`.
 */

export interface LongRunOptions {
  readonly minutes: number;
  /** Requests per second. */
  readonly rate: number;
}

/** The heap after a collection at the end of the run, array buffers included, in bytes. */
export interface HeapOfRun {
  readonly whole: number;
  /** Without the timeline, the ledger and the generator's samples. */
  readonly rest: number;
  readonly requests: number;
}

const { minutes, rate } = await readOptions<LongRunOptions>();
const duration = minutes * 60_000;
const stage = { name: 'main', load: constantLoad(rate, duration) };
const traffic = samplePlan().stages[0]!.traffic.filter(({ kind }) => kind === 'chat-stream');
const plan = samplePlan({ stages: [{ ...stage, traffic }] });

const queue = new EventQueue();
const clock = queueClock(queue);
const tokens = 50;
/** Every request of this number is refused, each time with another message. */
const refusedEvery = 100;
const token = Buffer.from(eventText('{"content":" word"}', 'null'));
const ending = Buffer.from(`${eventText('{}', '"stop"')}data: [DONE]\n\n`);
let requests = 0;

const transport: Transport = {
  send: (_, observer) => {
    requests += 1;
    const draw = drawFrom(1, 0, requests);
    const isRefused = requests % refusedEvery === 0;
    /** After this time, by up to 2.7 times more. */
    const after = (delay: number, action: () => void): void =>
      void queue.at(Math.ceil(queue.now + delay * Math.exp(draw.uniform())), action);
    observer.onConnected(clock.now(), 'reused');
    observer.onSent(clock.now());
    const refuse = (): void => {
      const message = `worker ${Math.floor(draw.uniform() * 1e9)} has no room`;
      observer.onHeaders(clock.now(), 503, { 'content-type': 'application/json' });
      observer.onChunk(clock.now(), Buffer.from(JSON.stringify({ error: { message } })));
      observer.onEnd(clock.now());
    };
    const sendToken = (step: number): void => {
      if (step === 0) observer.onHeaders(clock.now(), 200, { 'content-type': 'text/event-stream' });
      observer.onChunk(clock.now(), step < tokens ? token : ending);
      if (step < tokens) after(10, () => sendToken(step + 1));
      else observer.onEnd(clock.now());
    };
    after(150, isRefused ? refuse : () => sendToken(0));
    return { abort: () => undefined };
  },
  connectAhead: () => undefined,
  notes: () => [],
  close: () => Promise.resolve(),
};

const tally = createIncrementalTally(plan);
const generator: GeneratorSample[] = [];
const machine = thisMachine();
const slice = { index: 0, count: 1, startedAt: '2026-11-21T00:00:00.000Z', baseUrl: '', machine };

/** Writes the checkpoint and the observations into a folder. */
const runIn = async (folder: string): Promise<void> => {
  const checkpoint = await openLineFile(join(folder, 'checkpoint.jsonl'));
  const observations = await openLineFile(join(folder, 'observations.jsonl'));
  const signals = watchGenerator();
  const stopKeeping = writeCheckpoint((line) => checkpoint.write(line), {
    header: { weir: '0', runId: 'r', planHash: 'h', plan, slice, notes: [] },
    tally,
    clock,
    generator,
    loadEnds: instant(duration),
    pace: createSnapshotPace(),
  });
  const running = runSlice(fakeSliceOptions(plan), {
    clock,
    transports: [transport],
    observe: (observation) => {
      tally.record(observation);
      observations.write(observationLine(observation));
    },
  });
  clock.every(1000, () => generator.push(signals.sample(queue.now / 1000 - 1)));
  await runUntilSettled(queue, running.done);
  stopKeeping();
  signals.stop();
  await observations.close();
  await checkpoint.close();
};
{
  await using folder = await openTempFolder();
  await runIn(folder.path);
}

/** After several collections: memory outside the heap that one finds unused is freed by a later one. */
const heap = async (): Promise<number> => {
  for (let collection = 0; collection < 4; collection += 1) {
    globalThis.gc?.();
    await turn();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
};

const { timeline, ledger } = tally.whole();
const whole = await heap();
for (const part of [timeline.counts, timeline.open, timeline.sealed]) part.clear();
ledger.clear();
generator.length = 0;
const output: HeapOfRun = { whole, rest: await heap(), requests };
console.log(JSON.stringify(output));
