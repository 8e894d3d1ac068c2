import { describe, expect, it } from 'vitest';
import type { Trend } from '../model/trend.ts';
import { htmlPage } from '../../../report/document/html-page.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import { baselinesDocument, historyDocument } from './history-document.ts';
import { sampleTrend } from './sample-history.fixture.ts';

const look = { colour: false, width: 100 };
const page = (trends: readonly Trend[]): string =>
  htmlPage(historyDocument('0.1.0', trends), 'p{}');

describe('the page of trends', () => {
  const text = page([sampleTrend()]);

  it('loads nothing and runs nothing', () => {
    expect(text).toContain("default-src 'none'; style-src 'sha256-");
    expect(text).not.toMatch(/<script|<img|<link|style="/i);
  });

  it('has a chart for each figure, with every run, the baseline’s ring and the change', () => {
    expect(text.match(/<svg /g)).toHaveLength(2);
    expect(text.match(/<circle class="(valid|degraded)"/g)).toHaveLength(80);
    expect(text.match(/<circle class="baseline"/g)).toHaveLength(2);
    expect(text.match(/class="change worse"/g)).toHaveLength(1);
    expect(text).toContain(
      'chat-stream TTFT p50 got worse at run 27 (2026-06-27 10:20): from 200 ms to 250 ms, +25.0 %, p ≤ 0.001.',
    );
  });

  it('says how many more runs are needed, and lists a single one', () => {
    const whole = sampleTrend();
    const [first] = whole.runs;
    const figures = whole.figures.map((figure) => ({
      ...figure,
      points: figure.points.slice(0, 1),
      changes: [],
    }));
    const few = page([{ ...whole, runs: [first!], figures }]);
    expect(few).toContain('Change detection starts at 12 runs: 11 more runs needed.');
    expect(few).not.toMatch(/NaN|Infinity|<svg/);
    expect(few).toContain('No plan has 12 runs yet: changes are detected from then on');
  });

  it('says that a share was always zero, and draws one that was once not', () => {
    const whole = sampleTrend();
    const zero = {
      ...whole.figures[1]!,
      unit: '%',
      scale: 'difference' as const,
      points: whole.runs.map(({ id }) => ({ run: id, value: 0 })),
    };
    const never = page([{ ...whole, figures: [zero] }]);
    expect(never).toContain('Never above zero: chat-stream TTFT p95.');
    expect(never).not.toContain('<svg');
    const points = zero.points.with(7, { run: 8, value: 1e-5 });
    const drawn = page([{ ...whole, figures: [{ ...zero, points }] }]);
    expect(drawn).not.toMatch(/NaN|Infinity/);
    const ticks = [...drawn.matchAll(/text-anchor="end">([^<]+)<\/text>/g)].map(([, tick]) => tick);
    expect(ticks.length).toBeGreaterThan(1);
    expect(new Set(ticks).size).toBe(ticks.length);
  });

  it('is valid without any run', () => {
    expect(page([])).toContain('The history has no runs yet');
  });
});

describe('the list of runs', () => {
  it('shows the latest runs with their figures, and the changes', () => {
    const text = terminalText(historyDocument('0.1.0', [sampleTrend()]), look);
    expect(text).toContain('20 earlier runs: shown with --json and --page.');
    expect(text).toContain('chat-stream TTFT p50 got worse at run 27');
    expect(text).not.toContain('\u001b');
  });

  it('shows baselines, or that there is none', () => {
    const { runs } = sampleTrend();
    expect(terminalText(baselinesDocument('0.1.0', runs, null), look)).toContain('  Run 20');
    expect(terminalText(baselinesDocument('0.1.0', [], null), look)).toContain(
      '`weir history baseline NAME RUN…`',
    );
  });
});
