import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const manifestSchema = z.object({
  clips: z.array(
    z.object({ file: z.string(), sha256: z.string(), text: z.string(), language: z.string() }),
  ),
});

const manifest = new URL('../../../fixtures/speech/manifest.json', import.meta.url);

const readClips = async () =>
  manifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8'))).clips;
let clips: ReturnType<typeof readClips> | undefined;

/** The bundled clip with this SHA-256 (hex), or `null`. */
export const knownClip = async (sha256: string) =>
  (await (clips ??= readClips())).find((clip) => clip.sha256 === sha256) ?? null;

export const clipFiles = async (): Promise<readonly URL[]> =>
  (await (clips ??= readClips())).map(({ file }) => new URL(file, manifest));
