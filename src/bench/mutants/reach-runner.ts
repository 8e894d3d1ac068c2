import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestRunner } from 'vitest';
import { coveredSpans, loadedSpans, type Spans } from './covered-spans.ts';

/**
 * Runs tests as vitest does, and writes which places of the source each file runs, apart for what runs while it is
 * loaded: modules stay loaded between files, so code of that kind runs for the first file only.
 */

const startSession = (): Session => {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return session;
};

const kept = globalThis as { weirCoverage?: Session };
const session = (kept.weirCoverage ??= startSession());

type SpansOfFiles = Readonly<Record<string, Spans>>;

/** What ran since the last call, and what of it lies outside functions. */
const take = (): { readonly ran: SpansOfFiles; readonly loaded: SpansOfFiles } => {
  const ran: Record<string, Spans> = {};
  const loaded: Record<string, Spans> = {};
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error !== null) throw error;
    for (const { url, functions } of taken.result) {
      if (!/^file:.*\/src\/.*\.ts(\?|$)/.test(url) || /\.(test|fixture)\.ts/.test(url)) continue;
      const path = fileURLToPath(url);
      ran[path] = coveredSpans(functions.flatMap(({ ranges }) => ranges));
      const outside = loadedSpans(functions);
      if (outside.length > 0) loaded[path] = outside;
    }
  });
  return { ran, loaded };
};

type Files = Parameters<TestRunner['onAfterRunFiles']>[0];

// oxlint-disable-next-line import/no-default-export -- vitest reads it so
export default class ReachRunner extends TestRunner {
  readonly #folder = process.env['WEIR_REACH'] ?? '';
  #began = 0;
  #loading: SpansOfFiles = {};

  override onCollectStart(file: Files[number]): void {
    super.onCollectStart(file);
    this.#began = performance.now();
    take();
  }

  onCollected(): void {
    this.#loading = take().ran;
  }

  override onAfterRunFiles(files: Files): void {
    super.onAfterRunFiles(files);
    const { ran: running, loaded } = take();
    // A test may import a file while it runs, so that it is loaded for all later tests, too.
    const loading = { ...this.#loading, ...loaded };
    const seconds = (performance.now() - this.#began) / 1_000;
    mkdirSync(this.#folder, { recursive: true });
    for (const { filepath: test } of files)
      writeFileSync(
        join(this.#folder, `${test.replaceAll('/', '+')}.json`),
        JSON.stringify({ test, seconds, loading, running }),
      );
  }
}
