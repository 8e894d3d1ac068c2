import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import { runWeirLimits } from './weir-limits.fixture.ts';
import { tempFolder, cleanUpAfterEach, weir } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir limits', () => {
  it('ends with 14 where two workers share no counter', async () => {
    const { code, stdout } = await runWeirLimits(1500, { workers: 2 }, ['--quick']);
    expect(code).toBe(14);
    expect(stdout).toMatch(/LIMITS VIOLATED/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('2 times the declared one');
  });

  it('spends nothing without agreement, and says how to give it', async () => {
    const mock = await startMock({}, realClock());
    try {
      const { code, stderr } = await weir(
        ['limits', '--target', mock.url, '--out', join(await tempFolder(), 'reports')],
        { WEIR_API_KEY: 'sk-weir-test' },
      );
      expect(code).toBe(2);
      expect(stderr).toContain('add --yes');
      const counters = (await (await fetch(`${mock.controlUrl}/counters`)).json()) as object;
      expect(counters).toMatchObject({ 'admitted.chat': 0, 'admitted.models': 1 });
    } finally {
      await mock.close();
    }
  });

  it.each([
    [['--checks', 'everything'], /--checks: expected some of counting, provocation/],
    [['--class', 'leaky'], /--class: expected some of fixed-from-first/],
    [['--window', '60'], /--window: expected a length of time/],
    [['--price', 'cheap'], /--price: expected the prices/],
  ])('refuses %j with a sentence', async (words, message) => {
    const { code, stderr } = await weir(['limits', '--target', 'mock', ...words], {});
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
