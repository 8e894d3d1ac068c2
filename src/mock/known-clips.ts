import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** What is said in a clip of speech. */
export interface KnownClip {
  readonly text: string;
  readonly language: string;
}

const manifestSchema = z.object({
  clips: z.array(z.object({ sha256: z.string(), text: z.string(), language: z.string() })),
});

const readClips = async (): Promise<ReadonlyMap<string, KnownClip>> => {
  const manifest = new URL('../../fixtures/speech/manifest.json', import.meta.url);
  const { clips } = manifestSchema.parse(JSON.parse(await readFile(manifest, 'utf8')));
  return new Map(clips.map(({ sha256, text, language }) => [sha256, { text, language }]));
};

let clips: ReturnType<typeof readClips> | null = null;

/** The bundled clip with this SHA-256 (hex); their list is read once, when first asked for. */
export const knownClip = async (sha256: string): Promise<KnownClip | null> => {
  clips ??= readClips();
  return (await clips).get(sha256) ?? null;
};
