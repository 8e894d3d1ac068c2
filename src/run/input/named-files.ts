import { resolve } from 'node:path';
import { uploadExtensions, maxUploadBytes } from '../../contract/audio.ts';
import type { ClipLibrary } from '../../model/workload/clip.ts';
import type { ClipRequest } from '../../platform/files/clips.ts';
import { Problem } from '../../platform/problem.ts';
import { outsideOf } from '../../platform/files/outside.ts';
import { readTextFile } from '../../platform/files/plain-files.ts';
import { readSecret } from '../../platform/files/secrets.ts';
import { whyUnreadable } from '../../platform/files/file-error-reasons.ts';
import type { ReferencedFile } from '../../scenario/rules/referenced-files.ts';
import type { ScenarioPlace, ScenarioProblem } from '../../scenario/text/scenario-problem.ts';

/** The text of a file of certificates; throws a `Problem`. */
export const readCertificates = (file: string, folder: string): Promise<string> => {
  const path = resolve(folder, file);
  return readTextFile(path).catch((error: unknown) => {
    throw new Problem(`the certificate file ${path} cannot be read: ${whyUnreadable(error)}`);
  });
};

const readers = { secret: readSecret, certificates: readCertificates };

/** Where container runtimes mount secrets; a bare name is a file there. */
export const mountedSecret = /^(?:\/run\/secrets\/)?[^/]+$/;

/** A problem for each secret and certificate that is not in the scenario's folder. */
export const filesOutside = (
  files: readonly ReferencedFile[],
  folder: string,
): readonly ScenarioProblem[] =>
  files.flatMap(({ use, place }) => {
    if (use.kind === 'clip' || (use.kind === 'secret' && mountedSecret.test(use.file))) return [];
    const message = outsideOf(folder, use.file);
    return message === null ? [] : { ...place, message, hint: null };
  });

/**
 * Reads all files that a scenario names. Returns the clips, and a problem with its place for each file that cannot
 * be used; clips must be in the scenario's folder unless it is trusted.
 */
export const readNamedFiles = async (
  files: readonly ReferencedFile[],
  folder: string,
  isTrusted: boolean,
): Promise<{ readonly clips: ClipLibrary; readonly problems: readonly ScenarioProblem[] }> => {
  const problems: ScenarioProblem[] = [];
  const clipRequests: (ClipRequest & { readonly place: ScenarioPlace })[] = [];
  for (const { use, place } of files) {
    if (use.kind === 'clip') {
      clipRequests.push({ ...use.clip, oversized: use.oversized, place });
    } else {
      await readers[use.kind](use.file, folder).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
        problems.push({ ...place, message: error.message, hint: null });
      });
    }
  }
  if (clipRequests.length === 0) return { clips: { clipsOf: () => [] }, problems };
  // Imported here, since few scenarios upload audio.
  const { readClips } = await import('../../platform/files/clips.ts');
  const { recordedSeconds } = await import('../../traffic/audio/recorded-seconds.ts');
  const { library, faults } = await readClips(clipRequests, folder, {
    extensions: uploadExtensions,
    largest: maxUploadBytes,
    recorded: recordedSeconds,
    isConfined: !isTrusted,
  });
  for (const { request, message } of faults)
    problems.push({ ...request.place, message, hint: null });
  return { clips: library, problems };
};
