import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { writeCheckpoint } from '../../run/watch/checkpoint.ts';
import { constantLoad, fakeSliceOptions, fakePlan } from '../../engine/fake-run.fixture.ts';
import { fakeWorld } from '../../engine/fake-world.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import type { Transport } from '../../model/observation/exchange.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { GeneratorSample } from '../../model/result/result.ts';
import { watchGenerator } from '../../platform/host/generator-signals.ts';
import { openLineFile } from '../../platform/files/line-file.ts';
import { thisMachine } from '../../platform/host/machine.ts';
import { createIncrementalTally } from '../../record/incremental-tally.ts';
import { observationLine } from '../../record/observation-lines.ts';
import { readOptions } from '../harness/child-input.ts';

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
const minute = milliseconds(60_000);
const plan = fakePlan(constantLoad(rate, duration), {
  deadlines: { connect: minute, firstToken: minute, idle: minute, total: minute },
  caps: { bytes: 1_000_000, events: 1000 },
  stages: [
    {
      name: 'main',
      load: constantLoad(rate, duration),
      traffic: [
        {
          kind: 'chat-stream',
          weight: 1,
          model: 'weir/small',
          maxTokens: null,
          body: {},
          conversations: [[{ role: 'user', content: 'hello there' }]],
          price: null,
        },
      ],
    },
  ],
});

const world = fakeWorld();
const { clock } = world;
const due = new Map<number, (() => void)[]>();
const after = (delay: number, action: () => void): void => {
  const moment = Math.ceil(clock.now() + Math.max(1, delay));
  const actions = due.get(moment);
  if (actions === undefined) due.set(moment, [action]);
  else actions.push(action);
};

const tokens = 50;
/** Every request of this number is refused, each time with another message. */
const refusedEvery = 100;
const event = (delta: string, finish: string): Buffer =>
  Buffer.from(
    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"weir/small","choices":[{"index":0,"delta":${delta},"finish_reason":${finish}}]}\n\n`,
  );
const token = event('{"content":" word"}', 'null');
const ending = Buffer.concat([event('{}', '"stop"'), Buffer.from('data: [DONE]\n\n')]);
let requests = 0;

const transport: Transport = {
  send: (_, observer) => {
    requests += 1;
    const draw = drawFrom(1, 0, requests);
    const isRefused = requests % refusedEvery === 0;
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
      if (step < tokens) after(10 * Math.exp(draw.uniform()), () => sendToken(step + 1));
      else observer.onEnd(clock.now());
    };
    after(150 * Math.exp(draw.uniform()), isRefused ? refuse : () => sendToken(0));
    return { abort: () => undefined };
  },
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
  });
  const running = runSlice(fakeSliceOptions(plan), {
    clock,
    transport,
    observe: (observation) => {
      tally.record(observation);
      observations.write(observationLine(observation));
    },
  });

  const state = { isOver: false };
  const markOver = (): void => {
    state.isOver = true;
  };
  void running.done.then(markOver, markOver);
  for (let now = 1; !state.isOver; now += 1) {
    world.advanceTo(now);
    for (const action of due.get(now) ?? []) action();
    due.delete(now);
    if (now % 1000 > 0) continue;
    generator.push(signals.sample(now / 1000 - 1));
    // Lets the files be written.
    await turn();
  }
  await running.done;
  stopKeeping();
  signals.stop();
  await observations.close();
  await checkpoint.close();
};

const folder = await mkdtemp(join(tmpdir(), 'weir-bench-'));
try {
  await runIn(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
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
