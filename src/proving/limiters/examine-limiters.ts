import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ExaminationTerms } from '../harness/examine.ts';
import { markdownTable } from '../harness/markdown-table.ts';
import { Unavailable } from '../harness/program-output.ts';
import { examineLimiter, type LimiterRow, rowOf } from './examine-limiter.ts';
import type { LimiterCase } from './limiter-case.ts';

interface ExaminedCases {
  readonly cases: readonly LimiterCase[];
  readonly terms: ExaminationTerms;
  /** How many are examined at a time; an examination mostly waits. */
  readonly atATime: number;
  readonly say: (text: string) => void;
}

const logFolder = 'reports/proving/logs';

export interface ExaminedLimiters {
  readonly rows: readonly LimiterRow[];
  /** Why some were not examined, one sentence each. */
  readonly skipped: readonly string[];
}

const titleOf = ({ name, fault }: LimiterCase): string =>
  fault === undefined ? name : `${name}, ${fault.what}`;

/**
 * Examines limiters of others, some at a time, and keeps their logs in `reports/proving/logs`. Those that cannot be had here are
 * skipped.
 */
export const examineLimiters = async (options: ExaminedCases): Promise<ExaminedLimiters> => {
  const { cases, terms, atATime, say } = options;
  const rows: LimiterRow[] = [];
  const skipped: string[] = [];
  const waiting = [...cases];
  const examineOne = async (each: LimiterCase): Promise<void> => {
    const title = titleOf(each);
    try {
      const examined = await examineLimiter(each, terms);
      const row = rowOf(each, terms, examined);
      rows.push(row);
      say(
        `${title}: exit ${row.code} (${row.verdict}), ${row.named ?? 'none of ours'} (${row.name})`,
      );
      await mkdir(logFolder, { recursive: true });
      const name = `${title.replaceAll(/[^\w.]+/g, '-')}-${terms.limit}-${terms.window / 1000}s.json`;
      await writeFile(join(logFolder, name), JSON.stringify(examined.examination.report));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const what = error instanceof Unavailable ? 'skipped' : 'FAILED';
      skipped.push(`${title}: ${what}: ${reason}`);
      say(skipped.at(-1)!);
    }
  };
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      await examineOne(next);
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return { rows, skipped };
};

/** The rows as a Markdown table. */
export const limiterTable = (rows: readonly LimiterRow[]): string =>
  markdownTable(
    'limiter,version,declared,planted,exit,verdict,named,name,requests,sent = logged,minutes'.split(
      ',',
    ),
    rows.map((row) => [
      row.limiter,
      row.version,
      `${row.limit} in ${row.window / 1000} s`,
      row.fault ?? '',
      String(row.code),
      row.verdict,
      row.named ?? 'none of ours',
      row.name,
      String(row.requests),
      row.counts.differences.length === 0
        ? `${row.counts.sent}`
        : `${row.counts.sent} ≠ ${row.counts.logged}`,
      row.minutes.toFixed(1),
    ]),
  );
