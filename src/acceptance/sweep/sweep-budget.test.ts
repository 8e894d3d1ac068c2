// @gate 1 s
import { describe, expect, it } from 'vitest';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFile } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const scenario = JSON.stringify({
  name: 'evening',
  traffic: [{ kind: 'chat', model: 'weir/small', prompt: { tokens: 10 }, maxTokens: 5 }],
  load: { kind: 'constant', rate: '2/s', duration: '30s' },
  limits: 'none',
  mock: {},
});

/** What a sweep says before it asks whether to begin; nobody answers. */
const budgetOf = async (...words: readonly string[]) => {
  const file = await tempFile('s.yaml', scenario);
  const { code, stdout, stderr } = await weir(['sweep', file, ...words]);
  return { code, text: `${stdout}${stderr}` };
};

describe('the budget of a sweep', () => {
  it('is the sum over its points and repetitions, by hand', async () => {
    const vary = ['--vary', 'load.rate=2/s,4/s', '--vary', 'prompt.tokens=10,40'];
    const { code, text } = await budgetOf(...vary, '--repeat', '3');
    expect(code).toBe(2);
    expect(text).toContain('Sweep: 2 × 2 = 4 points, 3 runs each, in random order (seed ');
    expect(text).toMatch(/load\.rate +2\/s, 4\/s\n/);
    expect(text).toMatch(/prompt\.tokens +10, 40\n/);
    // 3 × 2 × (60 + 120) requests; every answer has 5 tokens at most.
    expect(text).toContain('1,080 requests');
    expect(text).toContain('tokens: 27,000 in, at most 5,400 out');
    // 12 runs of 30 s; the pause between them is that of an open load without limits.
    expect(text).toMatch(/; 6 min of load/);
  });

  it('counts its pauses, one fewer than its runs', async () => {
    const { text } = await budgetOf('--vary', 'prompt.tokens=10,40', '--pause', '30s');
    expect(text).toContain('Sweep: 2 points, 1 run each, in random order');
    expect(text).toContain('120 requests');
    expect(text).toContain('90 s of load with pauses of 30 s');
  });

  it.each([
    [['--vary', 'prompt.tokens'], '--vary: expected'],
    [['--vary', 'no.such=1,2'], 'no.such'],
    [[], 'vary'],
  ])('with %j is refused', async (words, message) => {
    const { code, text } = await budgetOf(...words);
    expect(code).toBe(2);
    expect(text).toContain(message);
  });
});
