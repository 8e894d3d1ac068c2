// @long 54 s
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, it, type TestContext, vi } from 'vitest';
import {
  anyHostileObservations,
  resultOf,
  writeRequestsTable,
} from '../../acceptance/reports/random-run.fixture.ts';
import { resultIn } from '../../acceptance/harness/run-files.fixture.ts';
import { weirCommand } from '../../bench/harness/run-weir.ts';
import {
  isOfFirst,
  isTimed,
  type MeasureName,
  measureNames,
  measures,
} from '../../model/measures/measures.ts';
import type { FiguresSummary, RunSummary } from '../../model/result/run-summary.ts';
import { blocksIn } from '../../acceptance/package/documents.fixture.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { runProgram } from '../../platform/process/run-program.ts';
import { columnOfMeasure, requestColumns } from '../../record/request-columns.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { readTables, type TableQuestions } from './read-tables.ts';

// The first run installs DuckDB, pandas and pyarrow.
vi.setConfig({ testTimeout: 900_000 });

/** The blocks of a language in the pages on reports, which read a table of requests. */
const documented = (language: string): readonly string[] =>
  blocksIn('reports')
    .filter((block) => block.language === language)
    .map(({ text }) => text);

const sql = documented('sql').join('\n');
const statementsOf = (text: string): readonly string[] =>
  text
    .replaceAll(/--.*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
const isMacro = (statement: string): boolean => statement.startsWith('CREATE MACRO');
const macros = statementsOf(sql).filter(isMacro);
const queries = statementsOf(sql).filter((statement) => !isMacro(statement));

const ask = (context: TestContext, folder: string, questions: TableQuestions) =>
  orSkip(context, () => readTables(folder, questions));

const formats = ['csv', 'parquet'] as const;
const percentiles = ['p50', 'p90', 'p95', 'p99'] as const;
const shares = { p50: '0.5', p90: '0.9', p95: '0.95', p99: '0.99' } as const;

/** Each figure of a summary that a column of the table has. */
const figuresOf = ({ kinds }: RunSummary) =>
  Object.entries(kinds).flatMap(([kind, figures]) =>
    measureNames.flatMap((measure) => {
      const [column, found] = [columnOfMeasure[measure], figures[measure]];
      return column === null || found === undefined ? [] : [{ kind, measure, column, found }];
    }),
  );

/** Asks for the number of samples, the maximum and the percentiles of a measure, as the page does. */
const figureQuery = (
  table: string,
  { kind, measure, column }: { kind: string; measure: MeasureName; column: string },
): string => {
  const value = measure === 'cost' ? `round(${column} * 1000000)` : column;
  const asked = percentiles.map(
    (name) => `as_reported(quantile_disc(${value}, ${shares[name]}), max(${value}))`,
  );
  const counted = measure === 'outputTokens' ? ` AND output_tokens_source = 'usage'` : '';
  const awaited = isTimed(measures[measure]) ? ' AND NOT hang_up' : '';
  return `SELECT count(${column}), max(${value}), ${asked.join(', ')} FROM ${table}
    WHERE kind = '${kind}' AND NOT warm_up${awaited}${isOfFirst(measure) ? '' : ` AND outcome = 'completed'`}${counted}`;
};

const expectedRow = (found: FiguresSummary): readonly number[] => [
  found.n,
  found.max,
  ...percentiles.map((name) => found[name]),
];

it('DuckDB reads both forms of the tables of random runs, and gives every percentile of the report to its last digit', async (context) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-tables-'));
  const runs = fc.sample(anyHostileObservations(300, 20), { seed: 17, numRuns: 20 });
  const [statements, expected]: [string[], (readonly (readonly unknown[])[])[]] = [[], []];
  for (const [index, observations] of runs.entries()) {
    const { summary } = resultOf(observations);
    const figures = figuresOf(summary);
    const counts = Object.entries(summary.kinds)
      .flatMap(([kind, { due }]) => (due === 0 ? [] : [[kind, due] as const]))
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    for (const format of formats) {
      const name = `run${index}.${format}`;
      await writeRequestsTable(join(folder.path, name), observations);
      statements.push(`CREATE OR REPLACE TABLE one AS SELECT * FROM '${name}'`);
      expected.push([[observations.length]]);
      statements.push(
        'SELECT kind, count(*) FROM one WHERE NOT warm_up GROUP BY kind ORDER BY kind',
      );
      expected.push(counts);
      for (const figure of figures) {
        statements.push(figureQuery('one', figure));
        expected.push([expectedRow(figure.found)]);
      }
    }
  }
  const { rows } = await ask(context, folder.path, { statements: [...macros, ...statements] });
  const given = rows.slice(macros.length);
  expect(given).toHaveLength(expected.length);
  expect(expected.length).toBeGreaterThan(1000);
  for (const [index, row] of given.entries()) {
    // Of two samples the report gives the first as it is.
    const isPair = row[0]?.[0] === 2;
    const [got, wanted] = [row, expected[index]!].map((each) =>
      isPair ? each.map((cells) => cells.toSpliced(2, 1)) : each,
    );
    expect(got, statements[index]).toEqual(wanted);
  }
});

it('DuckDB and pandas read the same cells from both forms, with their types', async (context) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-tables-'));
  const [observations = []] = fc.sample(anyHostileObservations(200, 100), { seed: 4, numRuns: 1 });
  for (const format of formats)
    await writeRequestsTable(join(folder.path, `t.${format}`), observations);
  const types = {
    text: 'VARCHAR',
    integer: 'BIGINT',
    real: 'DOUBLE',
    boolean: 'BOOLEAN',
    instant: 'TIMESTAMP WITH TIME ZONE',
  } as const;
  const names = requestColumns.map(({ name }) => name);
  // In CSV a text is empty where there is none, and has an apostrophe where it would be a formula.
  const same = requestColumns.map(({ name, type }) =>
    type === 'text'
      ? `coalesce(p.${name}, '') IN (coalesce(c.${name}, ''), substr(c.${name}, 2))`
      : `p.${name} IS NOT DISTINCT FROM TRY_CAST(c.${name} AS ${types[type]})`,
  );
  const { rows, values } = await ask(context, folder.path, {
    statements: [
      "SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM 't.parquet')",
      `SELECT count(*), ${same.map((each) => `count(*) FILTER (${each})`).join(', ')}
        FROM 't.parquet' p POSITIONAL JOIN 't.csv' c`,
    ],
    code: [
      `import pandas
one, two = pandas.read_parquet('t.parquet'), pandas.read_csv('t.csv')
columns, rows = list(one.columns), [len(one), len(two)]
columns_of_csv = list(two.columns)
numbers = [name for name in columns if pandas.api.types.is_numeric_dtype(one[name]) and name not in ('warm_up', 'hang_up')]
same = [bool(one[name].astype(float).equals(two[name].astype(float))) for name in numbers]`,
    ],
    names: ['columns', 'columns_of_csv', 'rows', 'same', 'numbers'],
  });
  expect(rows[0]).toEqual(requestColumns.map(({ name, type }) => [name, types[type]]));
  const [count, ...equal] = rows[1]![0]!;
  expect(count).toBe(observations.length);
  expect(Object.fromEntries(names.map((name, index) => [name, equal[index]]))).toEqual(
    Object.fromEntries(names.map((name) => [name, observations.length])),
  );
  const [{ columns, columns_of_csv: columnsOfCsv, rows: lengths, same: alike, numbers } = {}] =
    values;
  expect([columns, columnsOfCsv]).toEqual([names, names]);
  expect(lengths).toEqual([observations.length, observations.length]);
  expect((numbers as string[]).length).toBeGreaterThan(30);
  expect(new Set(alike as boolean[])).toEqual(new Set([true]));
});

const scenario = {
  name: 'table',
  target: 'mock',
  traffic: [
    { kind: 'chat-stream', model: 'weir/small', weight: 3, maxTokens: 20 },
    { kind: 'chat', model: 'weir/small', weight: 1, maxTokens: 5 },
  ],
  load: { kind: 'poisson', rate: '60/s', duration: '5s' },
  warmUp: '1s',
  workers: 2,
  limits: 'none',
  mock: {
    limits: { requestsPerMinute: 'none', tokensPerMinute: 'none' },
    ttft: '80ms',
    gap: '5ms',
    faults: [{ fault: 'reset-mid-stream', routes: ['chat'], probability: 0.05, after: 5 }],
  },
};

it('the lines of the page give the p95 of a real run, from its own table and from one of its observations', async (context) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'weir-tables-'));
  const at = (name: string): string => join(folder.path, name);
  await writeFile(at('s.yaml'), JSON.stringify(scenario));
  const environment = { ...process.env, WEIR_HISTORY: 'off', GITHUB_STEP_SUMMARY: '' };
  const weir = (args: readonly string[]) =>
    runProgram([...weirCommand, ...args, '--quiet'], environment);
  const files = ['--requests', at('requests.parquet'), '--observations', at('o.jsonl')];
  await weir(['run', at('s.yaml'), '--out', at('r'), ...files]);
  const again = ['--requests', at('requests.csv'), '--observations', at('o.jsonl')];
  await weir(['report', at('r'), ...again]);
  const result = await resultIn(at('r'));
  const { p95 } = result.summary!.kinds['chat-stream']!.ttft!;
  const counts = "SELECT count(*), count(*) FILTER (outcome = 'broken'), sum(output_tokens) FROM";
  const { rows, values } = await ask(context, folder.path, {
    statements: [
      ...macros,
      ...queries,
      ...queries.map((query) => query.replaceAll('requests.parquet', 'requests.csv')),
      `${counts} 'requests.parquet'`,
      `${counts} 'requests.csv'`,
    ],
    code: [
      ...documented('python'),
      ...documented('python').map((code) =>
        code.replace(`read_parquet('requests.parquet')`, `read_csv('requests.csv')`),
      ),
    ],
    names: ['p95'],
  });
  const answers = rows.slice(macros.length, macros.length + queries.length);
  const asReported = queries.findIndex((query) => query.includes('as_reported('));
  expect(answers[asReported]).toEqual([['chat-stream', p95]]);
  expect(rows.slice(macros.length + queries.length, -2)).toEqual(answers);
  const [fromRun, fromReport] = rows.slice(-2);
  expect(fromRun).toEqual(fromReport);
  const outcomes = sumOutcomes(result.groups);
  const output = result.groups
    .flatMap(({ tokens }) => tokens)
    .reduce((sum, each) => sum + each.output, 0);
  expect(fromRun).toEqual([[countArrivals(outcomes), outcomes.broken, output]]);
  expect(outcomes.broken).toBeGreaterThan(0);
  expect(values).toHaveLength(2);
  for (const { p95: exact } of values) {
    // The report has the upper end of the counter that the sample is in.
    expect(exact).toBeLessThanOrEqual(p95);
    expect(exact).toBeGreaterThan(p95 * 0.999);
  }
});
