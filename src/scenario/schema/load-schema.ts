import { z } from 'zod';
import { maxTokenCount } from '../../model/workload/token-count.ts';
import { traceUnits } from '../../model/workload/trace.ts';
import {
  durationField,
  highestRate,
  listField,
  mapping,
  numberBetweenField,
  ofKind,
  oneOfKinds,
  optionalField,
  orNull,
  positiveDurationField,
  positiveNumberField,
  positiveRateField,
  rateFromZeroField,
  textField,
  wholeNumberField,
  withDefault,
} from './fields.ts';
import { formatRate } from './notation.ts';

/** This file contains the schema of a scenario's loads. A load says how and when requests are sent. */

const gammaShape = numberBetweenField(0.01, 1000).describe(
  'The shape of the gaps: below 1 requests come in bursts, 1 is Poisson, above 1 they approach even spacing.',
);

const spacingExample = 'even, poisson, or a mapping such as {gamma: 0.5}';
const spacing = z
  .union(
    [z.enum(['even', 'poisson']), mapping(spacingExample, { gamma: gammaShape })],
    `expected ${spacingExample}`,
  )
  .default('even')
  .describe(
    'How arrivals are spread: "even" follows the rate exactly, "poisson" draws random gaps, as from independent callers, {gamma: SHAPE} makes bursts (shape below 1). Default: even.',
  );

const duration = positiveDurationField().describe(
  'How long requests keep coming, for example 30s.',
);
const meanRate = positiveRateField().describe('The mean rate, for example 20/s or 60/min.');

const constantLoad = ofKind('constant', 'One rate, evenly spaced.', {
  rate: positiveRateField().describe('Requests per unit of time, for example 20/s or 60/min.'),
  duration,
}).describe('Open load: requests come at one rate, whether or not earlier answers have come.');

const poissonLoad = ofKind('poisson', 'One mean rate with random gaps.', {
  rate: meanRate,
  duration,
}).describe('Open load: requests come at random moments, as from many independent callers.');

const gammaLoad = ofKind('gamma', 'One mean rate with gaps of a chosen burstiness.', {
  rate: meanRate,
  duration,
  shape: gammaShape,
}).describe('Open load: requests come in bursts, or more evenly than at random.');

const rampStep = mapping('a step such as {to: 10/s, over: 30s}', {
  to: rateFromZeroField().describe('The rate at the end of this step.'),
  over: durationField().describe(
    'How long the rate takes to get there in a straight line; 0s is a jump.',
  ),
});

const rampingLoad = ofKind('ramping', 'A rate that rises and falls in straight lines.', {
  from: withDefault(rateFromZeroField(), '0/s').describe('The rate at the beginning.'),
  steps: listField(rampStep, 'a list of steps, each with "to" and "over"', 'step')
    .max(1000, 'expected at most 1,000 steps')
    .describe('The steps of the curve, one after another.'),
  spacing,
}).describe('Open load: the rate follows a curve of straight pieces.');

const stairsLoad = ofKind('stairs', 'A rate that climbs in equal steps.', {
  from: positiveRateField().describe('The rate of the first stair.'),
  step: positiveRateField().describe('How much the rate rises from one stair to the next.'),
  every: positiveDurationField().describe('How long each stair lasts.'),
  steps: wholeNumberField(1, 1000).describe('How many stairs there are, including the first.'),
  spacing,
}).describe('Open load: stairs of constant rate, each a stage with its own figures.');

const users = wholeNumberField(1, 100_000);
const thinkTime = withDefault(durationField(), '0s').describe(
  'How long a user waits between an answer and the next request.',
);

const closedLoad = ofKind('closed', 'A fixed number of users.', {
  users: users.describe('How many users send requests at the same time.'),
  duration: positiveDurationField().describe('How long the users keep sending requests.'),
  thinkTime,
  rampUp: withDefault(durationField(), '0s').describe(
    'The users start one after another over this time.',
  ),
}).describe(
  'Closed load: each user sends its next request when it has its answer, so a slow gateway gets fewer requests.',
);

const iterationsLoad = ofKind('iterations', 'A fixed number of requests, shared by users.', {
  users: withDefault(users, 1).describe('How many users share the work.'),
  iterations: wholeNumberField(1, 10_000_000).describe(
    'How many requests the users send together.',
  ),
  maxDuration: withDefault(positiveDurationField(), '10m').describe(
    'The stage ends after this time even if requests are left.',
  ),
  thinkTime,
}).describe(
  'Closed load: users share a number of requests and stop when all are sent. Nobody knows in advance when that is, so it can only be the last stage.',
);

const saturateLoad = ofKind('saturate', 'As fast as the target answers, with autocannon.', {
  connections: withDefault(wholeNumberField(1, 10_000), 100).describe(
    'How many connections send requests at the same time.',
  ),
  duration: positiveDurationField().describe('How long the connections keep sending requests.'),
}).describe(
  'Flat out: each connection sends its next request as soon as it has an answer. Supports whole chat answers and model lists only, and must be the only load of a run.',
);

const maxTokens = orNull(wholeNumberField(1, maxTokenCount));

const traceLoad = ofKind('trace', 'The recorded arrivals of a real service.', {
  file: textField().describe(
    'A Mooncake, Qwen-Bailian, GuideLLM, Azure LLM or BurstGPT trace as published, relative to the scenario’s folder. Chat entries without a prompt send prompts of its lengths and ask for answers of its lengths.',
  ),
  unit: optionalField(z.enum(traceUnits)).describe(
    'The unit of times that are numbers. Default: what the content shows.',
  ),
  speed: withDefault(positiveNumberField(1_000_000), 1).describe(
    'How many times as fast as recorded.',
  ),
  from: withDefault(durationField(), '0s').describe(
    'Where to begin, counted from the trace’s first request.',
  ),
  until: orNull(positiveDurationField()).describe(
    'Where to end, counted from the trace’s first request. Default: its end.',
  ),
  maxInputTokens: maxTokens.describe(
    'Longer prompts are cut to this many tokens. Default: no limit.',
  ),
  maxOutputTokens: maxTokens.describe(
    'Longer answers are cut to this many tokens. Default: no limit.',
  ),
}).describe(
  'Open load: requests come at the times at which they came to a real service, or faster.',
);

const loads = [
  constantLoad,
  poissonLoad,
  gammaLoad,
  rampingLoad,
  stairsLoad,
  closedLoad,
  iterationsLoad,
  saturateLoad,
  traceLoad,
] as const;

export const scenarioLoadSchema = oneOfKinds(
  loads,
  '{kind: constant, rate: 5/s, duration: 30s}',
).superRefine((load, context) => {
  const addIssue = (key: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [key], message });
  if (load.kind === 'closed' && load.rampUp > load.duration) {
    addIssue('rampUp', 'expected a ramp-up that is no longer than "duration"');
  }
  if (load.kind === 'stairs' && load.from + (load.steps - 1) * load.step > highestRate) {
    addIssue('steps', `expected stairs that end at ${formatRate(highestRate)} or below`);
  }
  if (load.kind === 'trace' && load.until !== null && load.until <= load.from) {
    addIssue('until', 'expected a moment after "from"');
  }
  // An invalid number of iterations has a message already.
  if (load.kind === 'iterations' && load.iterations >= 1 && load.users > load.iterations) {
    addIssue('users', `expected at most as many users as iterations (${load.iterations})`);
  }
});
export type ScenarioLoad = z.output<typeof scenarioLoadSchema>;
