import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { LimitReport } from '../model/limit-report.ts';
import { type LimiterKind, limiterKinds } from '../model/mock-limits.ts';
import { milliseconds } from '../model/quantity.ts';
import { realClock } from '../mock/real-clock.ts';
import { startMock } from '../mock/start.ts';
import type { SettingsInput } from '../mock/settings.ts';
import { tempFolder, tidyAfterEach, weir } from './weir-process.ts';

tidyAfterEach();
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const window = milliseconds(4000);
const limit = 12;

interface Examined {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly report: LimitReport;
  readonly folder: string;
}

/** Examines a reference gateway on real sockets with the real program. */
const examine = async (
  limits: SettingsInput['limits'],
  words: readonly string[],
): Promise<Examined> => {
  const mock = await startMock(
    {
      ttft: milliseconds(limits?.algorithm === 'in-flight' ? 150 : 5),
      gap: milliseconds(1),
      limits: { requestsPerMinute: limit, window, ...limits },
    },
    realClock(),
  );
  const folder = await tempFolder();
  try {
    const { code, stdout, stderr } = await weir(
      [
        ...['limits', '--target', mock.url, '--window', `${window}ms`, '--yes', '--out', folder],
        ...['--set', `limits.requestsPerMinute=${limit}`, ...words],
      ],
      { WEIR_API_KEY: 'sk-weir-test', SECOND: 'sk-weir-test-2' },
    );
    const text = await readFile(join(folder, 'limits.json'), 'utf8').catch(() => '{}');
    return { code, stdout, stderr, folder, report: JSON.parse(text) as LimitReport };
  } finally {
    await mock.close();
  }
};

const other: Partial<Record<LimiterKind, SettingsInput['limits']>> = {
  'in-flight': { inFlight: 4 },
  'burst-bucket': { burstShare: 0.4 },
  'stepped-bucket': { steps: 3 },
};

describe('weir limits on real sockets', () => {
  // Two at a time: that many processors, and each waits most of its time.
  const pairs = limiterKinds.flatMap((kind, i) =>
    i % 2 === 0 ? [[kind, limiterKinds[i + 1]!] as const] : [],
  );
  it.each(pairs)('names a %s and a %s', async (...kinds) => {
    const examined = await Promise.all(
      kinds.map((kind) =>
        examine({ algorithm: kind, ...other[kind] }, ['--checks', 'counting,provocation']),
      ),
    );
    expect(
      examined.map(({ code, report }) => [report.judgement.declared.best?.limiter, code]),
      examined.map(({ stdout, stderr }) => stdout + stderr).join('\n'),
    ).toStrictEqual(kinds.map((kind) => [kind, 0]));
  });

  it('finds the whole of the specification’s gateway compliant, and leaves three reports', async () => {
    const { code, report, stdout, stderr, folder } = await examine({}, ['--second-key', 'SECOND']);
    expect(code, stdout + stderr).toBe(0);
    const refuted = report.judgement.checks.filter(({ finding }) => finding === 'refuted');
    expect(refuted.map(({ id }) => id)).toStrictEqual(['most-admitted']);
    const proved = report.judgement.checks.filter(({ finding }) => finding === 'proved');
    expect(proved.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'limit-kept',
        'key-isolation',
        'headers-present',
        'remaining-serial',
      ]),
    );
    expect(stderr).toContain('Budget: about');
    expect(stdout).toMatch(/^No limit violated: of \d+ claims/);
    expect(JSON.stringify(report)).not.toContain('sk-weir-test');
    const page = await readFile(join(folder, 'limits.html'), 'utf8');
    expect(page).toContain('fixed-from-first');
    expect(page).not.toContain('sk-weir-test');
    expect(await readFile(join(folder, 'limits.junit.xml'), 'utf8')).toContain('failures="0"');
  });

  it('ends with 14 where two workers share no counter', async () => {
    const { code, stdout } = await examine({ workers: 2 }, ['--quick']);
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
      expect(counters).not.toHaveProperty('admitted.chat');
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
