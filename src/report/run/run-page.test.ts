import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { answerNotes } from '../../model/observation/outcome.ts';
import { measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { measuresPresent } from '../../model/result/summary.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { answerNoteCounts } from './outcomes.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust, invalidTrust, validTrust } from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { whatNowPage } from '../summary/run-verdict.ts';
import { all, chartDataIn, pageOf } from './run-page.fixture.ts';

const result = sampleRunResult();
const report = pageOf(result, validTrust);

describe('the HTML report', () => {
  it('allows by hash exactly the scripts and styles that it carries', () => {
    const hash = (text: string): string =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const [policy = ''] = all(/Content-Security-Policy" content="([^"]*)"/g, report);
    const scripts = all(/<script>([^]*?)<\/script>/g, report);
    const styles = all(/<style>([^]*?)<\/style>/g, report);
    expect([scripts.length, styles.length]).toEqual([2, 2]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${scripts.map(hash).join(' ')};`);
    expect(policy).toContain(`style-src ${styles.map(hash).join(' ')};`);
  });

  it('loads nothing: no address in any attribute that fetches, no inline handler or style', () => {
    const addresses = all(/\s(?:src|srcset|href|action|data|poster)\s*=\s*"([^"]*)"/g, report);
    expect(addresses.length).toBeGreaterThan(5);
    expect(addresses.filter((to) => !to.startsWith('#'))).toEqual([]);
    expect(report).not.toMatch(/<[a-z][^>]*\s(?:on\w+|style)=/i);
    expect(report).not.toMatch(/<(?:link|img|iframe|object|embed|base)\b/i);
  });

  it('shows a hostile server’s message as text', () => {
    expect(report).not.toContain('<img src=x');
    expect(report).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e]/);
    expect(report).toContain('&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;');
  });

  it('contains no prompt, no literal header value and no credentials', () => {
    const whole = report + JSON.stringify(chartDataIn(report));
    for (const secret of ['the quick brown prompt', 'typed-in-value', 'user:pass']) {
      expect(whole).not.toContain(secret);
    }
  });

  it('says first which objectives are not kept, and where to read what to do about its load', () => {
    const verdicts = [
      sampleVerdict(),
      sampleVerdict({ text: 'ttft.p95 < 1ms', ruling: 'fail', grounds: 'broken' }),
    ];
    const verdictOf = (trust: Trust): string =>
      all(/<section id="verdict"([^]*?)<\/section>/g, pageOf({ ...result, verdicts }, trust))[0]!;
    const degraded = verdictOf(degradedTrust);
    expect(degraded).toMatch(/<\/h2><p><span class="level invalid">✗ ttft\.p95 &lt; 1ms: 684 ms/);
    expect(degraded).not.toContain('stage=peak');
    expect(degraded).toContain('<a href="#trust">');
    expect(degraded).toContain(whatNowPage);
    expect(verdictOf(validTrust)).not.toContain(whatNowPage);
    expect(report).toContain('<section id="trust"');
  });

  it('has the order in which a reader needs it', () => {
    expect(all(/<section\s+id="([^"]*)"/g, report)).toEqual([
      'verdict',
      'speed',
      'rates',
      'failures',
      'limits',
      'cost',
      'trust',
      'reference',
    ]);
    const places = ['id="verdict"', 'class="tiles"', 'id="chart-ttft"', 'Each kind of traffic'];
    const found = [...places, 'id="speed"'].map((part) => report.indexOf(part));
    expect(found).toEqual(found.toSorted((x, y) => x - y));
    expect(found).not.toContain(-1);
  });

  it('defines every measure that it shows', () => {
    const terms = all(/<dt>([^<]*)<\/dt>/g, report);
    const present = measuresPresent(result, () => true);
    expect(present.length).toBeGreaterThan(10);
    for (const name of present) expect(terms).toContain(measures[name].label);
    expect(terms).toContain('Generator lag');
  });

  it('shows the real-time factor next to milliseconds for each second of audio', () => {
    expect(report).toMatch(/66\.0<\/b> <span class="unit">0\.066×<\/span>/);
  });

  it('always shows for how many answers the cost is unknown', () => {
    const [section = ''] = all(/<section id="cost"([^]*?)<\/section>/g, report);
    expect(section).toContain('the cost of 136 of them is unknown');
    expect(section).toContain('+ 136 unknown');
  });

  it('names and explains every deviation in completed answers', () => {
    const notes = answerNoteCounts(result).map((odd) => odd.note);
    expect(new Set(notes).size).toBeGreaterThan(1);
    for (const note of notes) {
      expect(report).toContain(`<code>${note}</code>`);
      expect(report).toContain(answerNotes[note]);
    }
  });

  it('marks every kind of traffic in the style sheet’s colours', async () => {
    const style = await readFile(new URL('../html/page/page.css', import.meta.url), 'utf8');
    const colours = trafficKinds.map(
      (kind) => new RegExp(`\\.${kind}[ ,][^{}]*{\\s*--mark: (light-dark.*);`).exec(style)?.[1],
    );
    expect(colours).not.toContain(undefined);
    expect(new Set(colours).size).toBe(trafficKinds.length);
  });

  it('gives every table a caption and every header cell a scope', () => {
    const tables = all(/<table([^]*?)<\/table>/g, report);
    expect(tables.length).toBeGreaterThan(5);
    expect(tables.filter((table) => !table.includes('<caption>'))).toEqual([]);
    const headers = all(/<th\b([^>]*)>/g, report);
    expect(headers.length).toBeGreaterThan(20);
    expect(headers.filter((attributes) => !/scope="(col|row|rowgroup)"/.test(attributes))).toEqual(
      [],
    );
  });

  it('has a place in the page for every chart in its data', () => {
    const { charts, warmUp, scheduled, end, stages } = chartDataIn(report);
    expect(charts.map(({ id }) => id).toSorted()).toEqual(
      all(/data-chart="([^"]*)"/g, report).toSorted(),
    );
    expect({ warmUp, scheduled, stages }).toEqual({
      warmUp: 10,
      scheduled: 60,
      stages: [
        { name: 'steady', from: 0 },
        { name: 'peak', from: 40 },
      ],
    });
    expect(end).toBeCloseTo(result.ended / 1000, 6);
  });

  it('counts arrivals due after the warm-up in its tiles', () => {
    const tile = (label: string, page: string): string =>
      all(new RegExp(`<dt>${label}</dt>([^]*?)</div>`, 'g'), page).join();
    expect(tile('Completed', report)).toMatch(/65\.2.*913 of 1,400 arrivals after the warm-up/s);
    expect(tile('TTFT p95', report)).toMatch(
      /<b>~684<\/b>.*of the 61 % that completed<.*95 %: 351–…, n 760</s,
    );
    const figures = degradedTrust.figures.map((figure) => ({ ...figure, isSmall: false }));
    const moved = pageOf(result, { ...degradedTrust, figures });
    expect(tile('TTFT p95', moved)).toContain('n 760, up to 3 too high<');
    const groups = result.groups.map((group) =>
      group.labels.warmUp
        ? { ...group, outcomes: { ...group.outcomes, limited: 7 } }
        : { ...group, outcomes: { ...group.outcomes, limited: 0 } },
    );
    const page = pageOf({ ...result, groups }, validTrust);
    expect(tile('Rate limited', page)).toContain('<b>0</b>');
  });

  it('prints no gap figure, chart or plot of an invalid run', () => {
    const invalid = pageOf(result, invalidTrust);
    expect(invalid).toContain('withheld: it would look better than it is');
    const chartsOf = (page: string) => chartDataIn(page).charts.map(({ id }) => id);
    expect(chartsOf(report)).toContain('gap');
    expect(chartsOf(invalid)).not.toContain('gap');
    const plot = 'aria-label="Chunk gap by percentile';
    expect(report).toContain(plot);
    expect(invalid).not.toContain(plot);
  });

  it('of a run without any request is complete', () => {
    const empty: Result = {
      ...result,
      groups: [],
      timeline: [],
      failures: [],
      ledger: [],
      notes: [],
      gatewayCounters: null,
      slices: result.slices.map((slice) => ({ ...slice, generator: [] })),
    };
    const page = pageOf(empty, { level: 'valid', evidence: [], figures: [] });
    expect(page).toContain('No request was due.');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});
