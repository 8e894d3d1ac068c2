import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { judgeTrust } from '../../judge/trust/judge-trust.ts';
import { resultSchema } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { mockCommand, startMockProcess } from '../../platform/process/mock-process.ts';
import { benchApiKey } from '../harness/chat-bytes.ts';
import { endProcess } from '../harness/processes.ts';
import { openTempFolder, readRecorded, weirCommand, weirProgram } from '../harness/run-weir.ts';
import {
  type ComparedFigure,
  comparedFigures,
  trueSamplesOf,
  type WrittenTokens,
} from '../harness/true-figures.ts';
import { type Neighbour, placedBy } from './neighbours.ts';
import type { ComparedLoad } from './compared-loads.ts';

/** A run of the real command beside a neighbour, and the truth of its figures. */
export interface ComparedRun {
  readonly trust: Trust;
  readonly figures: readonly ComparedFigure[];
}

const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');

const filesIn = (folder: string) => ({
  scenario: join(folder, 'scenario.json'),
  truth: join(folder, 'truth.jsonl'),
  observations: join(folder, 'observations.jsonl'),
  result: join(folder, 'result.json'),
});

const readRun = async (files: ReturnType<typeof filesIn>): Promise<ComparedRun> => {
  const result = resultSchema.parse(JSON.parse(await readFile(files.result, 'utf8')));
  const traces = (await linesOf(files.truth)).map((line) => JSON.parse(line) as WrittenTokens);
  const recorded = await readRecorded(files.observations);
  const trust = judgeTrust(result);
  const samples = trueSamplesOf({ traces, ...recorded, warmUp: result.plan.warmUp });
  return { trust, figures: comparedFigures(trust.figures, samples) };
};

/** Runs it to its end; `null` where this machine does not allow the neighbour. */
const generate = async (
  words: readonly string[],
  { scantCpu }: ComparedLoad,
  neighbour: Neighbour,
): Promise<boolean> => {
  const [program, ...rest] = placedBy(neighbour).generator([...weirCommand, ...words]);
  const env = { ...process.env, WEIR_API_KEY: benchApiKey, GITHUB_STEP_SUMMARY: '', CI: 'true' };
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const gone = once(child, 'exit');
  let stop: (() => Promise<void>) | null = null;
  let hasBegun = false;
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      if (hasBegun || !line.includes('Ctrl-C ends it early')) continue;
      hasBegun = true;
      stop = neighbour.disturb(child, scantCpu);
      if (stop === null) return false;
    }
    await gone;
    return true;
  } finally {
    await endProcess(child);
    await stop?.();
  }
};

/** Measures one load beside a neighbour, against a gateway in its own process; `null` where this machine does not allow it. */
export const compareRun = async (
  load: ComparedLoad,
  neighbour: Neighbour,
): Promise<ComparedRun | null> => {
  await using folder = await openTempFolder();
  const files = filesIn(folder.path);
  await writeFile(files.scenario, JSON.stringify({ name: 'truth', ...load.scenario }));
  const mock = await startMockProcess(placedBy(neighbour).gateway(mockCommand(weirProgram)), {
    gap: load.gap,
    limits: { requestsPerMinute: null, tokensPerMinute: null },
    truth: { file: files.truth },
  });
  try {
    const outputs = ['--out', folder.path, '--no-history', '--observations', files.observations];
    const words = ['run', files.scenario, '--target', mock.url, ...outputs];
    if (!(await generate(words, load, neighbour))) return null;
  } finally {
    // This completes the log of what it sent.
    await mock.stop();
  }
  return await readRun(files);
};
