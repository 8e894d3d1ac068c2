import type { Argv } from 'yargs';
import type { PlanSource } from '../../run/input/read-plan.ts';

/** A command line that makes no sense; the message says what was expected. */
export class UsageProblem extends Error {}

/** What stands in for a scenario file. */
const withoutFileOptions = <T>(builder: Argv<T>) =>
  builder
    .option('model', { type: 'string', group: 'Without a file:', describe: 'Model to ask for' })
    .option('kind', {
      type: 'string',
      group: 'Without a file:',
      describe: 'Kind of traffic: chat-stream (default), chat, speech, transcription or models',
    })
    .option('prompt', {
      type: 'string',
      group: 'Without a file:',
      describe: 'What to ask [a short built-in prompt]',
    })
    .option('max-tokens', {
      type: 'string',
      group: 'Without a file:',
      describe: 'The most tokens of an answer',
    })
    .option('text', {
      type: 'string',
      group: 'Without a file:',
      describe: 'What to speak, or what --clip is known to say',
    })
    .option('voice', { type: 'string', group: 'Without a file:', describe: 'Voice [Emily.wav]' })
    .option('clip', {
      type: 'string',
      group: 'Without a file:',
      describe: 'Audio to transcribe: a file or a .json manifest [bundled]',
    })
    .option('rate', {
      type: 'string',
      group: 'Without a file:',
      describe: 'Constant arrival rate: 5/s, 300/min',
    })
    .option('users', { type: 'string', group: 'Without a file:', describe: 'Closed-loop users' })
    .option('iterations', {
      type: 'string',
      group: 'Without a file:',
      describe: 'Requests that the users share',
    })
    .option('duration', {
      type: 'string',
      group: 'Without a file:',
      describe: 'How long: 30s, 5m',
    });

export const withScenarioOptions = <T>(builder: Argv<T>) =>
  withoutFileOptions(
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
        describe: 'What speaks to it: socket (default) or undici; HTTP/2 is always undici’s',
      })
      .option('workers', {
        type: 'string',
        group: 'Scale:',
        describe: 'Threads that send the same requests together: a number, or auto [1]',
      })
      .option('set', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        group: 'Scenario:',
        describe: 'Override a field of the scenario: --set load.rate=10/s',
      }),
  );

interface ScenarioArguments {
  readonly scenario?: string | undefined;
  readonly target?: string | undefined;
  readonly transport?: string | undefined;
  readonly workers?: string | undefined;
  readonly set: string[];
  readonly model?: string | undefined;
  readonly kind?: string | undefined;
  readonly rate?: string | undefined;
  readonly prompt?: string | undefined;
  readonly maxTokens?: string | undefined;
  readonly text?: string | undefined;
  readonly voice?: string | undefined;
  readonly clip?: string | undefined;
  readonly users?: string | undefined;
  readonly iterations?: string | undefined;
  readonly duration?: string | undefined;
}

export const planSourceFrom = (parsed: ScenarioArguments): PlanSource => {
  const flags = {
    model: parsed.model,
    kind: parsed.kind,
    prompt: parsed.prompt,
    maxTokens: parsed.maxTokens,
    text: parsed.text,
    voice: parsed.voice,
    clip: parsed.clip,
    rate: parsed.rate,
    users: parsed.users,
    iterations: parsed.iterations,
    duration: parsed.duration,
  };
  const usedFlags = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [name === 'maxTokens' ? '--max-tokens' : `--${name}`],
  );
  if (parsed.scenario !== undefined && usedFlags.length > 0) {
    throw new UsageProblem(
      `${usedFlags.join(', ')} ${usedFlags.length === 1 ? 'stands' : 'stand'} in for a scenario file, and one was given (${parsed.scenario}): change its fields with --set, for example --set load.rate=10/s`,
    );
  }
  if (parsed.scenario === undefined && usedFlags.length === 0) {
    throw new UsageProblem(
      'expected a scenario file, or --model with --rate and --duration (or --users) in its place',
    );
  }
  return {
    scenario: parsed.scenario,
    flags,
    set: parsed.set,
    target: parsed.target,
    transport: parsed.transport,
    workers: parsed.workers,
  };
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
