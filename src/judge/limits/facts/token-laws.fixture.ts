import { milliseconds } from '../../../model/quantity.ts';
import { earlyRefusals, tokensAtOnce } from './early-refusals.ts';
import { exceededSpans } from './token-envelope.ts';
import { tokenUses } from './token-uses.ts';
import {
  drawLoad,
  randomFrom,
  seenTokens,
  type TokenGateway,
  type TokenLoad,
} from './true-token-limiters.fixture.ts';
import { mayBeUsedUp } from './used-up.ts';

/** What the facts say of one run against a gateway in virtual time. */
export const factsOfRun = (
  gateway: TokenGateway,
  seed: number,
  {
    window = 60_000,
    load: given,
  }: { window?: number; load?: (random: () => number) => TokenLoad } = {},
) => {
  const random = randomFrom(seed);
  const run = { limit: 200_000, window, random };
  const load = given?.(random) ?? drawLoad(run);
  const uses = tokenUses(seenTokens(gateway, load, run), window);
  const rule = { limit: run.limit, window: milliseconds(window) };
  const refused = uses.filter(({ fate }) => fate === 'refused');
  const client = { uses, atOnce: tokensAtOnce };
  const isExplained = mayBeUsedUp(uses, rule);
  return {
    sent: uses.length,
    refused: refused.length,
    exceeded: exceededSpans(uses, rule, { extra: 1, forgottenIn: (windows) => windows }).length,
    early: earlyRefusals(refused, client, rule).length,
    unexplained: refused.filter((each) => !isExplained(each)).length,
  };
};

/** Chats of one size at a steady multiple of the limit for some minutes; every second one is a stream. */
export const steadyTokens = (minutes: number, times: number, size: number) => (): TokenLoad => {
  const gap = (60_000 * size) / times;
  const due = Array.from({ length: Math.ceil((minutes * 60_000) / gap) }, (_, i) => i * gap);
  return { due, sizes: due.map(() => size), answers: 0.001, isNamed: true };
};
