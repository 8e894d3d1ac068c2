import { describe, expect, it } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { askForFirstToken, askForModel, askForTarget } from './questions.ts';

/** A user who answers so; what was asked and said is kept. */
const userWith = (...answers: readonly string[]) => {
  const { host, said } = fakeHost();
  const asked: string[] = [];
  const ask = (question: string): Promise<string> =>
    Promise.resolve(answers[asked.push(question) - 1]!);
  return { host, said, asked, ask };
};

describe('a question of weir init', () => {
  it('takes an answer without the spaces around it, and nothing for the usual one', async () => {
    const { host, ask, asked, said } = userWith(' https://h/v1 \n');
    expect(await askForTarget(host, ask)).toBe('https://h/v1');
    expect([asked.length, said]).toEqual([1, []]);
    const other = userWith('');
    expect(await askForFirstToken(other.host, other.ask)).toBe('2s');
    expect(other.asked[0]).toContain('[2s] ');
  });

  it.each(['mock', 'container', 'http://127.0.0.1:1'])('knows %s as a target', async (target) => {
    const { host, ask } = userWith(target);
    expect(await askForTarget(host, ask)).toBe(target);
  });

  it('is asked once more after a sentence, and then gives up', async () => {
    const { host, ask, asked, said } = userWith('', 'h/v1');
    await expect(askForTarget(host, ask)).rejects.toThrow('or mock, got h/v1');
    expect(said).toEqual([
      'expected the base address of a gateway (https://host/v1) or mock, got nothing',
    ]);
    expect(asked).toHaveLength(2);
    const slow = userWith('soon', '800ms');
    expect(await askForFirstToken(slow.host, slow.ask)).toBe('800ms');
    expect(slow.said[0]).toMatch(/^expected .*; got soon$/);
    const none = userWith('0s', '0s');
    await expect(askForFirstToken(none.host, none.ask)).rejects.toThrow('; got 0s');
  });

  it('shows twenty models, and counts the others', async () => {
    const models = Array.from({ length: 22 }, (_, n) => `m${n}`);
    const { host, ask, said, asked } = userWith('m21');
    expect(await askForModel(host, ask, models, 'm3')).toBe('m21');
    expect(said).toEqual([`Models: ${models.slice(0, 20).join(', ')} and 2 more`]);
    expect(asked).toEqual(['Which one? [m3] ']);
    const few = userWith('odd', '');
    expect(await askForModel(few.host, few.ask, models.slice(0, 20), 'm3')).toBe('m3');
    expect(few.said[0]).toMatch(/, m19$/);
    expect(few.said[1]).toMatch(/^the target lists no model odd: expected one of m0, m1, /);
  });
});
