import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { isTruncatedAudio } from './truncated-audio.ts';
import { isEbml, webmBlocks } from '../../contract/containers.ts';
import { RequestRefusal } from '../errors/request-refusal.ts';
import type { UploadedFile } from '../http/upload.ts';
import { clipFiles } from './known-clips.ts';

/**
 * The length of a WebM file by its blocks, in seconds, for files of browsers and pipes that do not declare it.
 * The last block counts as long as the one before; `null` with fewer than two.
 */
export const webmDuration = (file: Uint8Array): number | null => {
  if (!isEbml(file)) return null;
  let [previous, end, scale] = [0, 0, 0];
  for (const { time, unit } of webmBlocks(file, false)) {
    if (time <= previous) continue;
    end = time + time - previous;
    previous = time;
    scale = unit;
  }
  return end === 0 ? null : (end * scale) / 1e9;
};

/** The length of an audio file in seconds, by its container and not by its name; `null` if unknown or zero. */
export const durationOf = async (file: Uint8Array): Promise<number | null> => {
  const { parseBuffer } = await import('music-metadata');
  try {
    const { format } = await parseBuffer(file, undefined, { duration: true, skipCovers: true });
    const { duration = 0 } = format;
    return Number.isFinite(duration) && duration > 0 ? duration : webmDuration(file);
  } catch {
    return null;
  }
};

/** A day. The largest upload would then have 2.4 kbit/s: a container that declares more is wrong. */
const maxSeconds = 86_400;

const probeFile = async ({ bytes, digest }: UploadedFile) => {
  if (bytes.length === 0) throw new RequestRefusal('empty-file', 'The file is empty.');
  if (isTruncatedAudio(bytes)) {
    const message = 'The file is shorter than its container declares; send the complete file.';
    throw new RequestRefusal('truncated-audio', message);
  }
  const seconds = await durationOf(bytes);
  if (seconds !== null && seconds <= maxSeconds) return { digest, seconds };
  const message = 'The file cannot be decoded as audio of a known length.';
  throw new RequestRefusal('undecodable-audio', message);
};

export type ProbedAudio = Awaited<ReturnType<typeof probeFile>>;

const cacheSize = 256;
const cache = new Map<string, Promise<ProbedAudio>>();

/** Load tests send the same few files again and again, so the last results are cached. */
export const probeAudio = (file: UploadedFile): Promise<ProbedAudio> => {
  const key = file.digest.toString('hex');
  const probed = cache.get(key) ?? probeFile(file);
  cache.delete(key);
  cache.set(key, probed);
  const [oldest] = cache.keys();
  if (cache.size > cacheSize && oldest !== undefined) cache.delete(oldest);
  return probed;
};

/**
 * Reads one clip of each container, so that the audio library is loaded before the first request: loading it
 * blocks the process for tens of milliseconds and would delay every token. Reading a usual clip then takes 2 ms.
 */
export const warmUpAudio = async (): Promise<void> => {
  const files = await clipFiles();
  for (const file of new Map(files.map((each) => [extname(each.pathname), each])).values()) {
    await durationOf(await readFile(file));
  }
};
