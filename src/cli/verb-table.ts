import { didYouMean } from '../scenario/text/spelling.ts';
import type { CompletedVerb } from './verbs/completion.ts';
import { UsageProblem, type Verb } from './options/define-verb.ts';

export type Example = readonly [words: string, does: string];

interface VerbEntry {
  readonly summary: string;
  /** Describes the arguments that the verb expects, for messages; `null` if it expects only options. */
  readonly expects: string | null;
  /** Two command lines without the program's name, each with a description of what the command line does. */
  readonly examples: readonly [Example, Example];
  readonly load: () => Promise<Verb>;
}

/** The verbs by their usage, in the order of the help. */
const verbsByUsage: Readonly<Record<string, VerbEntry>> = {
  'run [scenario]': {
    summary: 'Run a scenario and write a report',
    expects: 'one scenario file',
    examples: [
      ['run evening.yaml --out reports/evening', 'run a scenario, keep its report there'],
      ['run evening.yaml --target mock', 'rehearse it against the reference gateway'],
    ],
    load: async () => (await import('./verbs/run.ts')).runVerb,
  },
  'compare <base..>': {
    summary:
      'Compare stored runs: BASE NEW, or BASE… --with NEW…; or two targets: SCENARIO --paired --with URL',
    expects:
      'the runs to compare (result files, their folders, or the name of a baseline), or a scenario with --paired',
    examples: [
      ['compare main reports/next', 'a run against the baseline “main”'],
      ['compare reports/a reports/b --with reports/c reports/d', 'several runs of each side'],
    ],
    load: async () => (await import('../verbs/compare/cli/compare.ts')).compareVerb,
  },
  history: {
    summary: 'List stored runs with the trends of their figures, and name baselines',
    expects: 'the verb baseline',
    examples: [
      ['history', 'list stored runs and trends'],
      ['history baseline main reports/evening', 'name a run as a baseline'],
    ],
    load: async () => (await import('../verbs/history/cli/history.ts')).historyVerb,
  },
  'limits [scenario]': {
    summary: 'Examine the rate limits of one idle key, and prove the findings',
    expects: 'one scenario file',
    examples: [
      [
        'limits --target https://host/v1 --model a/b',
        'examine a key; asks before it spends anything',
      ],
      ['limits --target mock --quick --yes', 'the short examination, of the reference gateway'],
    ],
    load: async () => (await import('../verbs/limits/cli/limits.ts')).limitsVerb,
  },
  'check [scenario]': {
    summary: 'Check whether a gateway keeps the interface, before anyone believes its figures',
    expects: 'one scenario file',
    examples: [
      ['check --target https://host/v1', 'the whole suite; asks before it spends anything'],
      ['check --target mock --only streams', 'the streams of the reference gateway'],
    ],
    load: async () => (await import('../verbs/check/cli/check.ts')).interfaceVerb,
  },
  'cache [scenario]': {
    summary: 'Find how long, and how much of a prompt, a target keeps in its prompt cache',
    expects: 'one scenario file',
    examples: [
      ['cache --target https://host/v1 --longest 10m', 'asks before it spends anything'],
      ['cache evening.yaml --tokens 30000', 'with the target and the prices of a scenario'],
    ],
    load: async () => (await import('../verbs/cache/cli/cache.ts')).cacheVerb,
  },
  'fairness [scenario]': {
    summary:
      'Find whether a quiet population gets slower beside a noisy one, and who gets how much',
    expects: 'one scenario file',
    examples: [
      ['fairness neighbours.yaml', 'asks before it spends anything'],
      ['fairness teams.yaml --quiet-population b --noisy a --times 3', 'while a triples'],
    ],
    load: async () => (await import('../verbs/fairness/cli/fairness.ts')).fairnessVerb,
  },
  'recovery [scenario]': {
    summary: 'Find whether a target comes back after an overload, for each way of retrying',
    expects: 'one scenario file',
    examples: [
      ['recovery recovery.yaml', 'asks before it spends anything'],
      ['recovery evening.yaml --policies none,backoff --times 5', 'other retries and load'],
    ],
    load: async () => (await import('../verbs/recovery/cli/recovery.ts')).recoveryVerb,
  },
  'capacity [scenario]': {
    summary: 'Find the highest rate that keeps the objectives, and the users and keys for it',
    expects: 'one scenario file',
    examples: [
      ['capacity evening.yaml', 'the highest rate that keeps the objectives'],
      ['capacity --from reports/stairs', 'from a stored run; sends nothing'],
    ],
    load: async () => (await import('../verbs/capacity/cli/capacity.ts')).capacityVerb,
  },
  'sweep [scenario]': {
    summary: 'Run every combination of some fields’ values; compare throughput and latency',
    expects: 'one scenario file',
    examples: [
      [
        'sweep evening.yaml --vary load.users=1..16*2 --vary prompt.tokens=100,1000',
        'ten points, a run each; asks before it spends anything',
      ],
      [
        'sweep --target mock --model weir/small --duration 10s --vary load.users=1,4,16 --yes',
        'of the reference gateway',
      ],
    ],
    load: async () => (await import('../verbs/sweep/cli/sweep.ts')).sweepVerb,
  },
  calibrate: {
    summary: 'Determine the measurement error of this machine; later reports quote it',
    expects: null,
    examples: [
      ['calibrate', 'how exactly this machine measures'],
      ['calibrate --quick', 'the same with fewer loads, in half a minute'],
    ],
    load: async () => (await import('../verbs/calibrate/cli/calibrate.ts')).calibrateVerb,
  },
  'doctor [scenario]': {
    summary: 'Say what this machine can measure, what is installed, and whether a target answers',
    expects: 'one scenario file',
    examples: [
      ['doctor', 'this machine and the optional packages; sends nothing'],
      ['doctor --target https://host/v1', 'the target too: two requests for its list of models'],
    ],
    load: async () => (await import('../verbs/doctor/cli/doctor.ts')).doctorVerb,
  },
  'init [target]': {
    summary: 'Read the models of a gateway and write a first scenario for it',
    expects: 'the base address of a gateway',
    examples: [
      ['init https://host/v1', 'write a first scenario, weir.yaml'],
      ['init http://localhost:8000/v1 --out local.yaml', 'one for a local gateway'],
    ],
    load: async () => (await import('../verbs/init/cli/init.ts')).initVerb,
  },
  'import [file]': {
    summary: 'Turn files of vegeta or k6, or command lines of GuideLLM or AIPerf, into a scenario',
    expects: 'one file, - or a command line behind --',
    examples: [
      ['import targets.txt --rate 50/s --duration 30s --out evening.yaml', 'the targets of vegeta'],
      ['import -- aiperf profile -m a/b -u host:8000 --concurrency 8', 'a command line'],
    ],
    load: async () => (await import('../verbs/import/cli/import.ts')).importVerb,
  },
  'plan [scenario]': {
    summary: 'Forecast requests, tokens, cost and duration; sends nothing',
    expects: 'one scenario file',
    examples: [
      ['plan evening.yaml', 'what a run needs and costs'],
      ['plan evening.yaml --set load.rate=20/s', 'with a field replaced'],
    ],
    load: async () => (await import('./verbs/plan.ts')).planVerb,
  },
  'validate [scenario]': {
    summary: 'Check a scenario and list everything wrong with it',
    expects: 'one scenario file',
    examples: [
      ['validate evening.yaml', 'list everything wrong with it'],
      ['validate evening.yaml --set warmUp=5s', 'with a field replaced'],
    ],
    load: async () => (await import('./verbs/validate.ts')).validateVerb,
  },
  'report <result>': {
    summary: 'Write the reports of a stored result again',
    expects: 'the result.json of a run',
    examples: [
      ['report reports/evening', 'write the report again'],
      ['report reports/evening --details', 'print everything that it says'],
    ],
    load: async () => (await import('./verbs/report.ts')).reportVerb,
  },
  'merge <results..>': {
    summary: 'Merge the results of the slices of one run',
    expects: 'the folder or result.json of each slice',
    examples: [
      ['merge slice-0 slice-1 --out whole', 'join two slices by their folders'],
      ['merge slices/*/result.json --out whole --details', 'join many, print everything'],
    ],
    load: async () => (await import('../verbs/fleet/cli/merge.ts')).mergeVerb,
  },
  'coordinate [scenario]': {
    summary: 'Lead a run that workers on several machines share, to one report',
    expects: 'one scenario file',
    examples: [
      [
        'coordinate evening.yaml --slices 3 --rendezvous nats://host:4222',
        'lead three workers that meet in NATS',
      ],
      [
        'coordinate evening.yaml --slices 2 --rendezvous file:///shared/run',
        'or in a folder that all machines share',
      ],
    ],
    load: async () => (await import('../verbs/fleet/cli/coordinate.ts')).coordinateVerb,
  },
  worker: {
    summary: 'Run one slice of a run that a coordinator leads',
    expects: null,
    examples: [
      ['worker --rendezvous nats://host:4222', 'run the next slice that is free'],
      [
        'worker --rendezvous nats://host:4222 --slice auto',
        'under Kubernetes, Slurm or Docker Swarm',
      ],
    ],
    load: async () => (await import('../verbs/fleet/cli/worker.ts')).workerVerb,
  },
  'emit <launcher> <scenario>': {
    summary: 'Print what Kubernetes, Slurm or Docker Swarm reads to run a scenario in slices',
    expects: 'a launcher (k8s, slurm or swarm) and one scenario file',
    examples: [
      ['emit k8s evening.yaml --slices 3 > evening.k8s.yaml', 'manifests to read and apply'],
      ['emit slurm evening.yaml --slices 8 > evening.sbatch', 'a batch script'],
    ],
    load: async () => (await import('../verbs/emit/cli/emit.ts')).emitVerb,
  },
  'mock [scenario]': {
    summary: 'Start the reference gateway',
    expects: 'one scenario file',
    examples: [
      ['mock --port 8080', 'serve the reference gateway'],
      ['mock scenarios/failures.yaml', 'with the settings of a scenario'],
    ],
    load: async () => (await import('../verbs/mock-server/cli/mock.ts')).mockVerb,
  },
  'schema [subject]': {
    summary: 'Print the JSON Schema of scenario files, or of what a verb leaves',
    expects: 'scenario, result, check, sweep or capacity',
    examples: [
      ['schema > weir.schema.json', 'the schema of scenarios, for an editor'],
      ['schema result', 'the schema of results'],
    ],
    load: async () => (await import('./verbs/schema.ts')).schemaVerb(loadVerb),
  },
  'completion <shell>': {
    summary: 'Print the script that completes command lines in bash or zsh',
    expects: 'bash or zsh',
    examples: [
      ['completion bash > ~/.local/share/bash-completion/completions/weir', 'for new bash shells'],
      ['completion zsh > ~/.zfunc/_weir', 'for zsh, with ~/.zfunc in fpath'],
    ],
    load: async () => (await import('./verbs/completion.ts')).completionVerb(completedVerbs),
  },
};

const nameOf = (usage: string): string => usage.replace(/ .*/, '');

export const verbTable = new Map(
  Object.entries(verbsByUsage).map(([usage, entry]) => [nameOf(usage), { usage, ...entry }]),
);

export const loadVerb = (name: string): Promise<Verb> => verbTable.get(name)!.load();

/** Returns every verb with its options, for the completion of command lines. */
const completedVerbs = (): Promise<readonly CompletedVerb[]> =>
  Promise.all(
    [...verbTable].map(async ([name, { summary, load }]) => {
      const { options, subcommands: within = {} } = await load();
      return { name, summary, options, subcommands: Object.keys(within).map(nameOf) };
    }),
  );

export const subcommands: Readonly<Record<string, readonly string[]>> = { history: ['baseline'] };

/** The verbs in the order in which users first need them. Messages use this order. */
export const verbs = [...new Set(['init', 'plan', ...verbTable.keys(), 'help'])];

export const orList = (words: readonly string[]): string =>
  `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

/** Maps verbs of similar programs to the options of Weir with the same effect. */
const optionInstead: Readonly<Record<string, string>> = { version: '--version', usage: '--help' };

/** Maps verbs of other load generators to Weir's verbs. */
const otherVerbs: Readonly<Record<string, string>> = {
  run: 'start test bench benchmark attack profile load exec',
  validate: 'lint',
  compare: 'diff',
  mock: 'serve server',
};

/**
 * Returns the command line that the user probably means by a word in the place of a verb; `null` if no command line is
 * likely.
 */
const meantCommand = (word: string): string | null => {
  if (/\.(?:ya?ml|json|[cm]?[jt]s)$/i.test(word)) return `weir run ${word}`;
  if (/^https?:\/\//i.test(word)) return `weir run --target ${word} …`;
  const option = optionInstead[word];
  if (option !== undefined) return `weir ${option}`;
  const verb = Object.keys(otherVerbs).find((each) => otherVerbs[each]!.split(' ').includes(word));
  return verb === undefined ? null : `weir ${verb}`;
};

/** Throws a `UsageProblem` for an unknown verb, which the parser would report as an unknown argument. */
export const checkVerb = (word: string | undefined): void => {
  if (word === undefined || word.startsWith('-') || verbs.includes(word)) return;
  const meant = meantCommand(word);
  const near = meant === null ? didYouMean(word, verbs) : `did you mean \`${meant}\`?`;
  const expected = `expected ${orList(verbs)}`;
  throw new UsageProblem(
    `unknown verb "${word}": ${near === null ? expected : `${near} If not, ${expected}`}`,
  );
};

/** Rewrites `weir help run` and `weir --help run` as `weir run --help`, and `weir` alone as `weir --help`. */
export const helpAsOption = (words: readonly string[]): readonly string[] => {
  if (words.length === 0) return ['--help'];
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
