import { comparisonOptions, sidesFrom } from '../../../cli/options/compare-options.ts';
import {
  defineVerb,
  type Given,
  inGroup,
  listOption,
  positionals,
  severalOption,
  switchOption,
  textOption,
  UsageProblem,
} from '../../../cli/options/define-verb.ts';
import { checkKeyName } from '../../../cli/options/key-name.ts';
import { jobSummaryPath, outputOptions } from '../../../cli/options/output-options.ts';
import { terminalHost } from '../../../cli/options/terminal-host.ts';

const pairOptions = {
  ...inGroup('Pairs:', {
    paired: switchOption(
      'Send each request of SCENARIO to both sides, one shortly after the other, and report what the new one adds',
    ),
    target: textOption('Address of the base [the scenario’s target]'),
    key: textOption('Environment variable with the key of the base [the scenario’s]'),
    'with-key': textOption('Environment variable with the key of the new side'),
    gap: textOption('Time from the first request of a pair to the second [10ms]'),
    'max-added': textOption(
      'Most that may be added, such as 5ms at the median, or 5ms,p95=20ms: exit 11 if more, 13 if that is not sure',
    ),
    set: listOption('Override a field of the scenario: --set seed=2'),
    'allow-files': switchOption('Let the scenario name files outside its folder'),
    yes: switchOption('Spend the budget without asking'),
  }),
};

/** Throws a `UsageProblem` that names all given options. */
const rejectGiven = (options: Readonly<Record<string, boolean>>, reason: string): void => {
  const given = Object.entries(options).flatMap(([name, isGiven]) =>
    isGiven ? [`--${name}`] : [],
  );
  if (given.length > 0) throw new UsageProblem(`${given.join(', ')}: ${reason}`);
};

/** Throws a `UsageProblem` if an option is given that only applies to stored runs. */
const rejectStoredOptions = ({ gate, strict, allowDifferent }: Given<typeof comparisonOptions>) =>
  rejectGiven(
    { gate: gate !== undefined, strict, 'allow-different': allowDifferent },
    'expected stored runs, which it judges; got --paired, whose verdict is set by --max-added',
  );

/** Returns the scenario and the address of the new side. Throws a `UsageProblem` for anything else. */
const pairFrom = ({
  base,
  with: next,
  self,
}: {
  readonly base: readonly string[];
  readonly with: readonly string[];
  readonly self: boolean;
}) => {
  const [scenario, ...others] = base;
  const [address, ...more] = next;
  if (scenario === undefined || address === undefined || self || others.length + more.length > 0)
    throw new UsageProblem(
      `--paired: expected one scenario and one new side, \`weir compare SCENARIO --paired --with URL --with-key NAME\`; got ${base.length} and ${next.length}${self ? ' and --self' : ''}`,
    );
  return { scenario, next: address };
};

/** Throws a `UsageProblem` if an option is given that only applies to pairs. */
const rejectPairOptions = (given: Given<typeof pairOptions>): void =>
  rejectGiven(
    {
      target: given.target !== undefined,
      key: given.key !== undefined,
      'with-key': given.withKey !== undefined,
      gap: given.gap !== undefined,
      'max-added': given.maxAdded !== undefined,
      set: given.set.length > 0,
      'allow-files': given.allowFiles,
      yes: given.yes,
    },
    'expected --paired, which sends requests; got stored runs, which are only read',
  );

/** Throws a `UsageProblem` if a side is an address, since a stored run is not named by an address. */
const rejectAddresses = ({
  base,
  with: next,
}: {
  readonly base: readonly string[];
  readonly with: readonly string[];
}): void => {
  const isAddress = (text: string): boolean => /^https?:\/\//i.test(text);
  const address = [...next, ...base].find(isAddress);
  if (address === undefined) return;
  const scenario = base.find((each) => !isAddress(each)) ?? 'SCENARIO';
  throw new UsageProblem(
    `${address}: expected stored runs, which are only read; got an address. To send each request of a scenario to both sides: \`weir compare ${scenario} --paired --with ${address} --with-key NAME\``,
  );
};

export const compareVerb = defineVerb({
  options: {
    ...outputOptions,
    ...comparisonOptions,
    ...pairOptions,
    ...inGroup(positionals, {
      base: {
        ...severalOption(
          'Result files, folders of runs, or folders of runs with --repeat; a scenario with --paired',
        ),
        demandOption: true,
      },
    }),
    ...inGroup('Comparison:', {
      with: severalOption(
        'The runs of the new side, or with --paired its address; all paths before it are the base',
      ),
      self: switchOption('Compare the runs with each other: how much they differ by themselves'),
    }),
    ...inGroup('Output:', {
      out: textOption('Folder for the comparison’s files [reports/TIME-comparison]'),
    }),
  },
  schema: {
    path: 'reports/pairs.schema.json',
    make: async () => (await import('../model/pairs.ts')).pairsJsonSchema(),
  },
  run: async (given) => {
    if (given.paired) {
      const sides = pairFrom(given);
      rejectStoredOptions(given);
      checkKeyName('key', given.key);
      checkKeyName('with-key', given.withKey);
      const { comparePairs } = await import('../compare-pairs.ts');
      const jobSummary = jobSummaryPath();
      return comparePairs({ ...given, ...sides, jobSummary }, terminalHost(given));
    }
    rejectAddresses(given);
    rejectPairOptions(given);
    const request = { ...given, ...sidesFrom(given), jobSummary: jobSummaryPath() };
    const { checksAmong, compareStoredChecks } =
      await import('../../check/compare-stored-checks.ts');
    const checks = await checksAmong(request);
    if (checks !== null) return compareStoredChecks(checks, request, terminalHost(given));
    const { compareStored } = await import('../compare-stored.ts');
    return compareStored(request, terminalHost(given));
  },
});
