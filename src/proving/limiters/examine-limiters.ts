import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from '../harness/installed.ts';
import { markdownTable } from '../harness/markdown-table.ts';
import {
  examineLimiter,
  type ExaminationTerms,
  type LimiterRow,
  rowOf,
} from './examine-limiter.ts';
import type { LimiterCase } from './limiter-case.ts';

interface ExaminedCases {
  readonly cases: readonly LimiterCase[];
  readonly terms: ExaminationTerms;
  /** How many are examined at a time; an examination mostly waits. */
  readonly atATime: number;
  /** Where the log of each is kept; `null` if nowhere. */
  readonly logFolder: string | null;
  readonly say: (text: string) => void;
}

export interface ExaminedLimiters {
  readonly rows: readonly LimiterRow[];
  /** Why some were not examined, one sentence each. */
  readonly skipped: readonly string[];
}

const titleOf = ({ name, fault }: LimiterCase): string =>
  fault === undefined ? name : `${name}, ${fault.what}`;

/** Examines limiters of others, some at a time. Those whose registry cannot be reached are skipped. */
export const examineLimiters = async (options: ExaminedCases): Promise<ExaminedLimiters> => {
  const { cases, terms, atATime, logFolder, say } = options;
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
      if (logFolder === null) return;
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
