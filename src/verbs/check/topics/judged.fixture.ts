import { redactor } from '../../../model/plan/secret.ts';
import { CheckAnswer, type ReceivedAnswer } from '../reading/check-answer.ts';
import type { Answers, CheckTarget } from '../reading/check-case.ts';
import { checkTable } from '../suite/check-table.ts';
import { usageChecks } from './usage-checks.ts';

/** Answers that never came over a wire, and what a check says of them. */

const target = {
  chat: 'a/b',
  speech: 'a/s',
  transcription: 'a/w',
  listed: ['a/b'],
  voice: 'v',
  now: 1_000_000,
  clip: { text: 'one two three four', seconds: 10 },
  otherClips: [],
};

/** An answer with status 200. A text or bytes are its body as they are; anything else is written as JSON. */
export const reply = (
  requestId: string,
  body: unknown,
  received: Partial<ReceivedAnswer> = {},
): CheckAnswer =>
  new CheckAnswer(
    requestId,
    {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body:
        body instanceof Uint8Array || typeof body === 'string'
          ? Buffer.from(body as string)
          : Buffer.from(JSON.stringify(body)),
      encoding: null,
      failure: null,
      isLeftOpen: false,
      took: 0,
      ...received,
    },
    { method: 'GET', path: '/', headers: {}, body: null },
    redactor([]),
  );

/** What a check says of answers: `outcome: observed`, with the name of a deviation in brackets. */
export const said = (
  id: string,
  answers: readonly CheckAnswer[],
  changes: Partial<CheckTarget> = {},
  more: Partial<Answers> = {},
): string => {
  const { outcome, name, observed } = [...checkTable, ...usageChecks]
    .find((check) => check.id === id)!
    .judge({
      target: { ...target, ...changes } as unknown as CheckTarget,
      of: (request) => answers.find(({ requestId }) => requestId === request) ?? null,
      limited: [],
      repeated: [],
      all: answers,
      ...more,
    });
  return `${outcome}${name === undefined ? '' : ` (${name})`}: ${observed}`;
};
