import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import { publishedResult } from '../../acceptance/harness/published-result.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import {
  type FairnessReport,
  fairnessReportSchema,
} from '../../verbs/fairness/model/fairness-report.ts';
import { readServerLog } from '../harness/server-log.ts';
import { freePort } from '../harness/server-process.ts';
import { type NeighbourCase, neighbourKeys, neighboursAt } from './neighbour-cases.ts';

export interface ExaminedNeighbours {
  readonly code: number | null;
  readonly report: FairnessReport;
  /** The chats that the server logged with Weir's ids. */
  readonly logged: number;
  /**
   * The requests that ended without an answer. The server logs a request when it begins to answer, so it may have logged
   * these requests or not.
   */
  readonly broken: number;
  readonly failures: Result['failures'];
}

/** Examines the neighbours of a case by the real program. */
export const examineNeighbours = async (
  { start }: NeighbourCase,
  folder: string,
  words: readonly string[],
): Promise<ExaminedNeighbours> => {
  const log = join(folder, 'server.log');
  const server = await start({ port: await freePort(), folder, log });
  try {
    const file = join(folder, 'neighbours.json');
    await writeFile(file, JSON.stringify(neighboursAt(server.url)));
    const command = ['fairness', file, '--out', folder, '--yes', '--quiet', ...words];
    const { code, stderrTail } = await runProgram([...weirCommand, ...command], {
      ...process.env,
      ...neighbourKeys,
      GITHUB_STEP_SUMMARY: '',
    });
    const path = join(folder, 'fairness.json');
    if (!existsSync(path)) throw new Error(`weir fairness left no report: ${stderrTail}`);
    const report = fairnessReportSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    const run = publishedResult(await readFile(join(folder, 'run', 'result.json'), 'utf8'));
    const broken = run.summary!.counts.broken;
    const chats = (await readServerLog(log)).filter(({ method }) => method === 'POST');
    return {
      code,
      report,
      logged: new Set(chats.map(({ id }) => id)).size,
      broken,
      failures: run.failures,
    };
  } finally {
    await server.stop();
  }
};
