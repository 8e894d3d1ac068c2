import { milliseconds } from '../../model/quantity.ts';
import type { LiveAssets, LiveRun } from '../../report/run/live-page.ts';
import { livePage, livePageUpdate } from '../../report/run/live-page.ts';
import { CheckpointJournal } from '../../record/read-checkpoint.ts';
import { judgeFigures } from '../output/judge-result.ts';
import type { PageSetup } from './page-messages.ts';

export class LiveState {
  readonly #run: Omit<LiveRun, 'progress' | 'soFar'>;
  #journal: CheckpointJournal | null = null;
  #progress: LiveRun['progress'] = null;
  /**
   * What the run has reported, in ascending order of `sent`: at the time `sent`, all requests that were due before the
   * time `moment` had ended. Both times are in ms since the run began.
   */
  #endedBefore: (readonly [sent: number, moment: number])[] = [];
  /** The judged result so far; `null` if a line of the checkpoint has come since the last judgement. */
  #soFar: { readonly current: LiveRun['soFar'] } | null = null;

  constructor({ weir, name, planned, report }: PageSetup) {
    this.#run = { weir, name, report, planned: milliseconds(planned) };
  }

  set progress(progress: LiveRun['progress']) {
    this.#progress = progress;
    if (progress?.endedBefore !== undefined)
      this.#endedBefore.push([progress.elapsed, progress.endedBefore]);
  }

  add(json: unknown): void {
    if (this.#journal === null) this.#journal = CheckpointJournal.begin(json);
    else this.#journal.add(json);
    this.#soFar = null;
  }

  page(assets: LiveAssets): string {
    return livePage(this.#current(), assets);
  }

  /** Returns an update for pages that are already open. */
  update(): string {
    return livePageUpdate(this.#current());
  }

  #current(): LiveRun {
    this.#soFar ??= { current: this.#judge() };
    return { ...this.#run, progress: this.#progress, soFar: this.#soFar.current };
  }

  #judge(): LiveRun['soFar'] {
    let until = 0;
    const whole = this.#journal?.result((moment) => {
      until = moment;
      return 'under way';
    });
    if (whole === undefined || whole === null) return null;
    // The figures so far are judged like those of a finished run.
    return {
      ...judgeFigures({ ...whole, partial: null }),
      until,
      endedBefore: this.#endedBeforeAt(until),
    };
  }

  /**
   * Returns a moment in ms since the run began. All requests that were due before this moment had ended by `until`, so
   * the figures up to `until` contain these requests. Returns `undefined` if no such moment is known.
   */
  #endedBeforeAt(until: number): number | undefined {
    // A coordinated run does not report such moments.
    if (this.#endedBefore.length === 0) return undefined;
    const latest = this.#endedBefore.findLastIndex(([sent]) => sent <= until);
    this.#endedBefore = this.#endedBefore.slice(Math.max(0, latest));
    return latest < 0 ? 0 : this.#endedBefore[0]![1];
  }
}
