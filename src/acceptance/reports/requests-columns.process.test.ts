import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { isOfFirst, isTimed, measureNames, measures } from '../../model/measures/measures.ts';
import { outcomeKinds } from '../../model/observation/outcome.ts';
import type { RunSummary } from '../../model/result/run-summary.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { columnOfMeasure, requestColumns } from '../../record/request-columns.ts';
import {
  anyHostileObservations,
  hostileTexts,
  resultOf,
  writeRequestsTable,
} from './random-run.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-requests-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The records of a CSV file by the grammar of RFC 4180; throws for anything that it does not allow. */
const csvRecords = (text: string): readonly (readonly string[])[] => {
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const records: string[][] = [[]];
  while (field.lastIndex < text.length) {
    const at = field.lastIndex;
    const found = field.exec(text);
    if (found === null)
      throw new Error(`no CSV at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    const [, quoted, plain, end] = found;
    records.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === '\r\n') records.push([]);
  }
  expect(records.pop()).toEqual([]);
  return records;
};

type Row = Readonly<Record<string, string>>;

const rowsOf = async (
  observations: Parameters<typeof writeRequestsTable>[1],
): Promise<readonly Row[]> => {
  const path = join(folder, 'requests.csv');
  await writeRequestsTable(path, observations);
  const [head = [], ...records] = csvRecords(readFileSync(path, 'utf8'));
  expect(head).toEqual(requestColumns.map(({ name }) => name));
  return records.map((record) => {
    expect(record).toHaveLength(head.length);
    return Object.fromEntries(head.map((name, index) => [name, record[index]!]));
  });
};

const sumOf = (rows: readonly Row[], column: string): number =>
  rows.reduce((sum, row) => sum + Number(row[column]), 0);

/** The greatest number of microseconds that has the same counter of an HdrHistogram of three digits: found by halving, not by logarithms. */
const greatestAlike = (micros: number): number => {
  let width = 1;
  while (Math.floor(micros / width) >= 2048) width *= 2;
  return (Math.floor(micros / width) + 1) * width - 1;
};

/** A percentile as a report has it, from the cells of a table. */
const reportedPercentile = (cells: readonly number[], share: number): number => {
  const sorted = cells.toSorted((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(cells.length * share - 1e-9));
  const found = sorted[rank - 1]!;
  const longest = sorted.at(-1)!;
  if (rank === 1) return found;
  return Math.min(greatestAlike(Math.round(found * 1000)) / 1000, longest);
};

describe('the table of requests', () => {
  it('has a row for each arrival, and its sums are the counts of the result', async () => {
    await fc.assert(
      fc.asyncProperty(anyHostileObservations(40), async (observations) => {
        const rows = await rowsOf(observations);
        const { groups, summary, failures } = resultOf(observations);
        expect(rows).toHaveLength(observations.length);
        const outcomesOf = (warmUp: boolean) => (kind: string, outcome: string) =>
          groups
            .filter(({ labels }) => labels.traffic === kind && labels.warmUp === warmUp)
            .reduce((sum, group) => sum + group.outcomes[outcome as 'completed'], 0);
        for (const warmUp of [false, true])
          for (const kind of trafficKinds)
            for (const outcome of outcomeKinds) {
              const alike = rows.filter(
                (row) =>
                  row['kind'] === kind &&
                  row['outcome'] === outcome &&
                  row['warm_up'] === String(warmUp),
              );
              expect(alike).toHaveLength(outcomesOf(warmUp)(kind, outcome));
            }
        expect(sumOf(rows, 'attempts')).toBe(groups.reduce((sum, each) => sum + each.attempts, 0));
        const failed = rows.filter(({ failure }) => failure !== '');
        expect(failed).toHaveLength(failures.reduce((sum, { count }) => sum + count, 0));
        const tokens = groups.flatMap((group) => group.tokens);
        for (const source of ['usage', 'events', 'characters']) {
          const ofSource = rows.filter((row) => row['output_tokens_source'] === source);
          const counted = tokens.filter((each) => each.source === source);
          const sumCounted = (of: 'input' | 'output') =>
            counted.reduce((sum, each) => sum + each[of], 0);
          expect(sumOf(ofSource, 'output_tokens')).toBe(sumCounted('output'));
          expect(sumOf(ofSource, 'input_tokens')).toBe(sumCounted('input'));
        }
        expect(Math.round(sumOf(rows, 'cost') * 1e6)).toBe(
          Math.round((summary.cost?.total ?? 0) * 1e6),
        );
      }),
      { numRuns: 40 },
    );
  });

  const percentiles = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const;

  const checkPercentiles = (rows: readonly Row[], summary: RunSummary): number => {
    let compared = 0;
    const counted = rows.filter((row) => row['warm_up'] === 'false');
    for (const [kind, figures] of Object.entries(summary.kinds))
      for (const measure of measureNames) {
        const column = columnOfMeasure[measure];
        if (column === null) continue;
        const cells = counted
          .filter(
            (row) =>
              row['kind'] === kind &&
              // Times leave out the requests on which the client was to hang up, whatever became of them.
              !(row['hang_up'] === 'true' && isTimed(measures[measure])) &&
              // A first token counts also if the answer failed later.
              (row['outcome'] === 'completed' || isOfFirst(measure)) &&
              row[column] !== '' &&
              (measure !== 'outputTokens' || row['output_tokens_source'] === 'usage'),
          )
          .map((row) =>
            measure === 'cost' ? Math.round(Number(row[column]) * 1e6) : Number(row[column]),
          );
        const found = figures[measure];
        expect(cells.length, `${kind} ${measure}`).toBe(found?.n ?? 0);
        if (found === undefined) continue;
        for (const [name, share] of Object.entries(percentiles)) {
          compared += 1;
          const expected = reportedPercentile(cells, share);
          expect(found[name as 'p50'], `${kind} ${measure} ${name}`).toBe(expected);
        }
      }
    return compared;
  };

  it('has the percentiles of the report in its columns, to the last digit', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(anyHostileObservations(250, 20), async (observations) => {
        const { summary } = resultOf(observations);
        compared += checkPercentiles(await rowsOf(observations), summary);
      }),
      { numRuns: 10 },
    );
    expect(compared).toBeGreaterThan(1000);
  });

  it('has empty cells, never 0, where a figure does not exist', async () => {
    await fc.assert(
      fc.asyncProperty(anyHostileObservations(20), async (observations) => {
        for (const row of await rowsOf(observations)) {
          const isCompleted = row['outcome'] === 'completed';
          for (const column of ['end_to_end_ms', 'output_tokens', 'cost', 'service_ms'])
            if (!isCompleted) expect(row[column]).toBe('');
          // A malformed or broken stream may have had its first token.
          if (['limited', 'refused', 'dropped'].includes(row['outcome']!))
            expect(row['ttft_ms']).toBe('');
          if (isCompleted) expect(row['end_to_end_ms']).not.toBe('');
          expect(row['failure'] === '').toBe(isCompleted || row['outcome'] === 'cancelled');
          if (row['outcome'] !== 'dropped') continue;
          for (const column of ['status', 'elapsed_ms', 'lag_ms', 'connection'])
            expect(row[column]).toBe('');
        }
      }),
    );
  });

  it('has no cell that a spreadsheet takes for a formula, and keeps every text', async () => {
    const [first] = fc.sample(anyHostileObservations(1), { seed: 1, numRuns: 1 });
    const observations = hostileTexts.map((text) => ({
      ...first![0]!,
      model: text,
      key: text,
      head: { at: first![0]!.due, status: 200, quota: null, serverId: text },
    }));
    const rows = await rowsOf(observations);
    const isFormula = /^[=+\-@\t\r\n＝＋－＠]/;
    const isNumber = /^-?\d+(\.\d+)?(e-?\d+)?$/;
    for (const [index, row] of rows.entries()) {
      for (const cell of Object.values(row))
        expect(isFormula.test(cell) && !isNumber.test(cell)).toBe(false);
      for (const column of ['model', 'key', 'server_request_id'])
        expect([hostileTexts[index], `'${hostileTexts[index]}`]).toContain(row[column]);
    }
  });

  it('leaves nothing beside it', async () => {
    const path = join(folder, 'alone.parquet');
    const [observations = []] = fc.sample(anyHostileObservations(20), { seed: 2, numRuns: 1 });
    await writeRequestsTable(path, observations);
    expect(readdirSync(folder).filter((name) => name.startsWith('alone'))).toEqual([
      'alone.parquet',
    ]);
  });
});
