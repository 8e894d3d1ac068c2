import { describe, expect, it } from 'vitest';
import { checkUsage, mostTokensOf, type ReceivedFacts, type AuditName } from './usage-audit.ts';

/** An honest answer: 100 tokens of 400 bytes, which ended at its limit. */
const honest = { input: 50, before: 50, most: mostTokensOf(400), output: 100 };

const differing = (
  tokens: Partial<typeof honest & { reasoning: number; audioOutput: number }>,
  received: Partial<ReceivedFacts> = {},
): readonly AuditName[] => {
  const found: AuditName[] = [];
  checkUsage(
    { ...honest, ...tokens },
    { limit: 100, finish: 'length', events: 98, ...received },
    (check, _reported, _bound, differs) => {
      if (differs) found.push(check);
    },
  );
  return found;
};

describe('the audit of an answer', () => {
  it('finds nothing in an honest one', () => {
    expect(differing({})).toEqual([]);
    expect(differing({ output: 3, most: mostTokensOf(0), before: 50 }, { events: 0 })).toEqual([]);
  });

  it('finds nothing where an echo and a signature came as events besides the tokens', () => {
    expect(differing({ output: 98 }, { events: 100 })).toEqual([]);
    expect(differing({ output: 97 }, { events: 100 })).toEqual(['events']);
  });

  it.each([
    ['of a factor of 1.04 at its limit', differing({ output: 104 }), ['limit']],
    ['of hidden reasoning', differing({ output: 417 }, { limit: null }), ['text']],
    ['of a stream that is counted twice in its prompt', differing({ input: 100 }), ['prompt']],
    ['of too few tokens', differing({ output: 49 }), ['events']],
    [
      'that is declared as reasoning and not shown, which may be',
      differing({ output: 600, reasoning: 500 }, { limit: null }),
      ['reasoning'],
    ],
  ])('finds a count %s', (_, found, checks) => {
    expect(found).toEqual(checks);
  });

  it('decides nothing of sound and calls, nor of a server that writes more than was asked for', () => {
    expect(differing({ output: 900, audioOutput: 800 })).toEqual([]);
    const { most: _, ...unknown } = honest;
    const found: AuditName[] = [];
    checkUsage(
      { ...unknown, output: 9000 },
      { limit: 10, finish: 'length', events: 1 },
      (check) => {
        found.push(check);
      },
    );
    expect(found).toEqual(['prompt']);
    expect(differing({ output: 300 }, { limit: 200, finish: 'stop' })).toEqual([]);
  });
});
