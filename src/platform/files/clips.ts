import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Clip, ClipLibrary, ClipSource } from '../../model/workload/clip.ts';
import { Problem } from '../problem.ts';
import { whyUnreadable } from './file-error-reasons.ts';

/** What a plan's entry wants to upload, and whether it may be larger than the interface allows. */
export interface ClipRequest extends ClipSource {
  readonly oversized: boolean;
}

/** What the interface says of uploads. */
export interface UploadRules {
  /** Accepted file extensions, in lower case and without their point. */
  readonly extensions: readonly string[];
  /** The largest file, in bytes. */
  readonly largest: number;
  /** How far a recording really goes, in seconds, where its header would tell its length even if it were cut; `null` elsewhere. */
  readonly recorded: (bytes: Uint8Array) => number | null;
}

/** What a clip is labelled as in a form. */
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

/** The speech that comes with Weir; the same way from the source as from what is built of it. */
const bundledManifest = fileURLToPath(
  new URL('../../../fixtures/speech/manifest.json', import.meta.url),
);

const manifestSchema = z.looseObject({
  clips: z.array(z.looseObject({ file: z.string().min(1), text: z.string().nullish() })).min(1),
});

const unreadableClip = (what: string, error: unknown): Problem =>
  new Problem(
    `${what} cannot be read: ${whyUnreadable(error)}. Give a path from the scenario’s folder, or \`bundled\` for the speech that comes with Weir`,
  );

/** How long a recording plays by what its container says of itself; `null` where it does not tell. */
const declaredSeconds = async (bytes: Uint8Array): Promise<number | null> => {
  const { parseBuffer } = await import('music-metadata');
  try {
    const { format } = await parseBuffer(bytes, undefined, { duration: true, skipCovers: true });
    const { duration = 0 } = format;
    return duration > 0 && Number.isFinite(duration) ? duration : null;
  } catch {
    // Somebody may want to see how a target takes a file that is no audio.
    return null;
  }
};

/** For how many seconds the last block may play on: Opus sends nothing for 0.4 s of silence. */
const maxLastBlockSeconds = 0.5;

/** How long a recording plays; refuses one that goes less far than its header says. */
const playedSeconds = async (
  path: string,
  bytes: Uint8Array,
  { recorded }: UploadRules,
): Promise<number | null> => {
  const declared = await declaredSeconds(bytes);
  const actual = recorded(bytes);
  if (declared === null || actual === null) return declared;
  if (actual < declared - maxLastBlockSeconds) {
    throw new Problem(
      `the clip ${path} is cut: its header promises ${declared.toFixed(2)} s of audio, and it holds ${actual.toFixed(2)} s. Copy it again, or convert it so that its header is true`,
    );
  }
  return Math.max(declared, actual);
};

/** One file to upload, its path made whole. */
type ClipFile = Omit<ClipRequest, 'file'> & { readonly path: string };

const readManifest = async (path: string, oversized: boolean): Promise<readonly ClipFile[]> => {
  const what = `the manifest of clips ${path}`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
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
    const places = parsed.error.issues.map((issue) => issue.path.join('.') || 'the whole');
    throw new Problem(`${what} is not in its form: ${expected}; wrong is ${places.join(', ')}`);
  }
  return parsed.data.clips.map((clip) => ({
    path: resolve(dirname(path), clip.file),
    text: clip.text ?? null,
    oversized,
  }));
};

/** A file that has been read, without a text of its own. */
type Recording = Omit<Clip, 'text'>;

const readRecording = async (path: string, rules: UploadRules): Promise<Recording> => {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadableClip(`the clip ${path}`, error);
  });
  if (bytes.length === 0) throw new Problem(`the clip ${path} is empty: give a recording`);
  return {
    name: basename(path),
    bytes,
    contentType: contentTypes[extensionOf(path)] ?? 'application/octet-stream',
    seconds: await playedSeconds(path, bytes, rules),
  };
};

/** Refuses what the interface does not take, before a large file is read. */
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
      `the clip ${path} has ${size} bytes, and the interface takes ${largest} at most: choose a shorter one, or set \`oversized: true\` to send it and see it refused`,
    );
  }
};

const filesOf = async (
  { file, text, oversized }: ClipRequest,
  folder: string,
): Promise<readonly ClipFile[]> => {
  const path = file === 'bundled' ? bundledManifest : resolve(folder, file);
  return extensionOf(path) === 'json' ? readManifest(path, oversized) : [{ path, text, oversized }];
};

const keyOf = ({ file, text }: ClipSource): string => JSON.stringify([file, text]);

/** A clip that cannot be used, and why, in a sentence. */
export interface ClipFault<Request extends ClipRequest> {
  readonly request: Request;
  readonly message: string;
}

/** Reads the clips that a plan uploads, each file once; paths start from `folder`. A clip that cannot be used is a fault, and the others are still looked at. */
export const readClips = async <Request extends ClipRequest>(
  requests: readonly Request[],
  folder: string,
  rules: UploadRules,
): Promise<{ readonly library: ClipLibrary; readonly faults: readonly ClipFault<Request>[] }> => {
  const recordings = new Map<string, Recording>();
  const library = new Map<string, readonly Clip[]>();
  const faults: ClipFault<Request>[] = [];

  /** Nothing where there is a problem. */
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
    const recording = recordings.get(clipFile.path) ?? (await readRecording(clipFile.path, rules));
    recordings.set(clipFile.path, recording);
    return { ...recording, text: clipFile.text };
  };

  for (const request of requests) {
    const listed = await orFault(request, () => filesOf(request, folder));
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
  return { library: { clipsOf }, faults };
};
