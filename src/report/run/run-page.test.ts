import { answerNotes } from '../../model/observation/outcome.ts';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { measures } from '../../model/measures/measures.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { measuresPresent } from '../../model/result/summary.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { answerNoteCounts } from './outcomes.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import {
  degradedTrust,
  invalidTrust,
  uncertainGap,
  validTrust,
} from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { whatNowPage } from '../summary/run-verdict.ts';
import type { PageData } from '../html/charts/chart.ts';
import { runPage } from './run-page.ts';

const assets = {
  chartScript: 'const uPlot = 1;\r\n',
  chartStyle: '.uplot { color: red }',
  themeScript: '',
  pageScript: 'const page = uPlot;',
  pageStyle: 'body { margin: 0 }',
};
const result = sampleRunResult();
const report = runPage(result, validTrust, assets);
const all = (pattern: RegExp, text = report): readonly string[] =>
  [...text.matchAll(pattern)].map(([, part = '']) => part);
const dataIn = (page: string): PageData => {
  const [text = ''] = all(/type="application\/octet-stream">([^<]*)</g, page);
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()) as PageData;
};

describe('the page of a run about which some things are not known', () => {
  const sections = (page: string): readonly string[] => all(/<h2[^>]*>([^<]*)<\/h2>/g, page);

  it('has no section on limits and costs if there are none', () => {
    expect(sections(report)).toEqual(
      expect.arrayContaining(['What did the limits do?', 'What did it cost?']),
    );
    const limits = { ...result.plan.limits, requestsPerMinute: null, tokensPerMinute: null };
    const bare: Result = {
      ...result,
      plan: { ...result.plan, limits },
      ledger: result.ledger.map((each) => ({ ...each, rows: [], left: 0 })),
      groups: result.groups.filter(({ labels }) => labels.traffic === 'models'),
    };
    const found = sections(runPage(bare, validTrust, assets));
    expect(found).toContain('Can I trust it?');
    expect(found).not.toContain('What did the limits do?');
    expect(found).not.toContain('What did it cost?');
  });
});

describe('the HTML report', () => {
  it('allows by hash exactly the scripts and styles that it carries', () => {
    const hash = (text: string): string =>
      `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const [policy = ''] = all(/Content-Security-Policy" content="([^"]*)"/g);
    const scripts = all(/<script>([^]*?)<\/script>/g);
    const styles = all(/<style>([^]*?)<\/style>/g);
    expect([scripts.length, styles.length]).toEqual([2, 2]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain(`script-src ${scripts.map(hash).join(' ')};`);
    expect(policy).toContain(`style-src ${styles.map(hash).join(' ')};`);
  });

  it('loads nothing: no address in any attribute that fetches, no inline handler or style', () => {
    const addresses = all(/\s(?:src|srcset|href|action|data|poster)\s*=\s*"([^"]*)"/g);
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
    const whole = report + JSON.stringify(dataIn(report));
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
      all(
        /<section id="verdict"([^]*?)<\/section>/g,
        runPage({ ...result, verdicts }, trust, assets),
      )[0]!;
    const degraded = verdictOf(degradedTrust);
    expect(degraded).toMatch(/<\/h2><p><span class="level invalid">✗ ttft\.p95 &lt; 1ms: 684 ms/);
    expect(degraded).not.toContain('stage=peak');
    expect(degraded).toContain('<a href="#trust">');
    expect(degraded).toContain(whatNowPage);
    expect(verdictOf(validTrust)).not.toContain(whatNowPage);
    expect(report).toContain('<section id="trust"');
  });

  it('names what failed most before all figures, and is neither good nor bad if no objective judges it', () => {
    const verdictOf = (changes: Partial<Result>): string =>
      all(
        /(<section id="verdict"[^]*?)<\/section>/g,
        runPage({ ...result, ...changes }, validTrust, assets),
      )[0]!;
    const unjudged = verdictOf({ verdicts: [] });
    expect(unjudged).toContain('class="verdict "');
    expect(unjudged).toMatch(
      /<\/h2><p>\d+ of [\d,]+ requests failed, \d+ of them alike: chat-stream limited, 429/,
    );
    const failure = result.failures[0]!;
    const timeout = { outcome: 'broken', cause: 'timeout', status: null, code: null } as const;
    const spread = [
      { ...failure, traffic: 'chat', count: 40 },
      { ...failure, ...timeout, traffic: 'chat', count: 30 },
      { ...failure, ...timeout, traffic: 'chat-stream', count: 31 },
    ] as const;
    expect(verdictOf({ verdicts: [], failures: [...spread] })).toMatch(
      /101 of [\d,]+ requests failed, 61 of them alike: broken, /,
    );
    const kept = verdictOf({ verdicts: [sampleVerdict()] });
    expect(kept).toContain('class="verdict valid"');
    expect(kept).not.toContain('requests failed');
    expect(verdictOf({ verdicts: [], failures: [] })).toContain('class="verdict valid"');
  });

  it('says how many samples a percentile needs to be sure, not only the least that its objective asks for', () => {
    const short = sampleVerdict({ ruling: 'fail', grounds: 'no-data', n: 12, minSamples: 24 });
    const adviceOf = (verdict: typeof short): string | undefined => {
      const page = runPage({ ...result, failures: [], verdicts: [verdict] }, validTrust, assets);
      return /<p>What now: (.*?); see/.exec(page)?.[1];
    };
    const name = 'ttft.p95{stage=peak} &lt; 800ms';
    expect(adviceOf(short)).toBe(
      `a longer run decides more: ${name} has 12 samples, and a sure p95 needs some 200`,
    );
    expect(adviceOf({ ...short, n: 400, effective: 80 })).toContain(
      'has 400 samples, which tell no more than 80 independent ones, and a sure p95',
    );
    expect(adviceOf({ ...short, n: 0 })).toContain('weir plan says how many samples');
    expect(adviceOf({ ...short, statistic: 'mean' })).toContain('weir plan says how many samples');
  });

  it('has the order in which a reader needs it', () => {
    expect(all(/<section\s+id="([^"]*)"/g)).toEqual([
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
    const terms = all(/<dt>([^<]*)<\/dt>/g);
    const present = measuresPresent(result, () => true);
    expect(present.length).toBeGreaterThan(10);
    for (const name of present) expect(terms).toContain(measures[name].label);
    expect(terms).toContain('Generator lag');
  });

  it('shows the real-time factor next to milliseconds for each second of audio', () => {
    expect(report).toMatch(/66\.0<\/b> <span class="unit">0\.066×<\/span>/);
  });

  it('always shows for how many answers the cost is unknown', () => {
    const [section = ''] = all(/<section id="cost"([^]*?)<\/section>/g);
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
    const tables = all(/<table([^]*?)<\/table>/g);
    expect(tables.length).toBeGreaterThan(5);
    expect(tables.filter((table) => !table.includes('<caption>'))).toEqual([]);
    const headers = all(/<th\b([^>]*)>/g);
    expect(headers.length).toBeGreaterThan(20);
    expect(headers.filter((attributes) => !/scope="(col|row|rowgroup)"/.test(attributes))).toEqual(
      [],
    );
  });

  it('has a place in the page for every chart in its data', () => {
    const { charts, warmUp, scheduled, end, stages } = dataIn(report);
    expect(charts.map(({ id }) => id).toSorted()).toEqual(all(/data-chart="([^"]*)"/g).toSorted());
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

  it('draws no stage that the load did not reach', () => {
    const stopped = { ...result, scheduled: milliseconds(30_000) };
    const { stages, scheduled } = dataIn(runPage(stopped, validTrust, assets));
    expect([scheduled, stages]).toEqual([30, [{ name: 'steady', from: 0 }]]);
  });

  it('says in its tiles when the first request of all was limited, if any was', () => {
    const limited = (first: number): Result['failures'][number] => {
      const failure = result.failures.find(({ outcome }) => outcome === 'limited')!;
      return { ...failure, first: instant(first), last: instant(30_000) };
    };
    const tileOf = (failures: Result['failures']): string => {
      const page = runPage({ ...result, failures }, validTrust, assets);
      const [tile = ''] = all(/<dt>Rate limited<\/dt>([^]*?)<\/div>/g, page);
      return tile;
    };
    expect(tileOf([limited(21_000), limited(12_000), limited(25_000)])).toContain(
      'first of the run at 12',
    );
    expect(tileOf([])).toContain('never');
  });

  it('counts arrivals due after the warm-up in its tiles', () => {
    const tile = (label: string, page: string): string =>
      all(new RegExp(`<dt>${label}</dt>([^]*?)</div>`, 'g'), page).join();
    expect(tile('Completed', report)).toMatch(/65\.2.*913 of 1,400 arrivals after the warm-up/s);
    expect(tile('TTFT p95', report)).toMatch(
      /<b>~684<\/b>.*of the 61 % that completed<.*95 %: 351–…, n 760</s,
    );
    const figures = degradedTrust.figures.map((figure) => ({ ...figure, isSmall: false }));
    const moved = runPage(result, { ...degradedTrust, figures }, assets);
    expect(tile('TTFT p95', moved)).toContain('n 760, up to 3 too high<');
    const groups = result.groups.map((group) =>
      group.labels.warmUp
        ? { ...group, outcomes: { ...group.outcomes, limited: 7 } }
        : { ...group, outcomes: { ...group.outcomes, limited: 0 } },
    );
    const page = runPage({ ...result, groups }, validTrust, assets);
    expect(tile('Rate limited', page)).toContain('<b>0</b>');
  });

  it('says next to a kind’s figures which tokens they exclude', () => {
    const tokens = [
      { source: 'events' as const, answers: 2, answersWithInput: 0, input: 0, output: 40 },
    ];
    const groups = result.groups.map((group) => ({ ...group, tokens }));
    const leftOut = 'left out of time per output token';
    expect(runPage({ ...result, groups }, validTrust, assets)).toContain(leftOut);
    expect(report).not.toContain(leftOut);
  });

  it('prints no gap figure, chart or plot of an invalid run', () => {
    const invalid = runPage(result, invalidTrust, assets);
    expect(invalid).toContain('withheld: it would look better than it is');
    const chartsOf = (page: string) => dataIn(page).charts.map(({ id }) => id);
    expect(chartsOf(report)).toContain('gap');
    expect(chartsOf(invalid)).not.toContain('gap');
    const plot = 'aria-label="Chunk gap by percentile';
    expect(report).toContain(plot);
    expect(invalid).not.toContain(plot);
  });

  it('prints all measurement errors, marks those that are not small, and names those of the tiles', () => {
    const page = runPage(result, degradedTrust, assets);
    expect(page).toContain('<b>188*</b> <small><span>[160–259]</span> <span>−1</span></small>');
    const uncertain = '<span class="level degraded">−1.4 +2.8</span>';
    expect(page).toContain(`<small><span>[21.0–255]</span> <span>${uncertain}</span></small>`);
    expect(page).not.toContain(', error ');
    const uncertainStart = {
      ...uncertainGap,
      measure: 'ttft',
      value: 684,
      low: 560,
      high: 690,
    } as const;
    const figures = [uncertainStart, ...degradedTrust.figures];
    const late = runPage(result, { ...degradedTrust, figures }, assets);
    expect(late).toMatch(/<dt>TTFT p95<\/dt>[^]*?, up to 124 too high or 6 too low<\/small>/);
    expect(late.match(/, up to \d+ too high or \d+ too low<\/small>/g)).toHaveLength(1);
  });

  it('lists the signals that decide first, and calls the others normal or high', () => {
    const [evidence = ''] = all(
      /<table class="evidence stacked">([^]*?)<\/table>/g,
      runPage(result, degradedTrust, assets),
    );
    const rows = all(/<th scope="row">([^]*?)<\/td>/g, evidence).map((row) =>
      row.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' '),
    );
    expect(rows).toEqual([
      'measurement error ! degraded ',
      'event loop ! high ',
      'CPU wait ! high ',
      'garbage collection ! high ',
    ]);
    expect(report).toMatch(/measurement error<\/th><td class="valid">/);
    expect(report).toMatch(/event loop<\/th><td class="valid">.*<\/span> normal</);
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
    const page = runPage(empty, { level: 'valid', evidence: [], figures: [] }, assets);
    expect(page).toContain('No request was due.');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });
});

it('a page decodes each second of the timeline as often, however long the run', () => {
  const readsOf = (seconds: number): number => {
    let reads = 0;
    const counted = <Part extends { readonly hdr: string }>(part: Part): Part =>
      Object.defineProperty({ ...part }, 'hdr', {
        enumerable: true,
        get: () => {
          reads += 1;
          return part.hdr;
        },
      });
    const timeline = Array.from({ length: seconds }, (_, second) => {
      const { latency, ...each } = result.timeline[second % 60]!;
      const countedLatency = Object.fromEntries(
        Object.entries(latency).map(([kind, parts]) => [
          kind,
          Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, counted(part)])),
        ]),
      );
      return { ...each, second, latency: countedLatency };
    });
    const length = milliseconds(seconds * 1000);
    runPage({ ...result, timeline, scheduled: length, ended: length }, validTrust, assets);
    const histograms = timeline.flatMap(({ latency }) =>
      Object.values(latency).flatMap((parts) => Object.keys(parts)),
    );
    return reads / histograms.length;
  };
  const [short, long] = [readsOf(60), readsOf(120)];
  expect(long).toBeLessThanOrEqual(short * 1.1);
  expect(short).toBeLessThan(4);
});
