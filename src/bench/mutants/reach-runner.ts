import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TestRunner } from 'vitest';
import { coveredSpans, type Spans } from './covered-spans.ts';

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

/** What ran since the last call. */
const take = (): Readonly<Record<string, Spans>> => {
  const spans: Record<string, Spans> = {};
  session.post('Profiler.takePreciseCoverage', (error, taken) => {
    if (error !== null) throw error;
    for (const { url, functions } of taken.result) {
      if (!/^file:.*\/src\/.*\.ts(\?|$)/.test(url) || /\.(test|fixture)\.ts/.test(url)) continue;
      spans[fileURLToPath(url)] = coveredSpans(functions.flatMap(({ ranges }) => ranges));
    }
  });
  return spans;
};

type Files = Parameters<TestRunner['onAfterRunFiles']>[0];

// oxlint-disable-next-line import/no-default-export -- vitest reads it so
export default class ReachRunner extends TestRunner {
  readonly #folder = process.env['WEIR_REACH'] ?? '';
  #began = 0;
  #loading: Readonly<Record<string, Spans>> = {};

  override onCollectStart(file: Files[number]): void {
    super.onCollectStart(file);
    this.#began = performance.now();
    take();
  }

  onCollected(): void {
    this.#loading = take();
  }

  override onAfterRunFiles(files: Files): void {
    super.onAfterRunFiles(files);
    const running = take();
    const seconds = (performance.now() - this.#began) / 1_000;
    mkdirSync(this.#folder, { recursive: true });
    for (const { filepath: test } of files)
      writeFileSync(
        join(this.#folder, `${test.replaceAll('/', '+')}.json`),
        JSON.stringify({ test, seconds, loading: this.#loading, running }),
      );
  }
}
