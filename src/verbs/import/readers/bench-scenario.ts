import { milliseconds, perSecond } from '../../../model/quantity.ts';
import { formatDuration, formatRate } from '../../../scenario/schema/notation.ts';
import {
  givenFields,
  hasTemplate,
  keyReference,
  noteKeyAndLimits,
  type Notes,
} from './imported.ts';

/** This file makes the parts of a scenario that the command lines of all benchmarks can contain. */

type Tree = Readonly<Record<string, unknown>>;

export const durationText = (seconds: number): string =>
  formatDuration(milliseconds(seconds * 1000));

export interface TokenSpread {
  readonly mean: number;
  readonly deviation?: number | null;
  readonly min?: number | null;
  readonly max?: number | null;
}

/**
 * Returns a number or a distribution for a scenario. With bounds but no deviation, all values between them are equally
 * likely.
 */
export const tokenCount = ({ mean, deviation, min, max }: TokenSpread): number | Tree => {
  if (deviation) return givenFields({ kind: 'normal', mean, deviation, min, max });
  const [from, to] = [min ?? mean, max ?? mean];
  return from === to ? from : { kind: 'uniform', min: from, max: to };
};

/** The load of a benchmark: at rates or with users, until a number of requests or a time is reached. */
export interface BenchLoad {
  readonly rates: readonly number[];
  readonly users: readonly number[];
  readonly arrivals: 'constant' | 'poisson' | { readonly gamma: number };
  readonly requests: number | null;
  readonly seconds: number | null;
  /** The length of the warm-up, which is added to the length of the load. */
  readonly warmUpSeconds?: number;
  readonly rampUpSeconds?: number;
}

/** If a command of another tool has no end, the imported load lasts this many seconds. */
const usualSeconds = 60;

const chosenLength = (notes: Notes): number => {
  const message = `the load lasts ${usualSeconds} s: change "duration"`;
  notes.chosen(
    'end of the load',
    `the command names neither a time nor a number of requests; ${message}`,
  );
  return usualSeconds;
};

/** Returns `vary` for the values of a sweep, without repeated values; nothing for a single value. */
const varied = (path: string, values: readonly unknown[]): Tree =>
  new Set(values).size > 1 ? { vary: { [path]: [...new Set(values)] } } : {};

const rateLoad = (load: BenchLoad, notes: Notes): Tree => {
  const { rates, arrivals, requests, seconds, warmUpSeconds = 0 } = load;
  const [rate = 1] = rates;
  const forRequests = requests === null ? Infinity : Number((requests / rate).toPrecision(12));
  const least = Math.min(forRequests, seconds ?? Infinity);
  const length = Number.isFinite(least) ? least : chosenLength(notes);
  if (requests !== null && rates.length > 1) {
    const message = `the load ends after a time, which is that of ${requests} requests at the first rate`;
    notes.chosen('number of requests', message);
  }
  if (load.rampUpSeconds)
    notes.left('ramp of the rate', 'write a load of the kind "ramping" for it');
  const kind = typeof arrivals === 'string' ? arrivals : 'gamma';
  const vary = rates.map((each) => formatRate(perSecond(each)));
  return {
    load: {
      kind,
      rate: vary[0],
      duration: durationText(length + warmUpSeconds),
      ...(typeof arrivals === 'string' ? {} : { shape: arrivals.gamma }),
    },
    ...varied('load.rate', vary),
  };
};

const userLoad = (load: BenchLoad, notes: Notes): Tree => {
  const { requests, seconds, warmUpSeconds = 0, rampUpSeconds } = load;
  const [users = 1] = load.users;
  const vary = varied('load.users', load.users);
  if (requests === null) {
    const length = (seconds ?? chosenLength(notes)) + warmUpSeconds;
    const rampUp = rampUpSeconds ? { rampUp: durationText(Math.min(rampUpSeconds, length)) } : {};
    return { load: { kind: 'closed', users, duration: durationText(length), ...rampUp }, ...vary };
  }
  if (rampUpSeconds) {
    notes.left(
      'ramp of the users',
      'a load of a number of requests has none: use "closed" and "rampUp"',
    );
  }
  if (warmUpSeconds > 0) {
    notes.left(
      'warm-up',
      'a load of a number of requests has no time of its own: use "closed" and "warmUp"',
    );
  }
  const iterations = Math.max(requests, ...load.users);
  if (iterations > requests) {
    notes.chosen(
      'number of requests',
      `${requests} are fewer than users, so there are ${iterations}`,
    );
  }
  const maxDuration = seconds === null ? {} : { maxDuration: durationText(seconds) };
  if (seconds === null)
    notes.chosen('end of the load', 'it ends after 10 minutes at the latest: change "maxDuration"');
  return { load: { kind: 'iterations', users, iterations, ...maxDuration }, ...vary };
};

/**
 * Returns the `load` of a scenario and its `warmUp`. If there are several rates or numbers of users, also returns
 * `vary`.
 */
export const loadOf = (load: BenchLoad, notes: Notes): Tree => {
  const isByRate = load.rates.length > 0;
  const tree = isByRate ? rateLoad(load, notes) : userLoad(load, notes);
  const hasTime = isByRate || load.requests === null;
  const { warmUpSeconds = 0 } = load;
  return {
    ...tree,
    ...(hasTime && warmUpSeconds > 0 ? { warmUp: durationText(warmUpSeconds) } : {}),
  };
};

/** Returns the fields for a target other than the reference gateway. The key becomes a reference. */
export const targetFields = (
  { url, hasKey }: { readonly url: string; readonly hasKey: boolean },
  notes: Notes,
): Tree => {
  noteKeyAndLimits(hasKey ? null : 'the command has none', notes);
  return { target: url, keys: keyReference };
};

/**
 * Returns the base address of an OpenAI-compatible server, for tools that add the version to an address themselves;
 * `null` if the text is not a plain HTTP address.
 */
export const baseAddress = (written: string): string | null => {
  const text = written.includes('://') ? written : `http://${written}`;
  if (hasTemplate(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') return null;
  return `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
};

/** Returns the tokenizer for generated prompts, if Weir supports this tokenizer. */
export const tokenizerFields = (tokenizer: string | null, notes: Notes): Tree => {
  if (tokenizer?.endsWith('.json') === true) return { tokenizer };
  const message =
    'prompts are exact in OpenAI’s vocabularies: write the path of the model’s tokenizer.json as "tokenizer" of the prompt to be exact in its own';
  if (tokenizer !== 'builtin') notes.chosen('tokenizer', message);
  return {};
};

/** Returns a placeholder for a model if the command names no model. */
export const unnamedModel = (notes: Notes): string => {
  notes.left('model', 'put its name in the place of MODEL');
  return 'MODEL';
};

export const turnsNote = (notes: Notes): void =>
  notes.chosen('turns', 'the history has generated answers, not the server’s own');

export const answerLengthNote = (tool: string, notes: Notes): void =>
  notes.chosen(
    'length of answers',
    `Weir asks for it by max_tokens, ${tool} by max_completion_tokens`,
  );

export const noBoundAtRate = 'beside a rate: an open load has no such bound';

/**
 * Options that affect neither the requests nor the verdicts. Each row has a pattern for option names of all tools, and
 * the reason. Sources: GuideLLM’s src/guidellm/__main__.py and AIPerf’s docs/cli_options.md.
 */
const unsentOptions: readonly (readonly [names: RegExp, message: string])[] = [
  [
    /^--?(?:(?:no|disable|enable|show|save|skip|auto|extra|hide)-)*(?:outputs?(?!-(?:tokens?|sequence|seq|len|length)\b)|artifacts?|reports?|exports?|profile-export|results?|log|logs|logging|verbose|quiet|silent|debug|progress|display|console|colou?r|ui|tui|dashboard|plots?|labels?|tags?|metadata|run-name|run-id|wandb|mlflow|otel|telemetry|tensorboard|version|help)(?:-|$)/,
    'it is about the other tool’s own files and display',
  ],
  [
    /^--(?:tokenizer|processor)-/,
    'it is about how the other tool loads its tokenizer: Weir counts with its own',
  ],
];

/** Returns why an option affects neither the requests nor the verdicts; `null` if the option may affect either. */
export const whyUnsent = (written: string): string | null => {
  const name = written.replaceAll('_', '-');
  return unsentOptions.find(([names]) => names.test(name))?.[1] ?? null;
};

export const noCounterpart = 'weir import has no counterpart for this option';

/** Adds a note on how to run a scenario with several values. */
export const sweepNote = (tree: Tree, notes: Notes): void => {
  if (tree['vary'] === undefined) return;
  notes.chosen(
    'several values',
    'weir sweep FILE runs all of "vary", weir run FILE the first of each',
  );
};
