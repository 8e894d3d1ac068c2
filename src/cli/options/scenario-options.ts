import type { Argv } from 'yargs';
import type { PlanSource } from '../../run/input/read-plan.ts';
import type { ScenarioFlags } from '../../scenario/text/scenario-flags.ts';

/** An invalid command line; the message says what was expected. */
export class UsageProblem extends Error {}

/** Options that replace a scenario file, in the order of the help. */
const flagOptions = {
  model: { type: 'string', describe: 'Model of the requests' },
  kind: {
    type: 'string',
    describe: 'Kind of traffic: chat-stream (default), chat, speech, transcription or models',
  },
  prompt: { type: 'string', describe: 'Prompt of the requests [a short built-in prompt]' },
  'max-tokens': { type: 'string', describe: 'Maximum tokens per answer' },
  text: { type: 'string', describe: 'Text to speak, or the transcript of --clip' },
  voice: { type: 'string', describe: 'Voice [Emily.wav]' },
  clip: {
    type: 'string',
    describe: 'Audio to transcribe: a file or a .json manifest [bundled]',
  },
  rate: { type: 'string', describe: 'Constant arrival rate: 5/s, 300/min' },
  users: { type: 'string', describe: 'Closed-loop users' },
  iterations: { type: 'string', describe: 'Requests that the users share' },
  duration: { type: 'string', describe: 'Duration: 30s, 5m' },
} as const;

export const withScenarioOptions = <T>(builder: Argv<T>) =>
  builder
    .positional('scenario', {
      type: 'string',
      describe: 'Scenario file: YAML, JSON or TypeScript',
    })
    .option('target', {
      type: 'string',
      group: 'Target:',
      describe:
        'Base address (https://host/v1), `mock` for the embedded reference gateway, or `container`',
    })
    .option('transport', {
      type: 'string',
      group: 'Target:',
      describe: 'HTTP client: socket (default) or undici; HTTP/2 always uses undici',
    })
    .option('workers', {
      type: 'string',
      group: 'Scale:',
      describe: 'Threads that send the requests together: a number, or auto [1]',
    })
    .option('set', {
      type: 'string',
      array: true,
      nargs: 1,
      default: [] as string[],
      group: 'Scenario:',
      describe: 'Override a field of the scenario: --set load.rate=10/s',
    })
    .options(flagOptions)
    .group(Object.keys(flagOptions), 'Without a file:');

type ScenarioArguments = ScenarioFlags &
  Partial<Omit<PlanSource, 'flags' | 'set'>> & { readonly set: string[] };

export const planSourceFrom = (parsed: ScenarioArguments): PlanSource => {
  const { scenario, set, target, transport, workers } = parsed;
  const { model, kind, prompt, maxTokens, text, voice, clip } = parsed;
  const { rate, users, iterations, duration } = parsed;
  const content = { model, kind, prompt, maxTokens, text, voice, clip };
  const flags = { ...content, rate, users, iterations, duration };
  const usedFlags = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [name === 'maxTokens' ? '--max-tokens' : `--${name}`],
  );
  if (scenario !== undefined && usedFlags.length > 0) {
    throw new UsageProblem(
      `${usedFlags.join(', ')} ${usedFlags.length === 1 ? 'stands' : 'stand'} in for a scenario file, and one was given (${scenario}): change its fields with --set, for example --set load.rate=10/s`,
    );
  }
  if (scenario === undefined && usedFlags.length === 0) {
    throw new UsageProblem(
      'expected a scenario file, or --model with --rate and --duration (or --users) in its place',
    );
  }
  return { scenario, flags, set, target, transport, workers };
};

export const sliceFrom = (
  text: string | undefined,
): { readonly index: number; readonly count: number } => {
  if (text === undefined) return { index: 0, count: 1 };
  const match = /^(\d+)\/(\d+)$/.exec(text);
  const [index, count] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || count < 1 || index >= count) {
    throw new UsageProblem(
      `--slice: expected INDEX/COUNT with INDEX from 0 to COUNT − 1, such as 0/2; got ${text}`,
    );
  }
  return { index, count };
};
