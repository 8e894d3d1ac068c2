import {
  type LimitCheck,
  type LimitLog,
  probeRequests,
  type ProbeReply,
  type ProbeRequest,
} from '../../model/limit-log.ts';
import { evidenceOf, toldOf } from './check-headers.ts';

/** Checks of what spends a limit, by the rests that were told before and after. */

const restOf = (reply: ProbeReply, unit: string): number | null =>
  toldOf(reply, unit)?.remaining ?? null;

/** What each kind of request cost in requests: chats with a told rest stand on both sides of it. */
const costs = ({ replies }: LimitLog): ReadonlyMap<ProbeRequest, readonly number[]> => {
  const counting = replies.filter(({ phase }) => phase === 'counting');
  const found = new Map<ProbeRequest, number[]>();
  for (const [place, reply] of counting.entries()) {
    const before = counting[place - 1];
    const after = counting[place + 1];
    if (before?.request !== 'chat' || after?.request !== 'chat' || reply.request === 'chat')
      continue;
    const [high, low] = [restOf(before, 'requests'), restOf(after, 'requests')];
    // A window that ended in between says nothing.
    if (high === null || low === null || low >= high) continue;
    found.set(reply.request, [...(found.get(reply.request) ?? []), high - low - 1]);
  }
  return found;
};

/** What must count and what must not; the interface leaves the rest open. */
const expected: Partial<Record<ProbeRequest, { readonly cost: number; readonly why: string }>> = {
  'chat-stream': { cost: 1, why: 'A streamed chat counts as one request.' },
  'wrong-key': { cost: 0, why: 'A request with another key does not count for this one.' },
};

/** Which requests count against the limit of requests. */
export const checkCounting = (log: LimitLog): readonly LimitCheck[] =>
  [...costs(log)].map(([request, each]) => {
    const rule = expected[request];
    const [cost = 0] = each;
    return {
      id: `counts-${request}`,
      claim:
        rule?.why ??
        `What ${probeRequests[request]} costs is found out; the interface leaves it open.`,
      section: rule === undefined ? null : '8',
      finding: rule === undefined || cost === rule.cost ? 'proved' : 'refuted',
      violates: false,
      observed: `it cost ${cost} ${cost === 1 ? 'request' : 'requests'}`,
      evidence: [],
    };
  });

/** Tokens that a chat is charged, by the ways in which gateways count. */
const accountings = {
  'what was really used, after the answer': ({ usage }: ProbeReply) =>
    usage && usage.input + usage.output,
  'the tokens of the answer only': ({ usage }: ProbeReply) => usage && usage.output,
  'the tokens of the prompt only': ({ usage }: ProbeReply) => usage && usage.input,
  'a quarter of the characters and max_tokens, never corrected': ({ asked }: ProbeReply) =>
    asked && Math.ceil(asked.characters / 4) + asked.maxTokens,
} as const satisfies Record<string, (reply: ProbeReply) => number | null>;

/** One token more or less is rounding. */
const near = (a: number, b: number): boolean => Math.abs(a - b) <= 1;

/** How tokens are charged: the fall of the told rest from one chat to the next, fitted by the known ways. */
export const checkAccounting = ({ replies }: LimitLog): LimitCheck => {
  const chats = replies.filter(
    ({ phase, status, usage }) => phase === 'counting' && status === 200 && usage !== null,
  );
  const falls = chats.slice(1).flatMap((reply, i) => {
    const before = chats[i]!;
    const [high, low] = [restOf(before, 'tokens'), restOf(reply, 'tokens')];
    return high === null || low === null || low > high ? [] : [{ before, reply, fall: high - low }];
  });
  const names = Object.keys(accountings) as readonly (keyof typeof accountings)[];
  // A rest told before a chat is charged falls with the next one; told after, with its own.
  const fits = names.flatMap((name) =>
    (['before', 'reply'] as const)
      .filter((side) =>
        falls.every((pair) => {
          const charge = accountings[name](pair[side]);
          return charge !== null && near(charge, pair.fall);
        }),
      )
      .map(() => name),
  );
  const different = new Set(falls.map(({ fall }) => fall)).size;
  const isDecided = falls.length >= 3 && different > 1;
  const [fit] = fits;
  const isDocumented = fit === names[0];
  return {
    id: 'token-accounting',
    claim: 'Tokens are charged as they were really used, input and output.',
    section: '8',
    finding: !isDecided ? 'undecided' : isDocumented ? 'proved' : 'refuted',
    violates: false,
    observed: !isDecided
      ? 'too few chats told a rest of tokens'
      : fit === undefined
        ? `no known way of charging explains the ${falls.length} falls of the rest`
        : `charged: ${fit} (${falls.length} falls of the rest)`,
    evidence: isDecided && !isDocumented ? evidenceOf(falls.map(({ reply }) => reply)) : [],
  };
};

/** Whether a key is refused because of another one. */
export const checkIsolation = ({ replies }: LimitLog): LimitCheck => {
  const second = replies.filter(({ key }) => key === 'second');
  const refused = second.filter(({ status }) => status === 429);
  return {
    id: 'key-isolation',
    claim: 'Exhausting one key leaves another one its limits.',
    section: '8',
    finding: second.length === 0 ? 'undecided' : refused.length > 0 ? 'refuted' : 'proved',
    violates: refused.length > 0,
    observed:
      second.length === 0
        ? 'not asked: no second key was given (--second-key)'
        : `${second.length - refused.length} of ${second.length} requests of the second key were let in while the first one was exhausted`,
    evidence: evidenceOf(refused),
  };
};
