import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import {
  type CoordinatorRecord,
  coordinatorRecordSchema,
  keysOf,
  readRecord,
  type RendezvousRun,
  type WorkerRecord,
} from './model/records.ts';
import { monotonicNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';
import { sleep } from '../../platform/process/pause.ts';
import { timeText } from '../../report/text/number-text.ts';
import type { OnStop, StopCause } from '../../run/input/host.ts';

/** The interval at which a worker reads the coordinator's messages, in ms. */
const pollInterval = 200;
/** The interval at which a worker shows that it is alive, in ms. */
const beatInterval = 1000;

interface FollowOptions {
  readonly run: RendezvousRun;
  readonly slice: number;
  readonly worker: Pick<WorkerRecord, 'worker' | 'host'>;
  /** Returns the progress that is sent to the coordinator. */
  readonly takeProgress: () => WorkerRecord['progress'];
}

/** Follows the coordinator's messages, and reports the slice's state to it, until `close` is called. */
export class FollowedCoordinator {
  /**
   * The slice may send until this instant, in ms of the machine's monotonic clock. Every sign that the coordinator is
   * alive extends this lease.
   */
  readonly lease = new Float64Array(new SharedArrayBuffer(8));
  /**
   * Resolves with the start of the load on the coordinator's clock. Rejects with a `Problem` if the coordinator is
   * silent or has ended.
   */
  readonly startAt: Promise<number>;
  /** Resolves with `true` when the coordinator has the result, with `false` when the coordinator is gone. */
  readonly ended: Promise<boolean>;
  readonly #rendezvous: Rendezvous;
  readonly #options: FollowOptions;
  readonly #start = Promise.withResolvers<number>();
  readonly #end = Promise.withResolvers<boolean>();
  readonly #listeners = new Set<(cause: StopCause, times: number) => void>();
  readonly #looping: Promise<void>;
  #record: WorkerRecord;
  #hasNews = true;
  #saidAt = Number.NEGATIVE_INFINITY;
  #beat = -1;
  #stops = 0;
  #heardAt = monotonicNow();
  #isClosed = false;
  #isRunOver = false;

  constructor(rendezvous: Rendezvous, options: FollowOptions) {
    this.#rendezvous = rendezvous;
    this.#options = options;
    const { worker } = options;
    const nothing = { message: null, clock: null, progress: null, result: null };
    this.#record = { ...worker, beat: 0, phase: 'opening', ...nothing };
    this.lease[0] = this.#heardAt + options.run.silence;
    this.startAt = this.#start.promise;
    this.startAt.catch(() => undefined);
    this.ended = this.#end.promise;
    this.#looping = this.#loop();
  }

  /** Passes on the stops of the coordinator, in the same form as those of the host. */
  readonly onStop: OnStop = (listener) => {
    this.#listeners.add(listener);
    if (this.#stops > 0) queueMicrotask(() => listener('the coordinator', this.#stops));
    return () => this.#listeners.delete(listener);
  };

  /** Returns whether the coordinator was silent for too long or has ended the run. */
  isGone(): boolean {
    return monotonicNow() > this.lease[0]!;
  }

  isRunOver(): boolean {
    return this.#isRunOver;
  }

  /** Changes the record of this worker for the coordinator. The record is sent soon afterwards. */
  send(change: Partial<Pick<WorkerRecord, 'phase' | 'message' | 'clock' | 'result'>>): void {
    this.#record = { ...this.#record, ...change };
    this.#hasNews = true;
  }

  /** Sends the worker's last message, and stops following the coordinator. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#looping;
    // Nothing may be written into a rendezvous that the coordinator has cleared.
    if (this.#hasNews && !this.#isRunOver) await this.#put().catch(() => undefined);
  }

  async #loop(): Promise<void> {
    while (!this.#isClosed) {
      await this.#listen();
      const isTime = this.#hasNews || monotonicNow() - this.#saidAt >= beatInterval;
      if (isTime && !this.#isRunOver) await this.#say();
      await sleep(pollInterval);
    }
  }

  async #say(): Promise<void> {
    try {
      await this.#put();
    } catch (error) {
      // The server may be away for a moment. If it is away for too long, the coordinator counts as silent.
      if (!(error instanceof Problem)) throw error;
    }
  }

  async #put(): Promise<void> {
    const { run, slice, takeProgress } = this.#options;
    const sent = { ...this.#record, beat: this.#record.beat + 1, progress: takeProgress() };
    this.#record = sent;
    await this.#rendezvous.put(keysOf(run.id).worker(slice), JSON.stringify(sent));
    this.#saidAt = monotonicNow();
    if (this.#record === sent) this.#hasNews = false;
  }

  async #listen(): Promise<void> {
    const { run } = this.#options;
    // The lease begins when the record is requested, not when the record arrives. The record may have been read long
    // before it arrives.
    const asked = monotonicNow();
    const text = await this.#rendezvous.get(keysOf(run.id).coordinator).catch((error: unknown) => {
      if (error instanceof Problem) return undefined;
      throw error;
    });
    // Before the coordinator's first message, a missing record does not mean that the run has ended.
    if (text === null && this.#beat >= 0) {
      this.#isRunOver = true;
      this.#leave('the coordinator has ended the run');
      return;
    }
    const said = readRecord(coordinatorRecordSchema, text ?? null);
    if (said !== null && said.beat !== this.#beat) this.#hear(said, asked);
    if (monotonicNow() - this.#heardAt <= run.silence) return;
    this.#leave(`the coordinator was silent for ${timeText(run.silence)}`);
  }

  #hear({ beat, startAt, stops, lost, collected }: CoordinatorRecord, asked: number): void {
    const { run, slice } = this.#options;
    this.#beat = beat;
    this.#heardAt = asked;
    if (collected.includes(slice)) this.#end.resolve(true);
    if (lost.includes(slice)) {
      this.#revoke('the coordinator counts this slice as lost');
      return;
    }
    this.lease[0] = asked + run.silence;
    if (startAt !== null) this.#start.resolve(startAt);
    this.#stop(stops);
  }

  #stop(stops: number): void {
    if (stops <= this.#stops) return;
    this.#stops = stops;
    for (const listener of this.#listeners) listener('the coordinator', stops);
  }

  #revoke(why: string): void {
    this.lease[0] = Number.NEGATIVE_INFINITY;
    this.#start.reject(new Problem(`${why}: this slice sends nothing more`));
    this.#stop(2);
  }

  /** Ends the slice, since no coordinator waits for it any more. */
  #leave(why: string): void {
    this.#revoke(why);
    this.#end.resolve(false);
  }
}

export const followCoordinator = (
  rendezvous: Rendezvous,
  options: FollowOptions,
): FollowedCoordinator => new FollowedCoordinator(rendezvous, options);
