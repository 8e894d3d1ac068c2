import { uploadExtensions, uploadLimit } from '../contract/audio.ts';
import type { ClipShelf } from '../model/clip.ts';
import type { Plan } from '../model/plan.ts';
import { readClips } from '../platform/clips.ts';
import { recordedSeconds } from '../traffic/recorded-seconds.ts';

/** What a plan's transcription entries upload; throws a `Problem` that lists every clip that cannot be used. */
export const readPlanClips = (plan: Plan, folder: string): Promise<ClipShelf> => {
  const orders = plan.stages
    .flatMap(({ traffic }) => traffic)
    .flatMap((entry) =>
      entry.kind === 'transcription'
        ? entry.clips.map((source) => ({ ...source, oversized: entry.oversized }))
        : [],
    );
  return readClips(orders, folder, {
    extensions: uploadExtensions,
    largest: uploadLimit,
    recorded: recordedSeconds,
  });
};
