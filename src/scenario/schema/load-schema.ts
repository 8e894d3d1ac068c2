import { z } from 'zod';
import { maxTokenCount } from '../../model/workload/token-count.ts';
import {
  positiveNumberField,
  numberBetweenField,
  highestRate,
  durationField,
  positiveDurationField,
  positiveRateField,
  rateFromZeroField,
  textField,
  wholeNumberField,
} from './fields.ts';
import { formatRate } from './notation.ts';

/** The loads of a scenario: how and when requests come. */

const gammaShape = () =>
  numberBetweenField(0.01, 1000).describe(
    'The shape of the gaps: below 1 requests come in bursts, 1 is Poisson, above 1 they approach even spacing.',
  );

const spacingError = 'expected even, poisson, or a mapping such as {gamma: 0.5}';

const spacing = () =>
  z
    .union(
      [
        z.enum(['even', 'poisson']),
        z.strictObject({ gamma: gammaShape() }, { error: spacingError }),
      ],
      { error: spacingError },
    )
    .default('even')
    .describe(
      'How arrivals are spread: "even" follows the rate exactly, "poisson" draws random gaps as independent callers would make, {gamma: SHAPE} makes bursts (shape below 1). Default: even.',
    );

const constantLoad = z
  .strictObject({
    kind: z.literal('constant').describe('One rate, evenly spaced.'),
    rate: positiveRateField().describe('Requests per unit of time, for example 20/s or 60/min.'),
    duration: positiveDurationField().describe('How long requests keep coming, for example 30s.'),
  })
  .describe('Open load: requests come at one rate, whether or not earlier answers have come.');

const poissonLoad = z
  .strictObject({
    kind: z.literal('poisson').describe('One mean rate with random gaps.'),
    rate: positiveRateField().describe('The mean rate, for example 20/s or 60/min.'),
    duration: positiveDurationField().describe('How long requests keep coming, for example 30s.'),
  })
  .describe('Open load: requests come at random moments, as from many independent callers.');

const gammaLoad = z
  .strictObject({
    kind: z.literal('gamma').describe('One mean rate with gaps of a chosen burstiness.'),
    rate: positiveRateField().describe('The mean rate, for example 20/s or 60/min.'),
    duration: positiveDurationField().describe('How long requests keep coming, for example 30s.'),
    shape: gammaShape(),
  })
  .describe('Open load: requests come in bursts, or more evenly than by chance.');

const rampStep = z.strictObject(
  {
    to: rateFromZeroField().describe('The rate at the end of this step.'),
    over: durationField().describe(
      'How long the rate takes to get there in a straight line; 0s jumps at once.',
    ),
  },
  { error: 'expected a step such as {to: 10/s, over: 30s}' },
);

const rampingLoad = z
  .strictObject({
    kind: z.literal('ramping').describe('A rate that rises and falls in straight lines.'),
    from: rateFromZeroField().prefault('0/s').describe('The rate at the beginning. Default: 0/s.'),
    steps: z
      .array(rampStep, { error: 'expected a list of steps, each with "to" and "over"' })
      .min(1, { error: 'expected at least one step' })
      .max(1000, { error: 'expected at most 1,000 steps' })
      .describe('The steps of the curve, one after another.'),
    spacing: spacing(),
  })
  .describe('Open load: the rate follows a curve of straight pieces.');

const stairsLoad = z
  .strictObject({
    kind: z.literal('stairs').describe('A rate that climbs in equal steps.'),
    from: positiveRateField().describe('The rate of the first stair.'),
    step: positiveRateField().describe('How much each stair is above the one before it.'),
    every: positiveDurationField().describe('How long each stair lasts.'),
    steps: wholeNumberField(1, 1000).describe('How many stairs there are, the first one counted.'),
    spacing: spacing(),
  })
  .describe('Open load: stairs of constant rate, each a stage with figures of its own.');

const thinkTime = () =>
  durationField()
    .prefault('0s')
    .describe('How long a user waits between an answer and the next request. Default: 0s.');

const closedLoad = z
  .strictObject({
    kind: z.literal('closed').describe('A fixed number of users.'),
    users: wholeNumberField(1, 100_000).describe('How many users ask at the same time.'),
    duration: positiveDurationField().describe('How long the users keep asking.'),
    thinkTime: thinkTime(),
    rampUp: durationField()
      .prefault('0s')
      .describe('The users begin one after another over this length of time. Default: 0s.'),
  })
  .describe(
    'Closed load: each user asks again when its answer has come, so a slow gateway is asked less.',
  );

const iterationsLoad = z
  .strictObject({
    kind: z.literal('iterations').describe('A fixed number of requests, shared by users.'),
    users: wholeNumberField(1, 100_000)
      .prefault(1)
      .describe('How many users share the work. Default: 1.'),
    iterations: wholeNumberField(1, 10_000_000).describe(
      'How many requests all users make together.',
    ),
    maxDuration: positiveDurationField()
      .prefault('10m')
      .describe('The stage ends here even if requests are left. Default: 10m.'),
    thinkTime: thinkTime(),
  })
  .describe(
    'Closed load: users share a number of requests and stop when it is used up. As nobody knows when that is, it can only be the last stage.',
  );

const saturateLoad = z
  .strictObject({
    kind: z.literal('saturate').describe('As fast as the target answers, by autocannon.'),
    connections: wholeNumberField(1, 10_000)
      .prefault(100)
      .describe('How many connections ask at the same time. Default: 100.'),
    duration: positiveDurationField().describe('How long the connections keep asking.'),
  })
  .describe(
    'Flat out: each connection asks again the moment it is answered. For chat that comes whole and model lists, and always the only load of a run.',
  );

const traceLoad = z
  .strictObject({
    kind: z.literal('trace').describe('The recorded arrivals of a real service.'),
    file: textField().describe(
      'A Mooncake, Azure LLM or BurstGPT trace as published, as a path from the scenario’s folder. Chat entries that say nothing else ask prompts and answers of its lengths.',
    ),
    speed: positiveNumberField(1_000_000)
      .prefault(1)
      .describe('How many times as fast as recorded. Default: 1.'),
    from: durationField()
      .prefault('0s')
      .describe('Where to begin, since the trace’s first request. Default: 0s.'),
    until: positiveDurationField()
      .optional()
      .describe('Where to end, since the trace’s first request. Default: its end.'),
    maxInputTokens: wholeNumberField(1, maxTokenCount)
      .optional()
      .describe('Longer prompts are clipped to so many tokens. Default: none is.'),
    maxOutputTokens: wholeNumberField(1, maxTokenCount)
      .optional()
      .describe('Longer answers are clipped to so many tokens. Default: none is.'),
  })
  .describe('Open load: requests come when they came to a real service, or faster.');

export const scenarioLoadSchema = z
  .discriminatedUnion(
    'kind',
    [
      constantLoad,
      poissonLoad,
      gammaLoad,
      rampingLoad,
      stairsLoad,
      closedLoad,
      iterationsLoad,
      saturateLoad,
      traceLoad,
    ],
    {
      error: ({ code }: { readonly code?: string }) =>
        code === 'invalid_type'
          ? 'expected a mapping with a "kind", for example {kind: constant, rate: 5/s, duration: 30s}'
          : undefined,
    },
  )
  .superRefine((load, context) => {
    const addIssue = (key: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [key], message });
    if (load.kind === 'closed' && load.rampUp > load.duration) {
      addIssue('rampUp', 'expected a ramp-up that is no longer than "duration"');
    }
    if (load.kind === 'stairs' && load.from + (load.steps - 1) * load.step > highestRate) {
      addIssue('steps', `expected stairs that end at ${formatRate(highestRate)} or below`);
    }
    if (load.kind === 'trace' && load.until !== undefined && load.until <= load.from) {
      addIssue('until', 'expected a moment after "from"');
    }
    if (load.kind === 'iterations' && load.users > load.iterations) {
      addIssue('users', `expected at most as many users as iterations (${load.iterations})`);
    }
  });
/** A load as the scenario gives it, its quantities read. */
export type ScenarioLoad = z.output<typeof scenarioLoadSchema>;
