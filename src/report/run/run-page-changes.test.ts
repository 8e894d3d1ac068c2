// @gate 2 s
import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust, uncertainGap, validTrust } from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { all, chartDataIn, pageOf } from './run-page.fixture.ts';

const result = sampleRunResult();
const report = pageOf(result, validTrust);

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
    const found = sections(pageOf(bare, validTrust));
    expect(found).toContain('Can I trust it?');
    expect(found).not.toContain('What did the limits do?');
    expect(found).not.toContain('What did it cost?');
  });
});

describe('the HTML report', () => {
  it('names what failed most before all figures, and is neither good nor bad if no objective judges it', () => {
    const verdictOf = (changes: Partial<Result>): string =>
      all(
        /(<section id="verdict"[^]*?)<\/section>/g,
        pageOf({ ...result, ...changes }, validTrust),
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
      const page = pageOf({ ...result, failures: [], verdicts: [verdict] }, validTrust);
      return /<p>What now: (.*?); see/.exec(page)?.[1];
    };
    const name = 'ttft.p95{stage=peak} &lt; 800ms';
    expect(adviceOf(short)).toBe(
      `a longer run decides more: ${name} has 12 samples, and a sure p95 needs some 200`,
    );
    expect(adviceOf({ ...short, n: 400, effective: 80 })).toContain(
      'has 400 samples, which count as at most 80 independent ones, and a sure p95',
    );
    expect(adviceOf({ ...short, n: 0 })).toContain('weir plan says how many samples');
    expect(adviceOf({ ...short, statistic: 'mean' })).toContain('weir plan says how many samples');
  });

  it('draws no stage that the load did not reach', () => {
    const stopped = { ...result, scheduled: milliseconds(30_000) };
    const { stages, scheduled } = chartDataIn(pageOf(stopped, validTrust));
    expect([scheduled, stages]).toEqual([30, [{ name: 'steady', from: 0 }]]);
  });

  it('says in its tiles when the first request of all was limited, if any was', () => {
    const limited = (first: number): Result['failures'][number] => {
      const failure = result.failures.find(({ outcome }) => outcome === 'limited')!;
      return { ...failure, first: instant(first), last: instant(30_000) };
    };
    const tileOf = (failures: Result['failures']): string => {
      const page = pageOf({ ...result, failures }, validTrust);
      const [tile = ''] = all(/<dt>Rate limited<\/dt>([^]*?)<\/div>/g, page);
      return tile;
    };
    expect(tileOf([limited(21_000), limited(12_000), limited(25_000)])).toContain(
      'first of the run at 12',
    );
    expect(tileOf([])).toContain('never');
  });

  it('says next to a kind’s figures which tokens they exclude', () => {
    const tokens = [
      { source: 'events' as const, answers: 2, answersWithInput: 0, input: 0, output: 40 },
    ];
    const groups = result.groups.map((group) => ({ ...group, tokens }));
    const leftOut = 'left out of time per output token';
    expect(pageOf({ ...result, groups }, validTrust)).toContain(leftOut);
    expect(report).not.toContain(leftOut);
  });

  it('prints all measurement errors, marks those that are not small, and names those of the tiles', () => {
    const page = pageOf(result, degradedTrust);
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
    const late = pageOf(result, { ...degradedTrust, figures });
    expect(late).toMatch(/<dt>TTFT p95<\/dt>[^]*?, up to 124 too high or 6 too low<\/small>/);
    expect(late.match(/, up to \d+ too high or \d+ too low<\/small>/g)).toHaveLength(1);
  });

  it('lists the signals that decide first, and calls the others normal or high', () => {
    const [evidence = ''] = all(
      /<table class="evidence stacked">([^]*?)<\/table>/g,
      pageOf(result, degradedTrust),
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
    pageOf({ ...result, timeline, scheduled: length, ended: length }, validTrust);
    const histograms = timeline.flatMap(({ latency }) =>
      Object.values(latency).flatMap((parts) => Object.keys(parts)),
    );
    return reads / histograms.length;
  };
  const [short, long] = [readsOf(60), readsOf(120)];
  expect(long).toBeLessThanOrEqual(short * 1.1);
  expect(short).toBeLessThan(4);
});
