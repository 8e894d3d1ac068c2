// @long 120 s
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type MockLimiterClass, mockLimiterClasses } from '../../model/gateway/mock-limits.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { type WeirLimitsRun, runWeirLimits } from './weir-limits.fixture.ts';
import { cleanUpAfterEach } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();
vi.setConfig({ hookTimeout: 240_000 });

const window = 4000;

const other: Partial<Record<MockLimiterClass, SettingsInput['limits']>> = {
  'in-flight': { inFlight: 4 },
  'burst-bucket': { burstShare: 0.4 },
  'stepped-bucket': { steps: 3 },
};

/** Examinations mostly wait, so all run at once. */
let named: Readonly<Record<string, WeirLimitsRun>>;
let whole: WeirLimitsRun;
beforeAll(async () => {
  const examined = mockLimiterClasses.map(async (kind) => {
    const limits = { algorithm: kind, ...other[kind] };
    const words = ['--checks', 'counting,provocation,sustained'];
    return [kind, await runWeirLimits(window, limits, words)] as const;
  });
  const all = runWeirLimits(window, {}, ['--second-key', 'SECOND']);
  named = Object.fromEntries(await Promise.all(examined));
  whole = await all;
});

describe('weir limits on real sockets', () => {
  it.each(mockLimiterClasses)('names a %s', (kind) => {
    const { code, report, stdout, stderr } = named[kind]!;
    expect(report.judgement?.identification.best?.limiter, stdout + stderr).toBe(kind);
    // A cap on requests in flight keeps no rate.
    expect(code, stdout + stderr).toBe(kind === 'in-flight' ? 14 : 0);
  });

  it('finds the reference gateway compliant in every check, and writes three reports', async () => {
    const { code, report, stdout, stderr, files } = whole;
    expect(code, stdout + stderr).toBe(0);
    const refuted = report.judgement.checks.filter(({ finding }) => finding === 'refuted');
    expect(refuted.map(({ id }) => id)).toStrictEqual(['most-admitted']);
    const proved = report.judgement.checks.filter(({ finding }) => finding === 'proved');
    expect(proved.map(({ id }) => id)).toEqual(
      expect.arrayContaining(['key-isolation', 'headers-present', 'remaining-serial', 'even-pace']),
    );
    expect(stderr).toContain('Budget: about');
    expect(stdout).toMatch(/^. 12 requests in 4 s are kept/);
    expect(stdout).toMatch(/^ {2}Sustained rate: /m);
    expect(JSON.stringify(report)).not.toContain('sk-weir-test');
    const page = files['limits.html']!;
    expect(page).toContain('fixed-from-first');
    expect(page).not.toContain('sk-weir-test');
    expect(files['limits.junit.xml']).toContain('failures="0"');
  });
});
