import { z } from 'zod';
import { type RetryClass, retryClasses } from '../../model/plan/retry.ts';
import { positiveDurationField, wholeNumberField } from './fields.ts';

/** What is tried again unless the scenario says otherwise: failures that reached no model. */
const defaultRetryClasses: RetryClass[] = ['limited', 'server-error', 'connect'];

const listed = retryClasses.join(', ');

/** Further attempts at what failed; off unless it stands in the scenario. */
export const scenarioRetrySchema = z.strictObject(
  {
    attempts: wholeNumberField(1, 100)
      .prefault(3)
      .describe('How often one request is tried at most, the first time included. Default: 3.'),
    base: positiveDurationField()
      .prefault('500ms')
      .describe(
        'The longest wait before the first retry where the server names none; it doubles with each further one. Default: 500ms.',
      ),
    cap: positiveDurationField()
      .prefault('30s')
      .describe(
        'The longest wait of our own choosing; waits that the server asks for are kept in full. Default: 30s.',
      ),
    on: z
      .array(z.enum(retryClasses), { error: `expected a list of ${listed}` })
      .min(1, { error: `expected at least one of ${listed}` })
      .prefault(defaultRetryClasses)
      .describe(
        'What is tried again: "limited" (429), "server-error" (5xx), "connect" (no connection), "unanswered" (the connection broke, or the first-token deadline passed, before any response head: the server may be at work, and paid, twice). Default: limited, server-error, connect.',
      ),
  },
  { error: 'expected a mapping such as {attempts: 3}' },
);
