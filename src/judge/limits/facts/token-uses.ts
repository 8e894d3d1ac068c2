import type { LedgerEntry } from '../../../model/observation/ledger.ts';

/** The properties of a request by which a limit of tokens is judged. Instants are in ms. */
export type TokenRequest = Pick<
  LedgerEntry,
  'sent' | 'answered' | 'ended' | 'status' | 'unit' | 'tokens' | 'input' | 'cached'
> &
  Pick<LedgerEntry, 'characters' | 'maxTokens'> & { readonly isChat: boolean };

/** A request from the point of view of a limit. The limit charges the request at any time from `sent` to `settled`. */
export interface LimitUse {
  readonly sent: number;
  readonly answered: number;
  readonly settled: number;
  readonly fate: 'admitted' | 'refused' | 'other';
  readonly names: LedgerEntry['unit'];
  /** The limit has certainly charged at least this much by `settled`, whatever its method of charging. */
  readonly least: number;
  /** The maximum final charge for the request; infinite if unknown. */
  readonly most: number;
  /** The maximum reservation for the request until it is settled; infinite if unknown. */
  readonly reserved: number;
}

export const certainCharge = ({ sent, settled, least }: LimitUse) => ({
  from: sent,
  until: settled,
  least,
  most: least,
});

/**
 * Returns the longest time from an answer to the charge of its usage, in ms: 1/60 of the window, but at most a second.
 */
export const settleTime = (window: number): number => Math.min(1000, window / 60);

/**
 * If a gateway counts tokens itself and never corrects its count, the count is at most this many times the reported
 * usage.
 */
export const ownCountRatio = 1.07;
/**
 * If a gateway reserves tokens for a prompt and corrects the number later, it reserves at most this many times the
 * prompt's tokens, or the prompt's characters divided by `fewestCharactersPerToken`, whichever is more.
 */
const reservedRatio = 1.5;
const fewestCharactersPerToken = 2.5;

const sizeClassOf = (characters: number): number => Math.floor(Math.log2(Math.max(1, characters)));

/**
 * Returns a function that estimates how many tokens a prompt with a given number of characters has at most. The
 * function returns infinity if no request reports the tokens of its prompt.
 */
const promptEstimator = (requests: readonly TokenRequest[]) => {
  const density = new Map<number, number>();
  for (const { input, characters } of requests) {
    if (input === null || characters === null || characters === 0) continue;
    const sizeClass = sizeClassOf(characters);
    density.set(sizeClass, Math.max(density.get(sizeClass) ?? 0, input / characters));
  }
  const densest = density.size === 0 ? Infinity : Math.max(...density.values());
  return (characters: number): number => {
    if (characters === 0) return 0;
    const own = sizeClassOf(characters);
    const near = [own - 1, own, own + 1].flatMap((each) => density.get(each) ?? []);
    return characters * (near.length === 0 ? densest : Math.max(...near));
  };
};

const fateOf = ({ status }: TokenRequest): LimitUse['fate'] => {
  if (status === 429) return 'refused';
  return status >= 200 && status < 300 ? 'admitted' : 'other';
};

/**
 * Returns the amounts that a limit of tokens can have charged for each request of a key. A gateway may also charge a
 * refused or failed chat. A request that is not a chat is never charged. Example: a chat has a prompt of 100 tokens, of
 * which 90 are cached, and an answer of 5 tokens. A second after the end of the chat, 15 tokens are certainly charged.
 */
export const tokenUses = (
  requests: readonly TokenRequest[],
  window: number,
): readonly LimitUse[] => {
  const estimate = promptEstimator(requests);
  return requests.map((request): LimitUse => {
    const { sent, answered, ended, status, tokens, input, cached, characters } = request;
    const fate = fateOf(request);
    const settled = Math.max(answered, ended) + settleTime(window);
    const times = { sent, answered, settled, fate, names: request.unit };
    if (!request.isChat || status === 401) return { ...times, least: 0, most: 0, reserved: 0 };
    const prompt = input ?? (characters === null ? Infinity : estimate(characters));
    const answer = request.maxTokens ?? Infinity;
    const reserved =
      Math.max(reservedRatio * prompt, (characters ?? 0) / fewestCharactersPerToken) + answer;
    const used = fate === 'admitted' ? (tokens ?? Infinity) : prompt;
    return {
      ...times,
      least: fate === 'admitted' ? Math.max(0, (tokens ?? 0) - (cached ?? 0)) : 0,
      // Some gateways never correct a reservation of `max_tokens`.
      most: ownCountRatio * Math.max(used, prompt + (request.maxTokens ?? 0)),
      reserved,
    };
  });
};
