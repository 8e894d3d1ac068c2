import { describe, expect, it, onTestFinished } from 'vitest';
import type { Rendezvous } from '../../model/rendezvous/rendezvous.ts';
import { Problem } from '../problem.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/**
 * Tests what every rendezvous promises. `openOne` opens an empty one, and returns a function that opens it again, as on
 * another machine.
 */
export const rendezvousSuite = (
  name: string,
  openOne: () => Promise<() => Promise<Rendezvous>>,
): void => {
  /** Several parties at one empty rendezvous. */
  const parties = async (count: number): Promise<readonly Rendezvous[]> => {
    const open = await openOne();
    const all: Rendezvous[] = [];
    for (let n = 0; n < count; n += 1) all.push(await open());
    onTestFinished(async () => {
      for (const each of all) await each.close();
    });
    return all;
  };

  describe(`a rendezvous: ${name}`, () => {
    it('lets exactly one of many create a record, and all read the same', async () => {
      const all = await parties(6);
      const won = await Promise.all(all.map((each, n) => each.create('run.claim.0', `claim ${n}`)));
      expect(won.filter(Boolean)).toHaveLength(1);
      const read = await Promise.all(all.map((each) => each.get('run.claim.0')));
      expect(new Set(read)).toEqual(new Set([`claim ${won.indexOf(true)}`]));
    });

    it('takes a repeated creation of the same text for its first', async () => {
      const [a, b] = await parties(2);
      expect(await a!.create('claim', 'mine')).toBe(true);
      expect(await a!.create('claim', 'mine')).toBe(true);
      expect(await b!.create('claim', 'other')).toBe(false);
      expect(await b!.get('claim')).toBe('mine');
    });

    it('replaces records as a whole, and has none that nobody wrote', async () => {
      const [writer, reader] = await parties(2);
      expect(await reader!.get('beat')).toBeNull();
      const texts = Array.from({ length: 40 }, (_, n) => `${n} `.repeat(2000));
      const seen: number[] = [];
      const written = new AbortController();
      const reading = (async () => {
        while (!written.signal.aborted) {
          const text = await reader!.get('beat');
          if (text === null) continue;
          const numbers = new Set(text.trim().split(' '));
          expect(numbers.size).toBe(1);
          expect(text).toHaveLength(texts[Number([...numbers][0])]!.length);
          seen.push(Number([...numbers][0]));
        }
      })();
      for (const text of texts) await writer!.put('beat', text);
      written.abort();
      await reading;
      // A record never goes back to an older one.
      expect(seen).toEqual(seen.toSorted((a, b) => a - b));
      expect(await reader!.get('beat')).toBe(texts.at(-1));
    });

    it('keeps contents of any size with their digests', async () => {
      const [a, b] = await parties(2);
      for (const content of [bytesOf(''), new Uint8Array(3_000_000).fill(7), bytesOf('✓ é')]) {
        const digest = await a!.store('run.result.1', content);
        expect(digest).toMatch(/^[\da-f]{64}$/);
        expect(Buffer.from(await b!.load('run.result.1', digest)).equals(content)).toBe(true);
      }
    });

    it('refuses a content that is missing, or not the one that is meant', async () => {
      const [a, b] = await parties(2);
      const digest = await a!.store('plan', bytesOf('one'));
      await a!.store('plan', bytesOf('two'));
      await expect(b!.load('plan', digest)).rejects.toThrow(
        /plan in the rendezvous .* was changed/,
      );
      await expect(b!.load('other', digest)).rejects.toThrow(Problem);
    });

    it('gives the time of the one clock that answers, from between question and answer', async () => {
      const [coordinator, worker] = await parties(2);
      const stop = await coordinator!.answerTime(() => performance.now() + 1e6);
      for (let n = 0; n < 5; n += 1) {
        const asked = performance.now();
        const time = (await worker!.askTime())! - 1e6;
        const answered = performance.now();
        expect(time).toBeGreaterThanOrEqual(asked - 0.1);
        expect(time).toBeLessThanOrEqual(answered + 0.1);
      }
      await stop();
    });

    it('is empty once it is cleared, and can be used again', async () => {
      const [a, b] = await parties(2);
      const digest = await a!.store('plan', bytesOf('one'));
      await a!.create('claim', 'mine');
      await a!.put('beat', '1');
      await b!.clear();
      expect(await a!.get('claim')).toBeNull();
      expect(await a!.get('beat')).toBeNull();
      await expect(a!.load('plan', digest)).rejects.toThrow('is not in the rendezvous');
      expect(await a!.create('claim', 'again')).toBe(true);
      expect(await b!.get('claim')).toBe('again');
    });
  });
};

/** Tests what every rendezvous promises if its clock no longer answers. It waits some seconds for an answer. */
export const silentClockTest = (
  name: string,
  openOne: () => Promise<() => Promise<Rendezvous>>,
): void => {
  it(`a rendezvous gives no time once its clock has stopped: ${name}`, async () => {
    const rendezvous = await (await openOne())();
    onTestFinished(() => rendezvous.close());
    const stop = await rendezvous.answerTime(() => 1);
    expect(await rendezvous.askTime()).toBe(1);
    await stop();
    expect(await rendezvous.askTime()).toBeNull();
  }, 20_000);
};
