import { maxSlices } from '../../model/quantity.ts';
import { launchedSlice } from '../../run/input/launched-slice.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';
import type { Slice } from '../../model/workload/arrival.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import type { ScenarioFlags } from '../../scenario/text/scenario-flags.ts';
import {
  type Given,
  inGroup,
  listOption,
  positionals,
  switchOption,
  textOption,
  UsageProblem,
} from './define-verb.ts';

const flagOptions = inGroup('Without a file:', {
  model: textOption('Model of the requests'),
  kind: textOption('Kind of traffic: chat-stream (default), chat, speech, transcription or models'),
  prompt: textOption('Prompt of the requests [a short built-in prompt]'),
  'max-tokens': textOption('Maximum tokens per answer'),
  text: textOption('Text to speak, or the transcript of --clip'),
  voice: textOption('Voice [Emily.wav]'),
  clip: textOption('Audio to transcribe: a file or a .json manifest [bundled]'),
  rate: textOption('Constant arrival rate: 5/s, 300/min'),
  users: textOption('Closed-loop users'),
  iterations: textOption('Requests that the users share'),
  duration: textOption('Duration: 30s, 5m'),
});

export const scenarioOptions = {
  ...inGroup(positionals, {
    scenario: textOption('Scenario file: YAML, JSON or TypeScript'),
  }),
  ...inGroup('Target:', {
    target: textOption(
      'Base address (https://host/v1), `mock` for the embedded reference gateway, or `container`',
    ),
    transport: textOption('HTTP client: socket (default) or undici; HTTP/2 always uses undici'),
  }),
  ...inGroup('Scale:', {
    workers: textOption('Threads that send the requests together: a number, or auto [1]'),
  }),
  ...inGroup('Scenario:', {
    set: listOption('Override a field of the scenario: --set load.rate=10/s'),
    'allow-files': switchOption('Let the scenario name files outside its folder'),
  }),
  ...flagOptions,
};

const flagNames = Object.keys(flagOptions) as (keyof typeof flagOptions)[];

/** Returns the given options that describe a run without a scenario file. */
export const givenFlags = (given: Given<typeof scenarioOptions>): readonly string[] =>
  flagNames.filter((name) => given[name === 'max-tokens' ? 'maxTokens' : name] !== undefined);

/** Returns the source of the plan. `wanted` says what a command line without a scenario file must contain. */
export const planSourceFrom = (
  given: Given<typeof scenarioOptions>,
  wanted = 'a scenario file, or --model with --rate and --duration (or --users) in its place',
): PlanSource => {
  const { scenario, set, target, transport, workers, allowFiles } = given;
  const flags: ScenarioFlags = given;
  const usedFlags = givenFlags(given);
  if (scenario !== undefined && usedFlags.length > 0) {
    if (/^https?:/.test(scenario))
      throw new UsageProblem(`${scenario} is an address: write --target ${scenario}`);
    throw new UsageProblem(
      `--${usedFlags.join(', --')} ${usedFlags.length === 1 ? 'stands' : 'stand'} in for a scenario file, and one was given (${scenario}): leave it out, or change its fields with --set, for example --set load.rate=10/s`,
    );
  }
  if (scenario === undefined && usedFlags.length === 0) {
    throw new UsageProblem(`expected ${wanted}; got nothing`);
  }
  const closed = (['users', 'iterations'] as const).find((name) => flags[name] !== undefined);
  if (flags.rate !== undefined && closed !== undefined) {
    throw new UsageProblem(
      `--rate and --${closed}: keep one of them. With --rate requests come whether or not answers do, with --${closed} each user waits for its answer`,
    );
  }
  return { scenario, flags, set, target, transport, workers, allowFiles };
};

/** Reads the id of a run. Each request sends the id in a header, so the id must be valid in a header. */
export const runIdFrom = (text: string | undefined): string | undefined => {
  if (text === undefined || /^[!-~]{1,128}$/.test(text)) return text;
  throw new UsageProblem(
    `--run-id: expected 1 to 128 visible ASCII characters without spaces, since each request sends it in a header; got ${JSON.stringify(text)}`,
  );
};

/** Matches an instant with its offset from UTC (RFC 3339). */
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i;

/** Reads the run's start time from `--start-at`, in ms since 1970; `undefined` if it was not given. */
export const startAtFrom = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const at = instantPattern.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UsageProblem(
    `--start-at: expected an instant with its time zone, such as 2026-11-24T20:15:00Z or 2026-11-24T21:15:00+01:00; got ${text}`,
  );
};

export const sliceFrom = (text: string | undefined, environment: Environment): Slice => {
  if (text === undefined) return { index: 0, count: 1 };
  if (text === 'auto') return launchedSlice(environment);
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || count < 1 || count > maxSlices || index >= count) {
    throw new UsageProblem(
      `--slice: expected INDEX/COUNT with INDEX from 0 to COUNT − 1 and COUNT up to ${maxSlices}, such as 0/2, or auto under Kubernetes, Slurm or Docker Swarm; got ${text}`,
    );
  }
  return { index, count };
};
