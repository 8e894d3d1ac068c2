import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runWeirLimits } from './weir-limits.fixture.ts';
import { countersOf, openMock } from '../harness/open-mock.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { tempFolder, cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

describe('weir limits', () => {
  it('exits with 14 if two workers have separate counters', async () => {
    const words = ['--checks', 'provocation,sustained'];
    const { code, stdout } = await runWeirLimits(3000, { workers: 2 }, words);
    expect(code, stdout).toBe(14);
    expect(stdout).toMatch(/^✗ 12 requests in 3 s are NOT kept/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/over-admission: \d+ were admitted within/);
  });

  it('sends nothing without --yes, and says so', async () => {
    const mock = await openMock();
    const { code, stderr } = await weir(
      ['limits', '--target', mock.url, '--out', join(await tempFolder(), 'reports')],
      { WEIR_API_KEY: 'sk-weir-test' },
    );
    expect(code).toBe(2);
    expect(stderr).toContain('add --yes');
    expect(await countersOf(mock)).toMatchObject({ 'admitted.chat': 0, 'admitted.models': 1 });
  });

  it.each([
    [['--checks', 'everything'], /--checks: expected some of counting, even, provocation/],
    [['--class', 'leaky'], /--class: expected some of fixed-from-first/],
    [['--window', '60'], /--window: expected a length of time/],
    [['--price', 'cheap'], /--price: expected the prices/],
  ])('refuses %j and says what was expected', async (words, message) => {
    const { code, stderr } = await weir(['limits', '--target', 'mock', ...words], {});
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});
