import {
  jsonOf,
  type WorkerRecord,
  type CoordinatorRecord,
  coordinatorRecordSchema,
  keysOf,
  readRecord,
  type RendezvousRun,
  rendezvousRunSchema,
  runKey,
  workerRecordSchema,
} from './model/records.ts';
import { timeText } from '../../report/text/number-text.ts';
import { type Result, resultSchema } from '../../model/result/result.ts';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';
import { sleep } from '../../platform/process/pause.ts';

/**
 * What a coordinator knows about one slice. The functions of this state only calculate, and take the time as an
 * argument.
 */
export interface SliceState {
  readonly index: number;
  /** The last message of the slice's worker; `null` before the first message. */
  readonly record: WorkerRecord | null;
  /** When the slice's worker last showed that it is alive, in ms. */
  readonly heardAt: number;
  readonly lost: { readonly at: number; readonly why: string } | null;
  readonly isCollected: boolean;
}

export const awaitedSlice = (index: number): SliceState => ({
  index,
  record: null,
  heardAt: Number.NEGATIVE_INFINITY,
  lost: null,
  isCollected: false,
});

/**
 * Updates a slice with the record of its worker, which was read at `now`. The worker counts as alive only if the record
 * has changed.
 */
export const withRecord = (
  state: SliceState,
  record: WorkerRecord | null,
  now: number,
): SliceState =>
  record === null || record.beat === state.record?.beat
    ? state
    : { ...state, record, heardAt: now };

const isOver = ({ record }: SliceState): boolean =>
  record?.phase === 'ended' || record?.phase === 'failed';

/** Marks a slice as lost if its worker was silent for too long, or failed after the start. */
export const withLoss = (
  state: SliceState,
  now: number,
  { silence, hasStarted }: { readonly silence: number; readonly hasStarted: boolean },
): SliceState => {
  const { record, heardAt, lost } = state;
  if (lost !== null || record === null) return state;
  if (record.phase === 'failed')
    return hasStarted ? { ...state, lost: { at: now, why: record.message ?? 'it failed' } } : state;
  const patience = isOver(state) ? 2 * silence : silence;
  if (state.isCollected || now - heardAt <= patience) return state;
  if (isOver(state)) return { ...state, lost: { at: now, why: 'its result did not arrive' } };
  return { ...state, lost: { at: now, why: `no sign of life for ${timeText(silence)}` } };
};

/**
 * Returns whether a slice will certainly send nothing more. A slice is over if its result arrived, if it failed, or if
 * it was lost so long ago that its worker's lease has run out.
 */
export const isSliceOver = (
  { record, lost, isCollected }: SliceState,
  now: number,
  silence: number,
): boolean =>
  isCollected || record?.phase === 'failed' || (lost !== null && now - lost.at > silence);

/** The interval at which the coordinator shows that it is alive, in ms. */
const beatInterval = 1000;

/** Returns whether the coordinator of an earlier run still shows that it is alive. */
const isAlive = async (rendezvous: Rendezvous, run: RendezvousRun): Promise<boolean> => {
  const read = async (): Promise<number | null> =>
    readRecord(coordinatorRecordSchema, await rendezvous.get(keysOf(run.id).coordinator))?.beat ??
    null;
  const first = await read();
  const until = monotonicNow() + run.silence;
  while (monotonicNow() < until) {
    await sleep(beatInterval / 2);
    if ((await read()) !== first) return true;
  }
  return false;
};

/**
 * Removes the records of a killed coordinator. First waits until the coordinator was silent for so long that none of
 * its workers can still send. Throws a `Problem` if another run is in progress.
 */
export const removeAbandoned = async (
  rendezvous: Rendezvous,
  say: (text: string) => void,
): Promise<void> => {
  const text = await rendezvous.get(runKey);
  if (text === null) return;
  const earlier = readRecord(rendezvousRunSchema, text);
  const name = earlier === null ? 'a run of another version' : `the run ${earlier.name}`;
  if (earlier !== null) {
    say(`${name} is in the rendezvous; waiting ${timeText(earlier.silence)} for a sign of life.`);
    if (await isAlive(rendezvous, earlier)) {
      throw new Problem(
        `${name} is in progress at ${rendezvous.name}: wait for its end, or give another rendezvous, such as nats://host:4222/NAME or another folder`,
      );
    }
  }
  say(`${name} was abandoned, and is removed.`);
  await rendezvous.clear();
};

/**
 * Writes the record of a run into the rendezvous. The run's plan must already be stored. Throws a `Problem` if another
 * run was first.
 */
export const openMeeting = async (rendezvous: Rendezvous, run: RendezvousRun): Promise<void> => {
  if (await rendezvous.create(runKey, JSON.stringify(run))) return;
  throw new Problem(
    `another coordinator came first to ${rendezvous.name}: give another rendezvous`,
  );
};

/**
 * Removes all records, unless another run has taken over the rendezvous. For workers, an empty rendezvous means that
 * the run has ended.
 */
export const closeMeeting = async (
  rendezvous: Rendezvous,
  { id }: RendezvousRun,
): Promise<void> => {
  try {
    const found = readRecord(rendezvousRunSchema, await rendezvous.get(runKey));
    if (found?.id === id) await rendezvous.clear();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
};

export class LedRun {
  readonly run: RendezvousRun;
  readonly #rendezvous: Rendezvous;
  #said: Omit<CoordinatorRecord, 'lost' | 'collected'> = { beat: 0, startAt: null, stops: 0 };
  #saidAt = Number.NEGATIVE_INFINITY;
  #hasNews = true;
  slices: readonly SliceState[];
  readonly results = new Map<number, Result>();

  constructor(rendezvous: Rendezvous, run: RendezvousRun) {
    this.#rendezvous = rendezvous;
    this.run = run;
    this.slices = Array.from({ length: run.slices }, (_, index) => awaitedSlice(index));
  }

  get hasStarted(): boolean {
    return this.#said.startAt !== null;
  }

  get stops(): number {
    return this.#said.stops;
  }

  begin(startAt: number): void {
    this.#said = { ...this.#said, startAt };
    this.#hasNews = true;
  }

  /** Stops all workers. After the first stop, requests in flight may end; after the second, they are aborted. */
  stop(times: number): void {
    if (times <= this.#said.stops) return;
    this.#said = { ...this.#said, stops: times };
    this.#hasNews = true;
  }

  /**
   * Exchanges messages with the workers once. If the rendezvous cannot be reached for a moment, the next call tries
   * again.
   */
  async turn(): Promise<void> {
    try {
      if (this.#hasNews || monotonicNow() - this.#saidAt >= beatInterval) await this.#say();
      await Promise.all(this.slices.map(({ index }) => this.#listenTo(index)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
    this.#noteLosses();
  }

  async #say(): Promise<void> {
    const said = { ...this.#said, beat: this.#said.beat + 1 };
    this.#said = said;
    this.#hasNews = false;
    const indexesOf = (is: (state: SliceState) => boolean): number[] =>
      this.slices.filter(is).map(({ index }) => index);
    const record: CoordinatorRecord = {
      ...said,
      lost: indexesOf(({ lost }) => lost !== null),
      collected: indexesOf(({ isCollected }) => isCollected),
    };
    try {
      await this.#rendezvous.put(keysOf(this.run.id).coordinator, JSON.stringify(record));
      this.#saidAt = monotonicNow();
    } catch (error) {
      this.#hasNews = true;
      throw error;
    }
  }

  #replace(state: SliceState): void {
    this.slices = this.slices.map((each) => (each.index === state.index ? state : each));
  }

  async #listenTo(index: number): Promise<void> {
    const keys = keysOf(this.run.id);
    const record = readRecord(workerRecordSchema, await this.#rendezvous.get(keys.worker(index)));
    this.#replace(withRecord(this.slices[index]!, record, monotonicNow()));
    const result = record?.result ?? null;
    if (result === null || this.slices[index]!.isCollected) return;
    const content = await this.#rendezvous.load(keys.result(index), result.digest);
    this.results.set(index, this.#parsed(content, index));
    this.#replace({ ...this.slices[index]!, isCollected: true });
    this.#hasNews = true;
  }

  /** Parses a result. Throws a `Problem` if no worker of this run and version can have written the result. */
  #parsed(content: Uint8Array, index: number): Result {
    const read = resultSchema.safeParse(jsonOf(content));
    const isOwn =
      read.success && read.data.slices.every((slice) => slice.index % this.run.slices === index);
    if (isOwn) return read.data;
    throw new Problem(`the result of slice ${index} in the rendezvous is none of this run`);
  }

  #noteLosses(): void {
    const now = monotonicNow();
    const { silence } = this.run;
    const { hasStarted } = this;
    this.slices = this.slices.map((state) => {
      const next = withLoss(state, now, { silence, hasStarted });
      if (next !== state) this.#hasNews = true;
      return next;
    });
  }
}
