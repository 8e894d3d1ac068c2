import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Recorded } from '../../verbs/calibrate/judge/measured-errors.ts';
import { resultSchema, type Result } from '../../model/result/result.ts';
import { readObservation, readObservationsHeader } from '../../record/observation-lines.ts';
import { benchApiKey, smallChatTraffic } from './chat-bytes.ts';
import { pinnedTo, endProcess } from './processes.ts';

/** Whole runs of the real program, with everything that users get: parsing, recording, checkpoint. */

export const weirProgram = fileURLToPath(new URL('../../cli/weir.js', import.meta.url));

/** Node's flags in the launcher's first line. */
const [firstLine = ''] = readFileSync(weirProgram, 'utf8').split('\n', 1);
export const launcherFlags: readonly string[] = firstLine.match(/--\S+/g) ?? [];

/** The program as the shell starts it. */
export const weirCommand = [process.execPath, ...launcherFlags, weirProgram] as const;

/** A folder that is removed when the scope of `await using` is left. */
export const openTempFolder = () => mkdtempDisposable(join(tmpdir(), 'weir-bench-'));

const valueOf = <T>(read: { ok: true; value: T } | { ok: false; message: string }): T => {
  if (!read.ok) throw new Error(read.message);
  return read.value;
};

/** Reads an observations file. Throws if a line is none of its format. */
export const readRecorded = async (path: string): Promise<Recorded> => {
  const [head = '', ...rest] = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const zero = valueOf(readObservationsHeader(head)).machineZero;
  return { zero, observations: rest.map((line) => valueOf(readObservation(line))) };
};

interface RunOptions {
  /** The cores that it may use, such as `0,1`; the second one if absent. */
  readonly cores?: string;
  /** Whether it writes its observations. */
  readonly keepsObservations?: true;
  /** Whether it has a live page. */
  readonly isLive?: boolean;
}

/**
 * Starts `weir run`; a scenario without a `target` uses the embedded gateway. Leaving the scope of
 * `await using` kills the run and removes its files.
 */
export const startWeirRun = async (
  scenario: object,
  { cores = '1', keepsObservations, isLive = false }: RunOptions = {},
) => {
  const folder = await openTempFolder();
  const file = join(folder.path, 'scenario.json');
  const observationsFile = join(folder.path, 'observations.jsonl');
  await writeFile(file, JSON.stringify(scenario));
  const words = ['run', file, '--out', folder.path, '--no-history', '--quiet'];
  if (keepsObservations) words.push('--observations', observationsFile);
  if (isLive) words.push('--live');
  const [program, ...rest] = pinnedTo(cores, [...weirCommand, ...words]);
  const env = { ...process.env, WEIR_API_KEY: benchApiKey, GITHUB_STEP_SUMMARY: '' };
  const child = spawn(program, rest, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    process.stderr.write(text);
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    child,
    /** The address of its live page, once its load has begun. Throws if it has none. */
    livePage: (): string => {
      const address = /Live page: (\S+)/.exec(said)?.[1];
      if (address === undefined) throw new Error('the run has no live page');
      return address;
    },
    /** The result that it writes at its end. Throws if there is none. */
    result: async (): Promise<Result> => {
      await ended;
      return resultSchema.parse(
        JSON.parse(await readFile(join(folder.path, 'result.json'), 'utf8')),
      );
    },
    /** The observations, once it has ended. Throws if it kept none. */
    observations: async (): Promise<Recorded> => {
      await ended;
      return readRecorded(observationsFile);
    },
    [Symbol.asyncDispose]: async () => {
      await endProcess(child);
      await folder.remove();
    },
  };
};

export type WeirRun = Awaited<ReturnType<typeof startWeirRun>>;

/** Runs a scenario to its end and returns its result, valid or not. Throws if there is none. */
export const runWeir = async (scenario: object, options: RunOptions = {}): Promise<Result> => {
  await using run = await startWeirRun(scenario, options);
  return await run.result();
};

/** A scenario of streamed chats; `fields` are its load, target and whatever else differs. */
export const streamScenario = (fields: object): object => ({
  name: 'bench',
  warmUp: '0s',
  wire: { proxy: 'none' },
  traffic: [
    { kind: 'chat-stream', model: smallChatTraffic.model, prompt: smallChatTraffic.prompt },
  ],
  ...fields,
});
