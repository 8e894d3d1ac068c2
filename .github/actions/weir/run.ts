/**
 * Runs the scenario with the inputs of the action, which come as environment variables, and says on the job's page
 * and in annotations what is wrong. Ends with 0 once the outputs are written: a later step fails the job.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Comparison } from '../../../src/verbs/compare/model/comparison.ts';
import type { RunSummary } from '../../../src/model/result/run-summary.ts';
import { readJson, resultFiles } from './results.ts';

const input = (name: string): string => (process.env[`WEIR_${name}`] ?? '').trim();

const linesOf = (name: string): readonly string[] =>
  input(name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const out = input('OUT');
const scenario = input('SCENARIO');
const baseline = '.weir-baseline';
const hasBaseline = input('BASELINE') !== '' && existsSync(baseline);

const words = (): readonly string[] => {
  const threshold = linesOf('THRESHOLD');
  const repeat = input('REPEAT');
  const optional = [
    ['--target', input('TARGET')],
    ['--set', threshold.length === 0 ? '' : `objectives=${JSON.stringify(threshold)}`],
    ['--repeat', repeat === '1' ? '' : repeat],
    ['--baseline', hasBaseline ? baseline : ''],
  ];
  const given = optional.filter(([, value]) => value !== '').flat();
  const strict = input('STRICT') === 'true' ? ['--strict'] : [];
  return ['run', scenario, '--out', out, ...given, ...strict, ...linesOf('ARGUMENTS')];
};

/** Runs Weir with the flags of its launcher; what it prints goes to the log. */
const runWeir = (): Promise<{ readonly code: number; readonly printed: string }> => {
  const launcher = resolve(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'weir.js');
  const [firstLine = ''] = readFileSync(launcher, 'utf8').split('\n', 1);
  const flags = firstLine.match(/--\S+/g) ?? [];
  const child = spawn(process.execPath, [...flags, launcher, ...words()], {
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    process.stderr.write(text);
  });
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('close', (code) => done({ code: code ?? 1, printed }));
  });
};

/** By exit code; all others are errors. */
const verdicts: Readonly<Record<number, string>> = {
  0: 'pass',
  3: 'inconclusive',
  10: 'fail',
  11: 'fail',
  12: 'invalid',
  13: 'inconclusive',
  14: 'fail',
  15: 'fail',
};

/** Any text as GitHub reads it in a command of the log. */
const escaped = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

/** One thing that is wrong, with the line of the scenario that it is about. */
interface Finding {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly text: string;
  readonly line: number;
}

const annotate = ({ level, title, text, line }: Finding): void => {
  const properties = Object.entries({ file: scenario, line: String(line), title }).map(
    ([name, value]) => `${name}=${escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  console.log(`::${level} ${properties.join(',')}::${escaped(text)}`);
};

/** The line of the scenario that sets an objective; 1 if an input did. */
const lineOf = (objective: string): number => {
  const text = existsSync(scenario) ? readFileSync(scenario, 'utf8') : '';
  return Math.max(1, text.split('\n').findIndex((line) => line.includes(objective)) + 1);
};

const figure = (value: number | null | undefined, unit: string): string =>
  value === null || value === undefined
    ? 'no data'
    : `${Number(value.toPrecision(3)).toLocaleString('en')} ${unit}`.trim();

/** Why an objective has no other verdict, beside its figure. */
const whyNotKept: Readonly<Record<string, string>> = {
  'no-data': ', too little data',
  'within-error': ', too uncertain to decide',
  unfit: ', not decided since the load was not as planned',
};

/** The objectives that are not kept, by all runs. */
const notKept = (): readonly Finding[] =>
  resultFiles(out).flatMap((path) => {
    const objectives = (readJson(path) as { readonly summary: RunSummary }).summary.objectives;
    return objectives
      .filter(({ verdict }) => verdict !== 'pass')
      .map(({ objective, verdict, severity, observed, unit, n, reason }) => {
        const isInfinite = observed === null && reason === 'broken';
        const seen = isInfinite ? 'infinite, as too few completed' : figure(observed, unit);
        return {
          // What decides nothing fails no job, and explains no failed one.
          level: severity === 'warn' || verdict !== 'fail' ? 'warning' : 'error',
          title: verdict === 'fail' ? 'Objective broken' : 'Objective undecided',
          text: `${objective}: ${seen}, n ${n}${whyNotKept[reason] ?? ''}`,
          line: lineOf(objective),
        };
      });
  });

/** The metrics that are certainly worse than the baseline. */
const regressions = (): readonly Finding[] =>
  ((readJson(join(out, 'comparison.json')) as Comparison | null)?.metrics ?? [])
    .filter(({ verdict, gated }) => gated && verdict === 'regression')
    .map(({ id, unit, base, next }) => ({
      level: 'error',
      title: 'Regression',
      text: `${id}: ${figure(next.typical, unit)}, after ${figure(base.typical, unit)} in the baseline`,
      line: 1,
    }));

const append = (path: string | undefined, text: string): void => {
  if (path !== undefined && path !== '') appendFileSync(path, text);
};

const { code, printed } = await runWeir();
const verdict = verdicts[code] ?? 'error';
append(process.env['GITHUB_OUTPUT'], `verdict=${verdict}\nexit-code=${code}\n`);

const found = [...notKept(), ...regressions()];
// Where no figure is to blame, what Weir printed last says why.
const lastLines = printed.trim().split('\n').slice(-3).join('\n');
const explained = found.some(({ level }) => level === 'error');
const other: readonly Finding[] =
  code === 0 || explained
    ? []
    : [{ level: 'error', title: `Weir ended with ${code}`, text: lastLines, line: 1 }];
for (const finding of [...found, ...other]) annotate(finding);

const page = [
  `### Weir: ${verdict}${code === 0 ? '' : ` (exit ${code})`}`,
  ...[...found, ...other].map(({ title, text }) => `- **${title}**: ${text.replaceAll('\n', ' ')}`),
  ...(input('BASELINE') !== '' && !hasBaseline ? ['- There was no baseline to compare with.'] : []),
];
append(process.env['GITHUB_STEP_SUMMARY'], `${page.join('\n')}\n`);
