import { didYouMean } from '../scenario/text/spelling.ts';
import { UsageProblem, type Verb } from './options/define-verb.ts';

interface VerbEntry {
  readonly summary: string;
  /** What the verb expects, for messages; `null`: options only. */
  readonly expects: string | null;
  readonly load: () => Promise<Verb>;
}

/** The verbs by their usage, in the order of the help. */
const verbsByUsage: Readonly<Record<string, VerbEntry>> = {
  'run [scenario]': {
    summary: 'Run a scenario and write a report',
    expects: 'one scenario file',
    load: async () => (await import('./verbs/run.ts')).runVerb,
  },
  'compare <base..>': {
    summary: 'Compare stored runs: compare BASE NEW, or BASE… --with NEW…',
    expects: 'the runs to compare (result files, their folders, or the name of a baseline)',
    load: async () => (await import('./verbs/compare.ts')).compareVerb,
  },
  history: {
    summary: 'List stored runs with the trends of their figures, and name baselines',
    expects: 'the verb baseline',
    load: async () => (await import('./verbs/history.ts')).historyVerb,
  },
  'limits [scenario]': {
    summary: 'Examine the rate limits of one idle key, and prove the findings',
    expects: 'one scenario file',
    load: async () => (await import('./verbs/limits.ts')).limitsVerb,
  },
  'capacity [scenario]': {
    summary: 'Find the highest rate that keeps the objectives, and the users and keys for it',
    expects: 'one scenario file',
    load: async () => (await import('./verbs/capacity.ts')).capacityVerb,
  },
  calibrate: {
    summary: 'Determine the measurement error of this machine; later reports quote it',
    expects: null,
    load: async () => (await import('./verbs/calibrate.ts')).calibrateVerb,
  },
  'init <target>': {
    summary: 'Read the models of a gateway and write a first scenario for it',
    expects: 'the base address of a gateway',
    load: async () => (await import('./verbs/init.ts')).initVerb,
  },
  'plan [scenario]': {
    summary: 'Forecast requests, tokens, cost and duration; sends nothing',
    expects: 'one scenario file',
    load: async () => (await import('./verbs/plan.ts')).planVerb,
  },
  'validate [scenario]': {
    summary: 'Check a scenario and list everything wrong with it',
    expects: 'one scenario file',
    load: async () => (await import('./verbs/validate.ts')).validateVerb,
  },
  'report <result>': {
    summary: 'Write the reports of a stored result again',
    expects: 'the result.json of a run',
    load: async () => (await import('./verbs/report.ts')).reportVerb,
  },
  'merge <results..>': {
    summary: 'Merge the results of the slices of one run',
    expects: 'the result.json of each slice',
    load: async () => (await import('./verbs/merge.ts')).mergeVerb,
  },
  'mock [scenario]': {
    summary: 'Start the reference gateway',
    expects: 'one scenario file',
    load: async () => (await import('./verbs/mock.ts')).mockVerb,
  },
  'schema [subject]': {
    summary: 'Print the JSON Schema of scenario files or results',
    expects: 'scenario or result',
    load: async () => (await import('./verbs/schema.ts')).schemaVerb,
  },
};

export const verbTable = new Map(
  Object.entries(verbsByUsage).map(([usage, entry]) => [
    usage.replace(/ .*/, ''),
    { usage, ...entry },
  ]),
);

export const subcommands: Readonly<Record<string, readonly string[]>> = { history: ['baseline'] };

/** The verbs as messages list them, in the order of their first use. */
export const verbs = [...new Set(['init', 'plan', ...verbTable.keys(), 'help'])];

export const orList = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** Verbs of similar programs that are options of Weir. */
const optionInstead: Readonly<Record<string, string>> = { version: '--version', usage: '--help' };

/** Throws a `UsageProblem` for an unknown verb; the parser would report an unknown argument. */
export const checkVerb = (word: string | undefined): void => {
  if (word === undefined || word.startsWith('-') || verbs.includes(word)) return;
  const option = optionInstead[word];
  const near = option === undefined ? didYouMean(word, verbs) : `did you mean \`weir ${option}\`?`;
  const expected = `expected ${orList(verbs)}`;
  throw new UsageProblem(
    `unknown verb "${word}": ${near === null ? expected : `${near} If not, ${expected}`}`,
  );
};

/** `weir help run` and `weir --help run` are `weir run --help`. */
export const helpAsOption = (words: readonly string[]): readonly string[] => {
  const [first = '', ...others] = words;
  if (['-h', '--help'].includes(first) && verbs.includes(others[0] ?? '')) {
    return helpAsOption([...others, '--help']);
  }
  if (first !== 'help') return words;
  const [verb, ...more] = others.filter((word) => !word.startsWith('-'));
  const unexpected = more.find((word) => !(subcommands[verb!] ?? []).includes(word));
  if (unexpected !== undefined) {
    throw new UsageProblem(`unexpected word "${unexpected}": weir help takes at most one verb`);
  }
  return verb === undefined || verb === 'help' ? ['--help'] : [verb, ...more, '--help'];
};
