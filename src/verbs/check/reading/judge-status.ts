import { readErrorBody, looksLikeHtml } from '../../../traffic/answer/read-refusal.ts';
import type { CheckAnswer } from './check-answer.ts';
import { deviation, type Judged, pass, unchecked, violation } from './check-case.ts';

/** Refusals that say nothing about the request itself. */
const unrelated: Readonly<Record<number, string>> = {
  402: 'the credits of the key are used up (402)',
  429: 'the key was limited (429) after every wait',
};

/** Where a redirect leads is worth a word: it is never followed. */
const redirectText = (answer: CheckAnswer): string => {
  const place = answer.received.headers['location'];
  return place === undefined ? '' : `; it leads to ${answer.quote(place)} and was not followed`;
};

/** What a 200 holds instead of an answer; `null` if it may hold one. */
const insteadOfAnswer = (answer: CheckAnswer): string | null => {
  if (looksLikeHtml(answer.text)) return 'an HTML page';
  const error = readErrorBody(answer.json, (text) => text);
  const isAnswer =
    typeof answer.json === 'object' && answer.json !== null && 'choices' in answer.json;
  return error === null || isAnswer ? null : `an error: ${answer.message}`;
};

/** The answer to a valid request: 200 with the thing itself. */
export const judgeAccepted = (answer: CheckAnswer): Judged => {
  const { status, failure } = answer.received;
  if (failure !== null) return violation(answer.summary);
  const why = unrelated[status ?? 0];
  if (why !== undefined) return unchecked(why);
  if (status !== 200) return violation(`${answer.summary}${redirectText(answer)}`);
  const instead = insteadOfAnswer(answer);
  return instead === null ? pass('status 200') : violation(`status 200 with ${instead}`);
};

/** The answer to a valid request, which is a JSON object. */
export const judgeAcceptedJson = (answer: CheckAnswer): Judged => {
  const accepted = judgeAccepted(answer);
  if (accepted.outcome !== 'pass') return accepted;
  return typeof answer.json === 'object' && answer.json !== null
    ? accepted
    : violation(`status 200 with a body of ${answer.received.body.length} bytes that is no JSON`);
};

/** Whether a body is compressed although nobody asked for it. */
export const judgeEncoding = ({ received: { encoding } }: CheckAnswer): Judged =>
  encoding === null ? pass('plain') : deviation('compressed', `the body is in ${encoding}`);

const isAccepted = (status: number): boolean => status >= 200 && status < 300;

/** The answer to a request that must be refused with one of the statuses, of which the first is the documented one. */
export const judgeRefused =
  (...statuses: readonly number[]) =>
  (answer: CheckAnswer): Judged => {
    const { status, failure } = answer.received;
    if (status === null) return violation(answer.summary);
    if (statuses.includes(status)) {
      return failure === null
        ? pass(`status ${status}`)
        : deviation('cut-refusal', `${answer.summary}: the refusal is cut off`);
    }
    if (isAccepted(status)) return violation(`accepted with status ${status}`);
    const why = unrelated[status];
    if (why !== undefined) return unchecked(why);
    const observed = `${answer.summary}${redirectText(answer)}`;
    // FastAPI validates requests with this status.
    return status === 422 ? deviation('status-422', observed) : violation(observed);
  };
