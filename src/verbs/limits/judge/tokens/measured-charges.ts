import { isAdmitted, type TokenKind, type TokenReply, usedTokens } from '../../model/token-log.ts';

/** The charge of a request, computed from the reported remaining tokens. */
export interface MeasuredCharge {
  readonly kind: TokenKind;
  readonly status: number;
  readonly prompt: number;
  /** The tokens that the answer reports; `null` if the answer reports no usage. */
  readonly used: number | null;
  /** The drop in the remaining tokens that the request caused; `null` if the remaining tokens do not show this drop. */
  readonly charge: number | null;
  /**
   * Whether the remaining tokens stayed constant between the last two small chats after the request, apart from the
   * last chat's usage. Between the two chats, the limiter then refilled nothing and forgot nothing.
   */
  readonly isSteady: boolean;
  /**
   * Whether the remaining tokens stopped dropping after the request. They continue to drop if other clients use the
   * key.
   */
  readonly isUnshared: boolean;
}

const remainingOf = ({ reported }: TokenReply): number | null => reported?.remaining ?? null;

/** Two counts of one small chat may differ by this many tokens. */
export const roundingTokens = 2;

interface Group {
  readonly before: TokenReply;
  readonly subject: TokenReply;
  /**
   * The small chats during and after the subject. The last chats are sent when the gateway should have charged the
   * subject's usage.
   */
  readonly after: readonly TokenReply[];
}

/** The maximum number of small chats that belong to a request: one during it, and two after it. */
const mostAfter = 3;

/** Groups each measured request with the small chat before it and the small chats after it. */
const groupsOf = (replies: readonly TokenReply[]): readonly Group[] => {
  const groups: Group[] = [];
  for (const [i, subject] of replies.entries()) {
    const before = replies[i - 1];
    if (subject.isTap || before?.isTap !== true) continue;
    const next = replies.findIndex((reply, j) => j > i && !reply.isTap);
    const after = replies.slice(i + 1, Math.min(next === -1 ? Infinity : next, i + 1 + mostAfter));
    if (after.length > 0) groups.push({ before, subject, after });
  }
  return groups;
};

const sumUsed = (replies: readonly TokenReply[]): number =>
  replies.reduce((sum, reply) => sum + (usedTokens(reply) ?? 0), 0);

/**
 * Returns the drop in the remaining tokens between the last two small chats after a request, minus the usage of the
 * last one; infinity if the reports do not show this drop.
 */
const furtherFallIn = ({ subject, after }: Pick<Group, 'subject' | 'after'>): number => {
  const [previous, last] = [after.at(-2), after.at(-1)!];
  if (previous === undefined || previous.sent < subject.ended) return Infinity;
  const [earlier, end] = [remainingOf(previous), remainingOf(last)];
  return earlier === null || end === null ? Infinity : earlier - end - (usedTokens(last) ?? 0);
};

/**
 * Measures the charge of a request: the drop in the remaining tokens, minus the usage of the small chats in between.
 */
const measure = ({ before, subject, after }: Group, fullest: number): MeasuredCharge => {
  const { kind, status, prompt } = subject;
  const used = usedTokens(subject);
  const common = { kind, status, prompt, used };
  const begin = remainingOf(before);
  const answered = after.every(isAdmitted) && isAdmitted(before);
  const last = after.at(-1)!;
  const end = remainingOf(last);
  if (begin === null || end === null || !answered)
    return { ...common, charge: null, isSteady: false, isUnshared: false };
  // A report may include or exclude the charge of its own chat. Since all small chats are alike, the two unknown
  // charges cancel out.
  const charge = begin - end - sumUsed(after);
  const isFull = end >= fullest - (usedTokens(last) ?? 0) - roundingTokens;
  const furtherFall = furtherFallIn({ subject, after });
  const isSteady = Math.abs(furtherFall) <= roundingTokens;
  // The small chat may be charged up to three times its usage, so a drop by twice its usage shows no other clients.
  const isUnshared = furtherFall <= roundingTokens + 2 * (usedTokens(last) ?? 0);
  const isShown = charge >= -roundingTokens && !(isFull && charge <= roundingTokens);
  return {
    ...common,
    charge: isShown ? Math.max(0, charge) : null,
    isSteady: isSteady && isShown,
    isUnshared: isUnshared && isShown,
  };
};

/**
 * Returns one charge of each kind of request. A refill makes a measured charge smaller, never larger, so the largest
 * charge of a kind is the best, but a steady measurement (`isSteady`) is always better than one that is not.
 */
export const measuredCharges = (replies: readonly TokenReply[]): readonly MeasuredCharge[] => {
  const measured = replies.filter(({ phase }) => phase === 'calibration' || phase === 'accounting');
  const fullest = measured.reduce((most, reply) => Math.max(most, remainingOf(reply) ?? 0), 0);
  const best = new Map<TokenKind, MeasuredCharge>();
  for (const group of groupsOf(measured)) {
    const found = measure(group, fullest);
    const known = best.get(found.kind);
    const isMore = (found.charge ?? -1) > (known?.charge ?? -1);
    if (known === undefined || (found.isSteady === known.isSteady ? isMore : found.isSteady))
      best.set(found.kind, found);
  }
  return [...best.values()];
};

/**
 * Returns when the prompt of a stream is charged. A small chat during the stream reports the remaining tokens before
 * the first byte of the stream. If this report does not show the charge, either the charge comes later or a refill
 * hides the charge. The result is `later` only if a later report shows the charge.
 */
export const chargedWhen = (replies: readonly TokenReply[]): 'admission' | 'later' | null => {
  const found = groupsOf(replies.filter(({ phase }) => phase === 'calibration')).flatMap(
    ({ before, subject, after }) => {
      const beside = after.find(
        ({ sent, answered }) => sent < subject.answered && answered < subject.answered,
      );
      const [begin, seen] = [
        remainingOf(before),
        beside === undefined ? null : remainingOf(beside),
      ];
      if (subject.kind !== 'stream' || begin === null || seen === null || seen > begin) return [];
      const isShown = (left: number | null): boolean =>
        left !== null && begin - left > subject.prompt / 2;
      if (isShown(seen)) return ['admission' as const];
      return isShown(remainingOf(after.at(-1)!)) ? ['later' as const] : [];
    },
  );
  return found.includes('admission') ? 'admission' : (found[0] ?? null);
};

export interface CountingEvidence {
  /**
   * The relation of charges to usage. `usage`: charges equal the usage. `near`: charges are within the tolerance.
   * `unknown`: the remaining tokens do not show the charges.
   */
  readonly finding: 'usage' | 'near' | 'more' | 'less' | 'unknown';
  /** The ratio of a charge to its usage that is furthest from 1; `null` if unknown. */
  readonly ratio: number | null;
  /** Whether no tokenizer's count of the prompts explains the ratio, so that the ratio excuses nothing. */
  readonly isImplausible: boolean;
  /** The lowest charge of the bursts, as a multiple of their usage; absent if single chats show the charge. */
  readonly least?: number;
}

/** Whether the charge equals the usage, or nearly equals the usage. */
export const isUsageCharged = ({ finding }: CountingEvidence): boolean =>
  finding === 'usage' || finding === 'near';

const exactness = 0.01;
/** In text with four characters per token, any tokenizer counts between `least` and `most` times the usage. */
export const plausibleRatios = { least: 0.7, most: 1.6 };
/**
 * If the excess of the charge over the usage is constant, as with a hidden prompt, a small and a large prompt have the
 * same excess. If the small prompt's excess is below this share of the large prompt's excess, the excess is not
 * constant.
 */
const constantShare = 0.2;
/**
 * The excess is also not constant if the small prompt's excess, divided by the large prompt's excess, is below this
 * factor times the small prompt's tokens, divided by the large prompt's tokens.
 */
const constantRatio = 1.5;
/** A prompt is small if it has less than this share of the large prompt's tokens. */
const smallShare = 1 / 3;

/** Returns whether the excess of charges over usage grows with the prompt, which no hidden prompt explains. */
const growsWithPrompt = (charges: readonly MeasuredCharge[], large: MeasuredCharge): boolean => {
  const small = charges.filter(
    ({ used, charge, status }) =>
      status === 200 && used !== null && charge !== null && used < smallShare * (large.used ?? 0),
  );
  const excess = (large.charge ?? 0) - (large.used ?? 0);
  return (
    small.length > 0 &&
    small.every(({ charge, used }) => {
      const share = Math.max(constantShare, (constantRatio * used!) / large.used!);
      return charge! - used! < share * excess;
    })
  );
};

/**
 * The charge of a repeated prompt shows how cached input is charged only if at least this share of the prompt came from
 * a cache.
 */
const cachedShare = 0.5;

/**
 * Returns whether the gateway certainly charges cached input like other input. It does if a prompt came mostly from a
 * cache, and the remaining tokens dropped by the whole usage of this request.
 */
export const areCachedCharged = (
  replies: readonly TokenReply[],
  charges: readonly MeasuredCharge[],
): boolean => {
  const again = charges.find(({ kind }) => kind === 'again');
  const usage = replies.find((reply) => reply.kind === 'again' && isAdmitted(reply))?.usage;
  if (!again?.isSteady || !again.isUnshared || again.used === null || !usage) return false;
  return (
    (usage.cached ?? 0) >= cachedShare * usage.input &&
    Math.abs(again.charge! / again.used - 1) <= exactness
  );
};

/** Determines how a gateway counts tokens from the charges of chats and streams with a large prompt. */
export const countingEvidence = (
  charges: readonly MeasuredCharge[],
  ownCount: number,
): CountingEvidence => {
  const large = charges.filter(
    ({ kind, charge, used }) =>
      (kind === 'chat' || kind === 'stream') && charge !== null && used !== null,
  );
  const ratios = large
    .map((each) => ({ each, ratio: each.charge! / each.used! }))
    // A refill hides a part of a charge whose measurement is not steady. So such a charge is used only if its visible
    // part is already clearly above the usage.
    .filter(({ each, ratio }) => each.isSteady || ratio > ownCount);
  const furthest = ratios.toSorted((a, b) => Math.abs(b.ratio - 1) - Math.abs(a.ratio - 1))[0];
  if (furthest === undefined) return { finding: 'unknown', ratio: null, isImplausible: false };
  const { ratio, each } = furthest;
  if (ratio > ownCount) {
    const isImplausible =
      each.isUnshared && ratio > plausibleRatios.most && growsWithPrompt(charges, each);
    return { finding: 'more', ratio, isImplausible };
  }
  if (ratio < 1 / ownCount) {
    return { finding: 'less', ratio, isImplausible: ratio < plausibleRatios.least };
  }
  const isExact = ratios.length === 2 && Math.abs(ratio - 1) <= exactness;
  return { finding: isExact ? 'usage' : 'near', ratio, isImplausible: false };
};
