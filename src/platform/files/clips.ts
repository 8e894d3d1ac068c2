import { stat } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Clip, ClipLibrary, ClipSource, RecordedLength } from '../../model/workload/clip.ts';
import { misfitPlaces } from '../../model/misfit-places.ts';
import { Problem } from '../problem.ts';
import { outsideOf } from './outside.ts';
import { whyUnreadable } from './file-error-reasons.ts';
import { fileBounds, readBytes, readTextFile } from './whole-file.ts';

/** A clip that a plan uploads. `oversized` permits clips that are larger than the interface permits. */
export interface ClipRequest extends ClipSource {
  readonly oversized: boolean;
}

export interface UploadRules {
  /** The file extensions that are accepted, in lower case, without the dot. */
  readonly extensions: readonly string[];
  /** The maximum size of a file, in bytes. */
  readonly largest: number;
  /** Returns the real length of a recording in seconds; `null` if only the header of the file shows its length. */
  readonly recorded: (bytes: Uint8Array) => RecordedLength | null;
  /** Whether clips must be in the scenario's folder. */
  readonly isConfined: boolean;
}

const contentTypes: Readonly<Record<string, string>> = {
  m4a: 'audio/mp4',
  mp3: 'audio/mpeg',
  mp4: 'audio/mp4',
  mpeg: 'audio/mpeg',
  mpga: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  webm: 'audio/webm',
};

const extensionOf = (path: string): string => extname(path).slice(1).toLowerCase();

/**
 * The path of the list of speech samples that come with Weir. The relative path is the same in the source and in the
 * built package.
 */
const bundledManifest = fileURLToPath(
  new URL('../../../fixtures/speech/manifest.json', import.meta.url),
);

const manifestSchema = z.looseObject({
  clips: z
    .array(
      z.looseObject({
        file: z.string().min(1),
        text: z.string().nullish(),
        seconds: z.number().positive().optional().catch(undefined),
      }),
    )
    .min(1),
});

const unreadableClip = (what: string, error: unknown): Problem =>
  new Problem(
    `${what} cannot be read: ${whyUnreadable(error)}. Give a path from the scenario’s folder, or use \`bundled\` for the speech that comes with Weir`,
  );

/**
 * Returns the duration that the container of a recording declares, in seconds; `null` if the container declares no
 * duration.
 */
const declaredSeconds = async (bytes: Uint8Array): Promise<number | null> => {
  const { parseBuffer } = await import('music-metadata');
  try {
    const { format } = await parseBuffer(bytes, undefined, { duration: true, skipCovers: true });
    const { duration = 0 } = format;
    return duration > 0 && Number.isFinite(duration) ? duration : null;
  } catch {
    // A file that is not audio is permitted, since a user may test how a target handles such a file.
    return null;
  }
};

/**
 * The maximum duration of a recording's last block, in seconds. The last block can be long, since Opus may write no
 * block during 0.4 s of silence.
 */
const maxLastBlockSeconds = 0.5;

/**
 * Returns the duration of a recording in seconds; `null` if it is unknown. Throws a `Problem` if the recording is
 * shorter than its header declares.
 */
const playedSeconds = async (
  path: string,
  bytes: Uint8Array,
  { recorded }: UploadRules,
): Promise<number | null> => {
  const counted = recorded(bytes);
  if (counted?.isCut === true)
    throw new Problem(
      `the clip ${path} is truncated: its container declares more bytes than the file has. Copy it again`,
    );
  const actual = counted?.seconds ?? null;
  const declared = counted?.isFinal === true ? null : await declaredSeconds(bytes);
  // A recording made by a browser (WebM of MediaRecorder) declares no duration.
  if (declared === null || actual === null) return declared ?? (actual === 0 ? null : actual);
  if (actual < declared - maxLastBlockSeconds) {
    throw new Problem(
      `the clip ${path} is truncated: its header declares ${declared.toFixed(2)} s of audio, but it contains ${actual.toFixed(2)} s. Copy it again, or convert it so that its header is correct`,
    );
  }
  return Math.max(declared, actual);
};

/** One file to upload, with its absolute path. */
type ClipFile = Omit<ClipRequest, 'file'> & {
  readonly path: string;
  /**
   * The stored duration of bundled speech, in seconds. Measuring the duration instead would take a third of the time of
   * `weir validate`.
   */
  readonly seconds?: number | undefined;
};

const readManifest = async (path: string, oversized: boolean): Promise<readonly ClipFile[]> => {
  const what = `the manifest of clips ${path}`;
  const text = await readTextFile(path, fileBounds.scenario).catch((error: unknown) => {
    throw unreadableClip(what, error);
  });
  const expected = 'expected {"clips": [{"file": "one.wav", "text": "What is said."}, …]}';
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Problem(`${what} is not JSON: ${expected}`);
  }
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) {
    const places = misfitPlaces(parsed.error.issues);
    throw new Problem(`${what} has the wrong form: ${expected}; check ${places}`);
  }
  return parsed.data.clips.map((clip) => ({
    path: resolve(dirname(path), clip.file),
    text: clip.text ?? null,
    oversized,
    seconds: clip.seconds,
  }));
};

type Recording = Omit<Clip, 'text'>;

const readRecording = async (
  { path, seconds }: ClipFile,
  rules: UploadRules,
): Promise<Recording> => {
  const bytes = await readBytes(path).catch((error: unknown) => {
    throw unreadableClip(`the clip ${path}`, error);
  });
  if (bytes.length === 0) throw new Problem(`the clip ${path} is empty: give a recording`);
  return {
    name: basename(path),
    bytes,
    contentType: contentTypes[extensionOf(path)] ?? 'application/octet-stream',
    seconds: seconds ?? (await playedSeconds(path, bytes, rules)),
  };
};

/** Throws a `Problem` for a file that the interface does not accept. The file is checked before its content is read. */
const checkUpload = async (
  { path, oversized }: ClipFile,
  { extensions, largest }: UploadRules,
): Promise<void> => {
  if (!extensions.includes(extensionOf(path))) {
    throw new Problem(
      `the clip ${path} cannot be uploaded: expected a file of type ${extensions.join(', ')}, or a manifest (.json); convert it first`,
    );
  }
  const { size } = await stat(path).catch((error: unknown) => {
    throw unreadableClip(`the clip ${path}`, error);
  });
  if (size > largest && !oversized) {
    throw new Problem(
      `the clip ${path} has ${size} bytes, but the interface accepts at most ${largest}: choose a shorter one, or set \`oversized: true\` to send it and see it refused`,
    );
  }
};

const filesOf = async (
  { file, text, oversized }: ClipRequest,
  folder: string,
  { isConfined }: UploadRules,
): Promise<readonly ClipFile[]> => {
  if (file === 'bundled') return readManifest(bundledManifest, oversized);
  const checkPlace = (path: string): void => {
    const problem = isConfined ? outsideOf(folder, path) : null;
    if (problem !== null) throw new Problem(problem);
  };
  checkPlace(file);
  const path = resolve(folder, file);
  if (extensionOf(path) !== 'json') return [{ path, text, oversized }];
  const listed = await readManifest(path, oversized);
  for (const clip of listed) checkPlace(clip.path);
  // The durations in a user's manifest may be wrong, so Weir measures them.
  return listed.map((clip) => ({ ...clip, seconds: undefined }));
};

const keyOf = ({ file, text }: ClipSource): string => JSON.stringify([file, text]);

/**
 * Reads the clips that a plan uploads, each file once. Paths are relative to `folder`. Returns a fault for each clip
 * that cannot be used.
 */
export const readClips = async <Request extends ClipRequest>(
  requests: readonly Request[],
  folder: string,
  rules: UploadRules,
) => {
  const recordings = new Map<string, Recording>();
  const library = new Map<string, readonly Clip[]>();
  const faults: { readonly request: Request; readonly message: string }[] = [];

  const orFault = async <T>(request: Request, find: () => Promise<T>): Promise<T | null> => {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      faults.push({ request, message: error.message });
      return null;
    }
  };
  const clipFor = async (clipFile: ClipFile): Promise<Clip> => {
    await checkUpload(clipFile, rules);
    const recording = recordings.get(clipFile.path) ?? (await readRecording(clipFile, rules));
    recordings.set(clipFile.path, recording);
    return { ...recording, text: clipFile.text };
  };

  for (const request of requests) {
    const listed = await orFault(request, () => filesOf(request, folder, rules));
    const clips: Clip[] = [];
    for (const clipFile of listed ?? []) {
      const clip = await orFault(request, () => clipFor(clipFile));
      if (clip !== null) clips.push(clip);
    }
    library.set(keyOf(request), clips);
  }
  const clipsOf = (source: ClipSource): readonly Clip[] => {
    const clips = library.get(keyOf(source));
    if (clips === undefined) throw new Error(`no clips were read for ${source.file}`);
    return clips;
  };
  const read: ClipLibrary = { clipsOf };
  return { library: read, faults };
};
