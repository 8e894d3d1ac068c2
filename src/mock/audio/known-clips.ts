import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** The words of a clip of speech. */
export interface KnownClip {
  readonly text: string;
  readonly language: string;
}

const manifestSchema = z.object({
  clips: z.array(
    z.object({ file: z.string(), sha256: z.string(), text: z.string(), language: z.string() }),
  ),
});

const manifest = new URL('../../../fixtures/speech/manifest.json', import.meta.url);

const readClips = async () =>
  manifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8'))).clips;

let clips: ReturnType<typeof readClips> | null = null;

/** Reads the list of the bundled clips on first use. */
const allClips = (): ReturnType<typeof readClips> => (clips ??= readClips());

/** The bundled clip with this SHA-256 (hex), or `null`. */
export const knownClip = async (sha256: string): Promise<KnownClip | null> =>
  (await allClips()).find((clip) => clip.sha256 === sha256) ?? null;

/** The files of the bundled clips. */
export const clipFiles = async (): Promise<readonly URL[]> =>
  (await allClips()).map(({ file }) => new URL(file, manifest));
