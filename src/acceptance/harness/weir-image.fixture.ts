import { resolve } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type FinishedProgram, startProgram } from './weir-process.fixture.ts';

/** The image of Weir itself, built as `npm run image` builds it. */

const checkout = resolve(import.meta.dirname, '..', '..', '..');

/** Runs a program in the checkout, in this process's environment. */
export const runInCheckout = (...words: readonly [string, ...string[]]): Promise<FinishedProgram> =>
  startProgram(words, process.env, checkout).ended;

/** What a runInCheckout prints. Throws, with what it said, if it fails. */
export const outputInCheckout = async (
  ...words: readonly [string, ...string[]]
): Promise<string> => {
  const { code, stdout, stderr } = await runInCheckout(...words);
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${stderr}`);
  return stdout.trim();
};

/** Whether an engine answers; in CI, where `WEIR_REQUIRE_CONTAINER=1`, it must. */
const hasEngine = async (): Promise<boolean> => {
  const answers = (await runInCheckout('docker', 'version').catch(() => null))?.code === 0;
  if (!answers && process.env['WEIR_REQUIRE_CONTAINER'] === '1')
    throw new Error('No container engine answers.');
  return answers;
};

/** Builds an image for the tests of this file, which are skipped where no engine answers. Resolves with its name, and whether one answers. */
export const builtWeirImage = async (): Promise<{
  readonly image: string;
  readonly engine: boolean;
}> => {
  const image = `weir:test-${process.pid}`;
  const engine = await hasEngine();
  beforeAll(async () => {
    if (engine) await outputInCheckout('node', '.package/image.ts', image);
  });
  beforeEach((context) => {
    if (!engine) context.skip('no container engine answers');
  });
  afterAll(async () => {
    if (engine) await runInCheckout('docker', 'rmi', image);
  });
  return { image, engine };
};
