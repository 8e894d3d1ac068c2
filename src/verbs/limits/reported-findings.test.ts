import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { sampleLimitReport, sampleTokenReport } from './report/sample-limit-report.fixture.ts';
import { exitOfFindings, findingsBeside, reportFindings } from './stored-findings.ts';

/** Saves findings in a folder as `weir limits` does. */
const saved = (
  requests: object | null = sampleLimitReport(),
  tokens: object | null = sampleTokenReport(),
): string => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-findings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  if (requests !== null) writeFileSync(join(folder, 'limits.json'), JSON.stringify(requests));
  if (tokens !== null) writeFileSync(join(folder, 'token-limits.json'), JSON.stringify(tokens));
  return folder;
};

describe('saved findings', () => {
  it.each<readonly [string, object | null, object | null, string]>([
    ['both limits', sampleLimitReport(), sampleTokenReport(), 'limits.html'],
    ['requests', sampleLimitReport(), null, 'limits.html'],
    ['tokens', null, sampleTokenReport(), 'token-limits.html'],
  ])('of %s are reported on again, in their folder', async (_, requests, tokens, page) => {
    const folder = saved(requests, tokens);
    const { host, printed, warned } = fakeHost();
    expect(await reportFindings(folder, undefined, host)).toBe('violated');
    expect(readdirSync(folder).filter((name) => name.endsWith('.html'))).toEqual([page]);
    expect(readFileSync(join(folder, page), 'utf8')).toContain('NOT kept');
    expect(printed).toHaveLength(1);
    expect(warned).toEqual([]);
  });

  it('are reported on in another folder', async () => {
    const folder = saved();
    const { host } = fakeHost();
    const out = join(folder, 'out');
    await reportFindings(folder, out, host);
    expect(readdirSync(out)).toEqual(['limits.html']);
    expect(readdirSync(folder)).not.toContain('limits.html');
  });

  it('of two targets are of neither', async () => {
    const folder = saved(sampleLimitReport(), { ...sampleTokenReport(), target: 'http://b/v1' });
    await expect(reportFindings(folder, undefined, fakeHost().host)).rejects.toThrow(
      'are of two targets: http://127.0.0.1:8080/v1 (limits.json) and http://b/v1 (token-limits.json). Report on each file in a folder of its own',
    );
  });

  it('that lack a number are of another version', async () => {
    const { took: _, ...report } = sampleLimitReport();
    await expect(reportFindings(saved(report), undefined, fakeHost().host)).rejects.toThrow(
      '(limits.json, token-limits.json) were written by another version of Weir or changed since: run `weir limits` again',
    );
  });

  it('have the exit of the gravest verdict', () => {
    const requests = (verdict: 'kept' | 'undecided' | 'violated') => {
      const report = sampleLimitReport();
      return { ...report, judgement: { ...report.judgement, verdict } };
    };
    const tokens = (verdict: 'kept' | 'undecided' | 'violated') => {
      const report = sampleTokenReport();
      return { ...report, findings: { ...report.findings, verdict } };
    };
    expect(exitOfFindings({ requests: requests('kept'), tokens: tokens('kept') })).toBe('pass');
    expect(exitOfFindings({ requests: requests('undecided'), tokens: null })).toBe('inconclusive');
    expect(exitOfFindings({ requests: requests('kept'), tokens: tokens('violated') })).toBe(
      'violated',
    );
    expect(exitOfFindings({ requests: requests('violated'), tokens: tokens('undecided') })).toBe(
      'violated',
    );
  });
});

describe('the findings beside an examination', () => {
  const { target } = sampleLimitReport();

  it('are those of the other limit of its target', async () => {
    const folder = saved();
    expect(await findingsBeside(folder, target, 'tokens')).toMatchObject({
      requests: null,
      tokens: { format: 'token-limits/1' },
    });
    expect(await findingsBeside(folder, target, 'requests')).toMatchObject({
      requests: { format: 'limits/1' },
      tokens: null,
    });
  });

  it('are none of another target, of none, or of what cannot be read', async () => {
    const nothing = { requests: null, tokens: null };
    expect(await findingsBeside(saved(), 'http://b/v1', 'tokens')).toEqual(nothing);
    expect(await findingsBeside(saved(null, null), target, 'tokens')).toEqual(nothing);
    const { judgement: _, ...report } = sampleLimitReport();
    expect(await findingsBeside(saved(report), target, 'requests')).toEqual(nothing);
    expect(await findingsBeside(saved({ format: 'x' }), target, 'requests')).toEqual(nothing);
  });
});
