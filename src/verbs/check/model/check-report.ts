import { z } from 'zod';
import { checkProfiles, checkTopics, namedTopics, type CheckProfile } from './check-choices.ts';

/** This file defines the stored form of the report of `weir check` about a gateway's interface. */

/** The results that a check can have, the most serious first, each with its meaning. */
const checkOutcomes = {
  violation: 'breaks the specification',
  deviation: 'deviates in a way known from other gateways, which clients can cope with',
  exempt: 'not as specified, but known of the servers of this profile',
  unchecked: 'could not be checked',
  open: 'the specification leaves it open; noted as seen',
  pass: 'as specified',
} as const;
export type CheckOutcome = keyof typeof checkOutcomes;
const outcomeNames = Object.keys(checkOutcomes) as [CheckOutcome, ...CheckOutcome[]];

const count = z.int().nonnegative();

const checkRowSchema = z.strictObject({
  id: z.string().describe('The check; the same in every run.'),
  topic: z.enum([...checkTopics, ...namedTopics]),
  section: z.string().describe('The section of the specification.'),
  sentence: z.string().describe('What the specification says there.'),
  outcome: z.enum(outcomeNames).describe(
    Object.entries(checkOutcomes)
      .map(([name, meaning]) => `${name}: ${meaning}`)
      .join('; '),
  ),
  expected: z.string().describe('What had to come.'),
  observed: z.string().describe('What came, or why nothing could be checked.'),
  name: z.string().nullable().describe('The name of a known deviation.'),
  evidence: z.array(z.string()).describe('Requests and excerpts, masked and cut.'),
  bounds: z
    .strictObject({
      of: z.enum(['input', 'output']),
      reported: count,
      least: count,
      most: count,
    })
    .exactOptional()
    .describe('Tokens that were reported, and the fewest and the most that are possible.'),
});
export type TokenBounds = NonNullable<z.output<typeof checkRowSchema>['bounds']>;
export type CheckRow = z.output<typeof checkRowSchema>;

const modelId = z.string().nullable();

const monthlyLoadSchema = z.strictObject({
  requests: count,
  input: count.describe('Prompt tokens.'),
  output: count.describe('Output tokens, at most.'),
  prices: z
    .strictObject({ input: count, output: count })
    .describe('Of a million tokens, in millionths of the currency.'),
  currency: z.string(),
});
export type MonthlyLoad = z.output<typeof monthlyLoadSchema>;

export const checkReportSchema = z.strictObject({
  format: z.literal('check/1'),
  weir: z.string().describe('The version of Weir.'),
  target: z.string().describe('The base address.'),
  startedAt: z.string().describe('ISO 8601, UTC.'),
  took: z.number().describe('Duration in ms.'),
  profile: z.enum(checkProfiles),
  models: z.strictObject({
    chat: modelId,
    speech: modelId,
    transcription: modelId,
    voice: modelId,
  }),
  spent: z.strictObject({
    requests: count,
    inputTokens: count.describe('As the gateway reported them.'),
    outputTokens: count.describe('As the gateway reported them.'),
    characters: count.describe('Characters of speech.'),
    audioSeconds: z.number().describe('Seconds of transcribed audio.'),
    waits: count.describe('Waits after a 429.'),
  }),
  stopped: z.string().nullable().describe('Why it ended early; null if it did not.'),
  month: monthlyLoadSchema
    .exactOptional()
    .describe('A month of 30 days of the scenario’s load, for an audit of usage.'),
  rows: z.array(checkRowSchema),
  unseen: z
    .array(z.strictObject({ section: z.string(), sentence: z.string(), reason: z.string() }))
    .describe('Sentences of the specification that no request can show.'),
});
export type CheckReport = z.output<typeof checkReportSchema>;

export const checkJsonSchema = (): object => ({
  title: 'What weir check found, check/1',
  ...z.toJSONSchema(checkReportSchema),
});

/** Returns whether every check is an audit of the reported usage or of disconnects. */
export const isAudit = (checks: readonly Pick<CheckRow, 'topic'>[]): boolean =>
  checks.length > 0 && checks.every(({ topic }) => topic === 'usage' || topic === 'disconnects');

export const countOutcomes = (
  rows: readonly Pick<CheckRow, 'outcome'>[],
): Readonly<Record<CheckOutcome, number>> => {
  const counts = Object.fromEntries(outcomeNames.map((name) => [name, 0])) as Record<
    CheckOutcome,
    number
  >;
  for (const { outcome } of rows) counts[outcome] += 1;
  return counts;
};

/**
 * The verdict on all checks. `kept`: no check found a violation. `undecided`: no check found a violation, but the
 * checks ended too early, or nothing could be checked.
 */
type CheckVerdict = 'kept' | 'broken' | 'undecided';

export const verdictOfChecks = ({
  rows,
  stopped,
}: Pick<CheckReport, 'rows' | 'stopped'>): CheckVerdict => {
  const { violation, unchecked } = countOutcomes(rows);
  if (violation > 0) return 'broken';
  return stopped === null && unchecked < rows.length ? 'kept' : 'undecided';
};

/** How a check can change, the most serious change first, each with its meaning. */
export const checkChanges = {
  worse: 'breaks or deviates now, or more than before',
  lost: 'was decided before, and is not now',
  new: 'deviates, and was not among the checks before',
  better: 'breaks or deviates no more, or less than before',
  other: 'another deviation, or decided now',
} as const;
export type CheckChange = keyof typeof checkChanges;

export interface ChangedCheck {
  readonly id: string;
  readonly change: CheckChange;
  /** The row of the check in the earlier report; `null` if only the later report has the check. */
  readonly before: CheckRow | null;
  readonly after: CheckRow | null;
}

interface ComparedCheck {
  readonly target: string;
  readonly startedAt: string;
  readonly profile: CheckProfile;
}

export interface CheckComparison {
  readonly format: 'check-comparison/1';
  readonly weir: string;
  readonly before: ComparedCheck;
  readonly after: ComparedCheck;
  readonly same: number;
  readonly changes: readonly ChangedCheck[];
  /** The reasons why the two reports are less comparable: other models, another profile, an early end. */
  readonly notes: readonly string[];
}
