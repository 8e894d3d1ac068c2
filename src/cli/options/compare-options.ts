import {
  minSelfRuns,
  type ExtraReportPaths,
  type RepetitionRequest,
} from '../../run/input/run-request.ts';
import {
  type Given,
  inGroup,
  listOption,
  switchOption,
  textOption,
  UsageProblem,
} from './define-verb.ts';

export const comparisonOptions = inGroup('Comparison:', {
  gate: textOption(
    'Metrics that decide, separated by commas: completed, outputTokens, errors, limited, or a measure’s percentile such as ttft.p95 [the usual ones]',
  ),
  strict: switchOption('Exit with 13 if the comparison is inconclusive'),
  'allow-different': switchOption(
    'Compare runs that are invalid, without repeating them, or of different plans; the report says so',
  ),
});

export const repetitionOptions = {
  ...comparisonOptions,
  ...inGroup('Output:', {
    strict: switchOption(
      'Exit with 13 if an objective, a judged limit or the comparison is undecided or not sure',
    ),
  }),
  ...inGroup('Comparison:', {
    repeat: textOption('Run N times, each in its own folder'),
    pause: textOption('Wait between two runs [60s where limits are declared, none against `mock`]'),
    baseline: listOption(
      'Compare with these stored runs: a result file or a folder of runs, repeatable',
    ),
    against: textOption('Alternate with runs against this target, and compare: it is the base'),
    self: switchOption(
      'Measure how much the runs differ by themselves, and the smallest detectable change',
    ),
  }),
};

type RepetitionArguments = Given<typeof repetitionOptions> &
  ExtraReportPaths & {
    readonly observations: string | undefined;
    readonly requests: string | undefined;
  };

/** Reads the number of runs from `--repeat`. */
export const countFrom = (text: string | undefined): number => {
  const count = Number(text ?? 1);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new UsageProblem(`--repeat: expected a whole number from 1 to 1000; got ${text}`);
};

/** Throws a `UsageProblem` if `--self` has too few runs, or if another option also asks for a comparison. */
const checkSelf = (compares: boolean, repetitions: number): void => {
  if (compares) {
    throw new UsageProblem(
      `--self compares the runs with each other: expected nothing else to compare with; got --baseline or --against`,
    );
  }
  if (repetitions < minSelfRuns) {
    throw new UsageProblem(
      `--self: expected at least ${minSelfRuns} runs, better ten (--repeat 10); got ${repetitions}`,
    );
  }
};

/**
 * Reads the options of repeated runs. Returns `null` for one run without a comparison. Throws a `UsageProblem` for
 * contradictory options.
 */
export const repetitionRequestFrom = (given: RepetitionArguments): RepetitionRequest | null => {
  const { repeat, against, baseline, gate, strict, allowDifferent, pause, self } = given;
  const compares = against !== undefined || baseline.length > 0;
  const repetitions = countFrom(repeat);
  if (self) checkSelf(compares, repetitions);
  const criteria = {
    '--gate': gate !== undefined,
    '--allow-different': allowDifferent,
  };
  const usedCriteria = Object.entries(criteria).flatMap(([name, isUsed]) => (isUsed ? name : []));
  if (!compares && !self && usedCriteria.length > 0) {
    throw new UsageProblem(
      `${usedCriteria.join(', ')}: expected something to compare with, --baseline FILES or --against URL`,
    );
  }
  if (against !== undefined && baseline.length > 0) {
    throw new UsageProblem('expected one base, --baseline or --against; got both');
  }
  if (repeat === undefined && !compares) {
    if (pause === undefined) return null;
    throw new UsageProblem('--pause: expected several runs, --repeat N; got one');
  }
  const singleRunOptions = (
    ['observations', 'requests', 'junit', 'csv', 'summary'] as const
  ).filter((name) => given[name] !== undefined);
  if (singleRunOptions.length > 0) {
    throw new UsageProblem(
      `--${singleRunOptions.join(', --')}: expected one run, which is not compared; got several. \`weir report\` writes them for each run, and a comparison has its own in its folder`,
    );
  }
  return { gate, strict, allowDifferent, repetitions, against, baseline, pause, self };
};

/**
 * Returns the two sides of `weir compare`. With two paths, the first path is the base and the second path is the new
 * side. With `--with`, the paths before `--with` are the base, and the paths after `--with` are the new side. `next` is
 * `null` for `--self`.
 */
export const sidesFrom = (given: {
  readonly base: readonly string[];
  readonly with: readonly string[];
  readonly self: boolean;
}): { readonly base: readonly string[]; readonly next: readonly string[] | null } => {
  const { base: paths, with: newPaths } = given;
  if (given.self) {
    if (newPaths.length === 0) return { base: paths, next: null };
    throw new UsageProblem('--self: expected one side of runs; got another, --with');
  }
  if (newPaths.length > 0) return { base: paths, next: newPaths };
  const [base, next, ...more] = paths;
  if (base === undefined || next === undefined || more.length > 0) {
    throw new UsageProblem(
      `expected two sides, \`weir compare BASE NEW\` or \`weir compare BASE… --with NEW…\`; got ${paths.length === 1 ? 'one' : `${paths.length} paths without --with`}`,
    );
  }
  return { base: [base], next: [next] };
};
