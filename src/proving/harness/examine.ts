import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import type { LimitReport } from '../../model/limits/limit-report.ts';
import { provingKeys } from './server-process.ts';

export interface Examination {
  /** Exit code of `weir limits`. */
  readonly code: number | null;
  readonly report: LimitReport;
  /** In ms. */
  readonly took: number;
}

interface ExaminedGateway {
  readonly url: string;
  readonly limit: number;
  /** In ms. */
  readonly window: number;
  readonly key?: string;
  /** Further words of the command line. */
  readonly args?: readonly string[];
}

/** Runs `weir limits` as a process against a gateway. Throws, with what it printed, if it left no report. */
export const examineGateway = async (gateway: ExaminedGateway): Promise<Examination> => {
  const { url, limit, window, key = provingKeys[0], args = [] } = gateway;
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-proving-'));
  const [program, ...flags] = weirCommand;
  const words = ['limits', '--target', url, '--window', `${window}ms`, '--yes', '--quiet'];
  const declared = ['--set', `limits.requestsPerMinute=${limit}`, '--out', folder.path];
  const begun = performance.now();
  const child = spawn(program, [...flags, ...words, ...declared, ...args], {
    env: { ...process.env, WEIR_API_KEY: key, WEIR_HISTORY: 'off', GITHUB_STEP_SUMMARY: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  const took = performance.now() - begun;
  try {
    const text = await readFile(join(folder.path, 'limits.json'), 'utf8');
    return { code, took, report: JSON.parse(text) as LimitReport };
  } catch {
    throw new Error(`weir limits ended with ${code} and left no report: ${stderr.slice(-1000)}`);
  }
};
