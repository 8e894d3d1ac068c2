import {
  minSelfRuns,
  type ComparisonCriteria,
  type RepetitionRequest,
} from '../../run/input/run-request.ts';
import type { Argv } from 'yargs';
import { UsageProblem } from './scenario-options.ts';

export const comparisonOptions = <T>(builder: Argv<T>) =>
  builder
    .options({
      gate: {
        type: 'string',
        describe:
          'Metrics that decide, separated by commas: completed, outputTokens, errors, limited, or a measure’s percentile such as ttft.p95 [the usual ones]',
      },
      strict: {
        type: 'boolean',
        default: false,
        describe: 'Exit with 13 where the repetitions decide nothing',
      },
      'allow-different': {
        type: 'boolean',
        default: false,
        describe:
          'Compare runs that are not valid, without doing them again, or not of one plan; the report says so',
      },
    })
    .group(['gate', 'strict', 'allow-different'], 'Comparison:');

export const comparisonCriteriaFrom = (given: {
  readonly gate?: string | undefined;
  readonly strict: boolean;
  readonly allowDifferent: boolean;
}): ComparisonCriteria => ({
  gate: given.gate,
  strict: given.strict,
  allowDifferent: given.allowDifferent,
});

/** How often `weir run` runs, and what its runs are held against. */
export const repetitionOptions = <T>(builder: Argv<T>) =>
  comparisonOptions(builder)
    .options({
      repeat: { type: 'string', describe: 'Run it N times, each with a folder of its own' },
      pause: {
        type: 'string',
        describe: 'Wait between two runs [60s where limits are declared, none against `mock`]',
      },
      baseline: {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: 'Compare with these stored runs: a result file or a folder of runs, repeatable',
      },
      self: {
        type: 'boolean',
        default: false,
        describe: 'Measure how much the runs differ by themselves, and what could be seen',
      },
      against: {
        type: 'string',
        describe: 'Run by turns against this target too, and compare: it is the base',
      },
    })
    .group(['repeat', 'pause', 'baseline', 'against', 'self'], 'Comparison:');

interface RepetitionArguments {
  readonly repeat?: string | undefined;
  readonly pause?: string | undefined;
  readonly baseline: string[];
  readonly against?: string | undefined;
  readonly self: boolean;
  readonly gate?: string | undefined;
  readonly strict: boolean;
  readonly allowDifferent: boolean;
  readonly observations?: string | undefined;
  readonly junit?: string | undefined;
  readonly csv?: string | undefined;
  readonly summary?: string | undefined;
}

const countFrom = (text: string | undefined): number => {
  const count = Number(text ?? 1);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new UsageProblem(`--repeat: expected a whole number from 1 to 1000; got ${text}`);
};

/** Throws a `UsageProblem` where there are no runs to hold against each other, or others to hold them against. */
const checkSelf = (compares: boolean, repetitions: string | undefined, strict: boolean): void => {
  if (compares || strict) {
    throw new UsageProblem(
      `--self: expected nothing to compare with, since the runs are held against each other; got ${compares ? '--baseline or --against' : '--strict'}`,
    );
  }
  if (countFrom(repetitions) < minSelfRuns) {
    throw new UsageProblem(
      `--self: expected at least ${minSelfRuns} runs, and ten to know the noise well: --repeat 10; got ${countFrom(repetitions)}`,
    );
  }
};

/** `null`: one run, compared with nothing. Throws a `UsageProblem` for options that make no sense together. */
export const repetitionRequestFrom = (given: RepetitionArguments): RepetitionRequest | null => {
  const { baseline } = given;
  const [repetitions, against] = [given.repeat, given.against];
  const compares = against !== undefined || baseline.length > 0;
  const criteriaOptions = [
    ...(given.gate === undefined ? [] : ['--gate']),
    ...(given.strict ? ['--strict'] : []),
    ...(given.allowDifferent ? ['--allow-different'] : []),
  ];
  if (given.self) checkSelf(compares, repetitions, given.strict);
  if (!compares && !given.self && criteriaOptions.length > 0) {
    throw new UsageProblem(
      `${criteriaOptions.join(', ')}: expected something to compare with, --baseline FILES or --against URL`,
    );
  }
  if (against !== undefined && baseline.length > 0) {
    throw new UsageProblem('expected one base, --baseline or --against; got both');
  }
  if (repetitions === undefined && !compares) {
    if (given.pause === undefined) return null;
    throw new UsageProblem('--pause: expected several runs, --repeat N; got one');
  }
  const singleRunOptions = (['observations', 'junit', 'csv', 'summary'] as const).filter(
    (name) => given[name] !== undefined,
  );
  if (singleRunOptions.length > 0) {
    throw new UsageProblem(
      `--${singleRunOptions.join(', --')}: expected one run, which is not compared; got several. \`weir report\` writes them for each run, and a comparison has its own in its folder`,
    );
  }
  return {
    ...comparisonCriteriaFrom(given),
    repetitions: countFrom(repetitions),
    against,
    baseline,
    pause: given.pause,
    self: given.self,
  };
};
