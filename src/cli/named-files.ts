import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { uploadExtensions, uploadLimit } from '../contract/audio.ts';
import type { ClipShelf } from '../model/clip.ts';
import { type ClipOrder, readClips } from '../platform/clips.ts';
import { Problem } from '../platform/problem.ts';
import { readSecret } from '../platform/secrets.ts';
import { whyUnreadable } from '../platform/unreadable.ts';
import type { NamedFile } from '../scenario/named-files.ts';
import type { Place, Problem as ScenarioProblem } from '../scenario/problem.ts';
import { recordedSeconds } from '../traffic/recorded-seconds.ts';

/** The text of a file of certificates; throws a `Problem`. */
export const readCertificates = (file: string, folder: string): Promise<string> => {
  const path = resolve(folder, file);
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new Problem(`the certificate file ${path} cannot be read: ${whyUnreadable(error)}`);
  });
};

const readers = { secret: readSecret, certificates: readCertificates };

/** What the `Problem` says that a reader throws; `null` where it throws none. */
const faultOf = async (reading: Promise<string>): Promise<string | null> => {
  try {
    await reading;
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.message;
  }
};

/** Reads everything that a scenario names, so that whatever cannot be used is told together: the clips, and each problem at its place. */
export const readNamedFiles = async (
  files: readonly NamedFile[],
  folder: string,
): Promise<{ readonly clips: ClipShelf; readonly problems: readonly ScenarioProblem[] }> => {
  const problems: ScenarioProblem[] = [];
  const orders: (ClipOrder & { readonly place: Place })[] = [];
  for (const { use, place } of files) {
    if (use.kind === 'clip') {
      orders.push({ ...use.clip, oversized: use.oversized, place });
    } else {
      const message = await faultOf(readers[use.kind](use.file, folder));
      if (message !== null) problems.push({ ...place, message, hint: null });
    }
  }
  const { shelf, faults } = await readClips(orders, folder, {
    extensions: uploadExtensions,
    largest: uploadLimit,
    recorded: recordedSeconds,
  });
  const unusable = faults.map(({ order: { place }, message }) => ({
    ...place,
    message,
    hint: null,
  }));
  return { clips: shelf, problems: [...problems, ...unusable] };
};
