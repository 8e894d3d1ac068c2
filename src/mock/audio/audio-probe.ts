import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import {
  isEbml,
  isMp4,
  isUnknownLength,
  mp4EndsEarly,
  webmBlocks,
  ebmlLength,
  type Mp3Frame,
  mp3HeaderLength,
  readMp3Frame,
  readUint,
} from '../../contract/containers.ts';
import { RequestRefusal } from '../errors/mock-errors.ts';
import type { UploadedFile } from '../http/request-body.ts';
import { z } from 'zod';

/** Reads a text of `bytes` one-byte characters that starts at `from`. The text is shorter if the file ends earlier. */
const readText = (file: Uint8Array, from: number, bytes: number): string =>
  String.fromCharCode(...file.subarray(from, from + bytes));

const readLittle = (file: Uint8Array, from: number, bytes: number): number =>
  readUint(file.subarray(from, from + bytes).toReversed(), 0, bytes);

const wavIds: readonly string[] = ['RIFF', 'RF64', 'BW64'];

/**
 * Finds the audio of a WAV file: its offset, its declared length in bytes, and its bytes per second; `null` if the file
 * has no audio.
 */
const wavAudio = (file: Uint8Array) => {
  if (!wavIds.includes(readText(file, 0, 4)) || readText(file, 8, 4) !== 'WAVE') return null;
  let [bytesPerSecond, longLength] = [0, 0];
  for (let at = 12; at + 8 <= file.length;) {
    const [id, size, from] = [readText(file, at, 4), readLittle(file, at + 4, 4), at + 8];
    if (id === 'ds64') longLength = readLittle(file, from + 8, 8);
    if (id === 'fmt ') bytesPerSecond = readLittle(file, from + 8, 4);
    if (id === 'data')
      return { from, declared: size === 0xffffffff ? longLength : size, bytesPerSecond };
    at = from + size + (size % 2);
  }
  return null;
};

/**
 * Returns the duration in seconds of two kinds of WAV files that the library cannot read: files that were written to a
 * pipe and declare no length, and files with 64-bit lengths. Returns `null` for any other file.
 */
const unusualWavDuration = (file: Uint8Array): number | null => {
  const audio = wavAudio(file);
  if (audio === null || audio.bytesPerSecond === 0) return null;
  const isPiped = isUnknownLength(audio.declared, audio.bytesPerSecond);
  if (!isPiped && readText(file, 0, 4) === 'RIFF') return null;
  return (isPiped ? file.length - audio.from : audio.declared) / audio.bytesPerSecond;
};

/**
 * Decides whether a RIFF file is shorter than it declares; `false` for a file that was written to a pipe, since it
 * declares no length.
 */
const riffEndsEarly = (file: Uint8Array): boolean => {
  const audio = wavAudio(file);
  if (audio !== null && isUnknownLength(audio.declared, audio.bytesPerSecond)) return false;
  if (audio !== null && audio.from + audio.declared > file.length) return true;
  const declaredSize = readUint(file.subarray(4, 8).toReversed(), 0, 4);
  return declaredSize !== 0 && declaredSize !== 0xffffffff && declaredSize + 8 > file.length;
};

/** Decides whether the last Ogg page (RFC 3533, section 6) is incomplete, or is not marked as the last page. */
const oggEndsEarly = (file: Uint8Array): boolean => {
  let position = 0;
  let flags = 0;
  while (readText(file, position, 4) === 'OggS') {
    const segments = readUint(file, position + 26, 1);
    const lengths = file.subarray(position + 27, position + 27 + segments);
    flags = readUint(file, position + 5, 1);
    position += 27 + segments + lengths.reduce((sum, length) => sum + length, 0);
  }
  return position > file.length || (flags & 4) === 0;
};

/**
 * Decides whether a WebM file ends before the declared end of its segment. The file consists of an EBML head and a
 * segment. A segment of unknown length never ends early.
 */
const webmEndsEarly = (file: Uint8Array): boolean => {
  const idBytes = 4;
  const head = ebmlLength(file, idBytes);
  const segment = idBytes + head.bytes + (head.value ?? 0);
  const length = ebmlLength(file, segment + idBytes);
  const end = segment + idBytes + length.bytes + (length.value ?? 0);
  return end > file.length;
};

/** Returns the MP3 frame at an offset; `null` if there is none. Bytes after the end of the file are read as zero. */
const frameAt = (file: Uint8Array, from: number): Mp3Frame | null => {
  const header = Buffer.alloc(mp3HeaderLength);
  header.set(file.subarray(from, from + mp3HeaderLength));
  return readMp3Frame(header);
};

/**
 * Returns the total length of all frames, in bytes, from the Info or Xing tag in the first frame; `null` without a tag
 * or length.
 */
const declaredBytes = (file: Uint8Array, from: number, { sideInfo }: Mp3Frame): number | null => {
  const at = from + mp3HeaderLength + sideInfo;
  if (!['Info', 'Xing'].includes(readText(file, at, 4))) return null;
  const flags = readUint(file, at + 4, 4);
  const hasFrameCount = (flags & 1) !== 0;
  const hasByteCount = (flags & 2) !== 0;
  return hasByteCount ? readUint(file, at + (hasFrameCount ? 12 : 8), 4) : null;
};

/** Returns the offset after an ID3v2 tag; 0 without a tag. Each byte of the tag's length holds seven bits. */
const afterId3 = (file: Uint8Array): number => {
  if (readText(file, 0, 3) !== 'ID3') return 0;
  const [a = 0, b = 0, c = 0, d = 0] = file.subarray(6, 10);
  return 10 + ((a << 21) | (b << 14) | (c << 7) | d);
};

/** Decides whether an MP3 file ends within a frame, or is shorter than its first frame declares. */
const mp3EndsEarly = (file: Uint8Array): boolean => {
  const begin = afterId3(file);
  const first = frameAt(file, begin);
  if (first === null) return begin > file.length;
  let end = begin;
  for (let frame: Mp3Frame | null = first; frame !== null; frame = frameAt(file, end)) {
    end += frame.length;
  }
  return Math.max(end, begin + (declaredBytes(file, begin, first) ?? 0)) > file.length;
};

type Test = (file: Uint8Array) => boolean;

/**
 * For each container format, two tests: whether a file has this format, and whether a file of this format ends early.
 */
const containers: readonly (readonly [matches: Test, endsEarly: Test])[] = [
  [(file) => wavIds.includes(readText(file, 0, 4)), riffEndsEarly],
  [(file) => readText(file, 0, 4) === 'OggS', oggEndsEarly],
  [isMp4, mp4EndsEarly],
  [isEbml, webmEndsEarly],
  [(file) => readText(file, 0, 3) === 'ID3' || readUint(file, 0, 2) >= 0xffe0, mp3EndsEarly],
];

/**
 * Returns whether a file is shorter than its container declares. Many decoders would treat such a file as a shorter
 * recording.
 */
export const isTruncatedAudio = (file: Uint8Array): boolean => {
  const [, endsEarly] = containers.find(([matches]) => matches(file)) ?? [];
  return endsEarly?.(file) ?? false;
};

const manifestSchema = z.object({
  clips: z.array(
    z.object({ file: z.string(), sha256: z.string(), text: z.string(), language: z.string() }),
  ),
});

const manifest = new URL('../../../fixtures/speech/manifest.json', import.meta.url);

const readClips = async () =>
  manifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8'))).clips;
let clips: ReturnType<typeof readClips> | undefined;

/** Returns the bundled clip with this SHA-256 (hex); `null` without such a clip. */
export const knownClip = async (sha256: string) =>
  (await (clips ??= readClips())).find((clip) => clip.sha256 === sha256) ?? null;

export const clipFiles = async (): Promise<readonly URL[]> =>
  (await (clips ??= readClips())).map(({ file }) => new URL(file, manifest));

/**
 * Returns the duration in seconds of a WebM file that declares none, computed from its blocks; `null` if it has fewer
 * than two blocks.
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

/**
 * Returns the duration of audio in seconds; `null` if it is unknown or zero. The container is recognised from the
 * content, not from the file name.
 */
export const durationOf = async (file: Uint8Array): Promise<number | null> => {
  const unusual = unusualWavDuration(file);
  if (unusual !== null) return unusual > 0 ? unusual : null;
  const { parseBuffer } = await import('music-metadata');
  try {
    const { format } = await parseBuffer(file, undefined, { duration: true, skipCovers: true });
    const { duration = 0 } = format;
    return Number.isFinite(duration) && duration > 0 ? duration : webmDuration(file);
  } catch {
    return null;
  }
};

/**
 * The longest accepted recording, in seconds: a day. Even in the largest upload, a longer recording would have less
 * than 2.5 kbit/s. A longer declared length must therefore be wrong.
 */
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

/** Reads the duration of a file. The latest results are cached, since load tests send the same few files repeatedly. */
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
 * Loads the audio library before the first request, since loading blocks the process for tens of ms, which would delay
 * tokens.
 */
export const warmUpAudio = async (): Promise<void> => {
  const files = await clipFiles();
  for (const file of new Map(files.map((each) => [extname(each.pathname), each])).values()) {
    await durationOf(await readFile(file));
  }
};
