/**
 * A worker: one slice of a run in a thread of its own, with its own connections, clock, recorders and
 * signals. It prepares what it needs, says that it is ready, begins at the moment that all workers are
 * told, sends news while it runs, and its whole result when it is over.
 */
import type { SliceOrder } from '../engine/slice-order.ts';
import type { ClipSource, Clip } from '../model/clip.ts';
import type { Observation } from '../model/observation.ts';
import { milliseconds } from '../model/quantity.ts';
import { redactor } from '../model/secret.ts';
import { withoutPrompts } from '../model/without-prompts.ts';
import { openCanaryStreams } from '../platform/canary/canary-streams.ts';
import { cleanHeap } from '../platform/clean-heap.ts';
import { clockFrom } from '../platform/clock.ts';
import { thisMachine, weirVersion } from '../platform/machine.ts';
import { ownThread } from '../platform/thread.ts';
import { observationLine } from '../record/observation-lines.ts';
import { growTally } from '../record/growing-tally.ts';
import { toResult } from '../record/tally.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { keepOn } from './checkpoint.ts';
import { drawEvery, gatherNews } from './live.ts';
import { startSlice } from './own-slice.ts';
import { workloadFiles } from './workload-files.ts';
import type { FromWorker, ToWorker, WorkerOrder } from './worker-messages.ts';

const thread = ownThread<WorkerOrder, ToWorker, FromWorker>();
const { brought } = thread;
const { plan } = brought;

const clipsBy = new Map<string, readonly Clip[]>(
  brought.clips.map(([source, clips]) => [JSON.stringify(source), clips]),
);

const order: SliceOrder = {
  ...{ plan, slice: brought.slice, runId: brought.runId, userAgent: brought.userAgent },
  ...{ credentials: brought.credentials, headers: brought.headers, account: brought.account },
  clips: { clipsOf: (source: ClipSource) => clipsBy.get(JSON.stringify(source)) ?? [] },
  workload: workloadFiles(brought.folder).reopen(plan),
  redact: redactor(brought.secrets),
};

/** What the main thread wants to hear of each observation. */
const gatherFor = ({ wants }: WorkerOrder) => {
  const live = gatherNews();
  let lines: string[] = [];
  let kept: string[] = [];
  let observations: Observation[] = [];
  return {
    note: (observation: Observation): void => {
      live.note(observation);
      if (wants.lines) lines.push(observationLine(observation));
      if (wants.observations) observations.push(observation);
    },
    keep: (line: string): void => {
      kept.push(line);
    },
    take: () => {
      const news = { live: live.take(), lines, kept, observations };
      lines = [];
      kept = [];
      observations = [];
      return news;
    },
  };
};

const canary = brought.canary === null ? null : await openCanaryStreams(brought.canary);

type Begin = Extract<ToWorker, { kind: 'begin' }>;

const begin = ({ startedAt, machineZero }: Begin) => {
  const clock = clockFrom(machineZero);
  const tally = growTally(plan);
  const news = gatherFor(brought);
  const { running, samples, close } = startSlice(order, brought.way, clock, {
    wrap: (transport) => transport,
    canary,
    observe: (observation) => {
      tally.record(observation);
      news.note(observation);
    },
  });
  const facts = {
    ...{ weir: weirVersion(), runId: brought.runId, planHash: brought.planHash },
    plan: withoutPrompts(plan),
  };
  const slice = {
    ...{ ...brought.slice, startedAt, clock: `${startedAt} ${machineZero}` },
    ...{ baseUrl: brought.way.baseUrl, machine: thisMachine() },
  };
  const stopKeeping = keepOn(news.keep, {
    ...{ header: { ...facts, slice, notes: [...brought.notes] }, tally, clock },
    ...{ generator: samples, loadEnds: scheduledEnd(plan) },
  });
  const tell = (): void => thread.tell({ kind: 'news', motion: running.motion(), ...news.take() });
  const stopTelling = clock.every(drawEvery, tell);
  const end = async (): Promise<void> => {
    const { loadEnded, stopped, spent, notes } = await running.done;
    stopKeeping();
    stopTelling();
    tell();
    const result = toResult(tally.whole(), {
      ...{ ...facts, slices: [{ ...slice, generator: [...samples] }] },
      ...{ scheduled: milliseconds(loadEnded), partial: null, breach: undefined },
      ...{ notes: [...notes], witness: null },
    });
    thread.tell({ kind: 'over', result, cut: stopped, spent });
    await close();
    thread.leave();
  };
  return { running, ended: end() };
};

let begun: ReturnType<typeof begin> | null = null;
thread.listen((message) => {
  if (message.kind === 'begin') begun = begin(message);
  else begun?.running.stop(message.grace);
});
cleanHeap();
thread.tell({ kind: 'ready' });
