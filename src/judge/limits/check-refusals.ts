import type { Finding, LimitCheck, LimitLog, ProbeReply } from '../../model/limit-log.ts';
import { evidenceOf } from './check-headers.ts';
import { grain } from './limit-facts.ts';
import { type Honesty, honestyOf, promiseGrain } from './promises.ts';
import { serverOffset } from './server-minute.ts';

/** Checks of what a 429 says: its body, the limit it names, and when to come back. */

const refusalsOf = ({ replies }: LimitLog): readonly ProbeReply[] =>
  replies.filter(({ status }) => status === 429);

const share = (wrong: readonly unknown[], all: readonly unknown[]): Finding =>
  all.length === 0 ? 'undecided' : wrong.length > 0 ? 'refuted' : 'proved';

const noRefusal = 'nothing was refused with 429';

/** Whether bodies of refusals have one of the two documented forms (interface section 7). */
export const checkBodies = (log: LimitLog): LimitCheck => {
  const refusals = refusalsOf(log);
  const other = refusals.filter(
    ({ refusal }) => refusal === null || !['error', 'none-429'].includes(refusal.form),
  );
  const forms = [...new Set(refusals.map(({ refusal }) => refusal?.form ?? 'none'))];
  return {
    id: 'refusal-body',
    claim: 'The body of a 429 has one of the two documented forms.',
    section: '7',
    finding: share(other, refusals),
    violates: false,
    observed: refusals.length === 0 ? noRefusal : `forms: ${forms.join(', ')}`,
    evidence: evidenceOf(other),
  };
};

/** The most that a chat can have been charged, whichever way tokens are counted; `null` for what told no usage. */
const mostCharged = ({ usage, asked }: ProbeReply): number | null =>
  usage === null || asked === null
    ? null
    : Math.max(usage.input + usage.output, asked.characters + asked.maxTokens);

/** The most tokens that can have been charged within the window before a refusal; `null` when that is unknown. */
const chargedBefore = (
  { replies }: LimitLog,
  { sent, answered, key }: ProbeReply,
  window: number,
): number | null => {
  const longer = window + grain(window);
  const charges = replies
    .filter(
      (other) =>
        other.key === key &&
        other.admitted &&
        other.ended >= sent - longer &&
        other.sent <= answered &&
        other.request !== 'models',
    )
    .map(mostCharged);
  return charges.reduce<number | null>(
    (sum, charge) => (sum === null || charge === null ? null : sum + charge),
    0,
  );
};

/** What the template of a chat adds to its texts, at most, in tokens. */
const template = 10;

/** Whether a refusal that names no limit may be one for tokens, since so many can have been used within the window before it. */
export const mayLackTokens = (log: LimitLog, refusal: ProbeReply): boolean => {
  const { tokens } = log.declared;
  if (tokens === null || refusal.refusal?.unit !== null) return false;
  const longer = tokens.window + grain(tokens.window);
  const most = log.replies
    .filter(
      ({ key, sent, ended }) =>
        key === refusal.key && ended >= refusal.sent - longer && sent <= refusal.answered,
    )
    .reduce((sum, { asked, usage }) => {
      const bound = asked === null ? 0 : asked.characters + asked.maxTokens + template;
      return sum + Math.max(bound, usage === null ? 0 : usage.input + usage.output);
    }, 0);
  return most >= tokens.limit;
};

/** Whether tokens were really used up where a refusal names them. */
export const checkNamedLimit = (log: LimitLog): LimitCheck => {
  const named = refusalsOf(log).filter(({ refusal }) => (refusal?.unit ?? null) !== null);
  const { tokens } = log.declared;
  const wrong = named.filter((reply) => {
    if (reply.refusal?.unit !== 'tokens' || tokens === null) return false;
    const charged = chargedBefore(log, reply, tokens.window);
    const needed = (reply.asked?.characters ?? 0) + (reply.asked?.maxTokens ?? 0);
    return charged !== null && charged + needed < tokens.limit;
  });
  return {
    id: 'refusal-names-limit',
    claim: 'A 429 that names tokens comes when they are used up.',
    section: '7',
    finding: share(wrong, named),
    violates: wrong.length > 0,
    observed:
      named.length === 0
        ? 'no 429 named a limit'
        : `${wrong.length} of ${named.length} named tokens although too few can have been used within the window`,
    evidence: evidenceOf(wrong),
  };
};

/** Refusals that came one by one: among overlapping requests nobody can say who would have been next. */
const serialRefusals = (log: LimitLog): readonly ProbeReply[] =>
  refusalsOf(log).filter(
    (reply) =>
      reply.phase === 'provocation' &&
      log.replies.every(
        (other) => other === reply || other.sent >= reply.ended || other.ended <= reply.sent,
      ),
  );

const honesty = (log: LimitLog, refusal: ProbeReply, promised: number): Honesty => {
  const later = log.replies.filter(
    ({ sent, key, phase }) => sent > refusal.sent && key === refusal.key && phase === refusal.phase,
  );
  const next = later.find(({ admitted }) => admitted);
  const lastRefused = later.findLast(
    ({ admitted, sent }) => !admitted && (next === undefined || sent < next.sent),
  );
  const stillRefused = (lastRefused ?? refusal).sent;
  return honestyOf(promised, { stillRefused, letIn: next?.answered ?? null });
};

const summary = (told: readonly { readonly honest: Honesty }[]): string =>
  (['exact', 'conservative', 'deceptive', 'unknown'] as const)
    .map((kind) => [kind, told.filter(({ honest }) => honest === kind).length] as const)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');

/** What `Retry-After` promised, held against when the key was really let in again. */
export const checkRetryAfter = (log: LimitLog): LimitCheck => {
  const refusals = serialRefusals(log);
  const told = refusals.flatMap((reply) => {
    const { retryAfter } = reply;
    if (retryAfter === null) return [];
    return [{ reply, retryAfter, honest: honesty(log, reply, reply.answered + retryAfter) }];
  });
  const deceptive = told.filter(({ honest }) => honest === 'deceptive');
  const values = new Set(told.map(({ retryAfter }) => retryAfter));
  const [first] = told;
  const span = first === undefined ? 0 : told.at(-1)!.reply.sent - first.reply.sent;
  const constant =
    values.size === 1 &&
    told.length > 2 &&
    span > 3 * promiseGrain &&
    told.some(({ honest }) => honest !== 'exact');
  const absent = refusals.length - told.length;
  return {
    id: 'retry-after',
    claim:
      'Retry-After is there, tells the time that is left, and none at which the key is still refused.',
    section: null,
    finding:
      deceptive.length + absent > 0 || constant
        ? 'refuted'
        : told.some(({ honest }) => honest !== 'unknown')
          ? 'proved'
          : 'undecided',
    violates: false,
    observed:
      refusals.length === 0
        ? noRefusal
        : [
            absent > 0 ? `absent on ${absent} of ${refusals.length}` : '',
            constant ? `always ${first!.retryAfter / 1000} s, whatever time was left` : '',
            summary(told),
          ]
            .filter((part) => part !== '')
            .join('; '),
    evidence: evidenceOf(deceptive.map(({ reply }) => reply)),
  };
};

/** What the reset time in the body promised, by the server's own clock. */
export const checkReset = (log: LimitLog): LimitCheck => {
  const offset = serverOffset(log.replies);
  const told = serialRefusals(log).flatMap((reply) => {
    const resetAt = reply.refusal?.resetAt ?? null;
    if (resetAt === null || offset === null) return [];
    const promised = resetAt - (offset.least + offset.most) / 2;
    return [{ reply, late: promised - reply.sent, honest: honesty(log, reply, promised) }];
  });
  const wrong = told.filter(({ honest }) => honest !== 'exact' && honest !== 'unknown');
  const farthest = Math.max(...told.map(({ late }) => Math.abs(late)), 0);
  return {
    id: 'reset-time',
    claim: 'The reset time in the body of a 429 is when the key is let in again.',
    section: '7',
    finding: share(wrong, told),
    violates: false,
    observed:
      told.length === 0
        ? 'no reset time could be read'
        : `${summary(told)}; up to ${Math.round(farthest / 1000)} s from the refusal`,
    evidence: evidenceOf(wrong.map(({ reply }) => reply)),
  };
};
