import { Pacer, type PaceRule } from './pacer.ts';

/** For tests: a client under a pace, millisecond by millisecond, with everything that it did. */

/** A request that wants to go. */
export interface Wish {
  readonly ready: number;
  readonly reserved: number;
  /** At most `reserved`. */
  readonly used: number;
  /** From released to sent; `null` for one that finds no connection. */
  readonly delay: number | null;
  /** From sent to the end of the answer. */
  readonly lasts: number;
  readonly preferred: number;
}

/** A request as it went. */
export interface Gone {
  readonly wish: Wish;
  readonly key: number;
  readonly released: number;
  /** `null` while and if it was not sent. */
  sent: number | null;
  over: number | null;
}

/** What is asked each millisecond while somebody waits: the wish in front, and all that went before. */
type Watch = (now: number, waiting: Wish, gone: readonly Gone[]) => void;

/** No simulation comes near; a pacer that never opens does. */
const longest = 100_000;

/** Lets the wishes go in their order, each as soon as the pacer has room for it. */
export const simulatePace = (
  rule: PaceRule,
  keys: number,
  wishes: readonly Wish[],
  watch: Watch = () => undefined,
): readonly Gone[] => {
  const pacer = new Pacer(rule, keys);
  const gone: Gone[] = [];
  let coming: { readonly at: number; readonly happen: (at: number) => void }[] = [];
  const happenBy = (now: number): void => {
    const due = coming.filter(({ at }) => at <= now);
    coming = coming.filter(({ at }) => at > now);
    for (const { at, happen } of due) happen(at);
  };
  const go = (now: number, wish: Wish, key: number): void => {
    const { delay, lasts, used, reserved } = wish;
    const booking = pacer.book(now, key, reserved);
    const going: Gone = { wish, key, released: now, sent: null, over: null };
    gone.push(going);
    const send = (at: number): void => {
      going.sent = at;
      booking.sent(at);
    };
    const end = (at: number): void => {
      going.over = at;
      booking.over(at, delay === null ? 0 : used);
    };
    if (delay !== null) coming.push({ at: now + delay, happen: send });
    coming.push({ at: now + (delay ?? 0) + lasts, happen: end });
    happenBy(now);
  };
  for (let now = 0; gone.length < wishes.length || coming.length > 0; now += 1) {
    if (now > longest) throw new Error('somebody waits for ever');
    happenBy(now);
    for (let wish = wishes[gone.length]; wish !== undefined; wish = wishes[gone.length]) {
      if (wish.ready > now) break;
      const { key, at } = pacer.opening(now, wish.reserved, wish.preferred);
      if (at > now) {
        watch(now, wish, gone);
        break;
      }
      go(now, wish, key);
    }
  }
  return gone;
};
