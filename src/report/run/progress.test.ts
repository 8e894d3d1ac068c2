import { describe, expect, it } from 'vitest';
import { emptyHistogram, type Histogram } from '../../model/measures/histogram.ts';
import { milliseconds } from '../../model/quantity.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { progressBlock, progressLine, type RunProgress, stageLine } from './progress.ts';
import { displayWidth } from '../text/display-width.ts';

const samples = (count: number, of: (i: number) => number): Histogram => {
  const histogram = emptyHistogram(2);
  for (let i = 0; i < count; i += 1) histogram.record(of(i));
  return histogram;
};

const begun: RunProgress = {
  name: 'quickstart',
  elapsed: 250,
  scheduled: milliseconds(25_000),
  stage: null,
  due: 1,
  inFlight: 1,
  outcomes: emptyOutcomeCounts(),
  latencies: new Map(),
};
const midway: RunProgress = {
  ...begun,
  elapsed: 12_740,
  due: 1038,
  inFlight: 4,
  outcomes: { ...emptyOutcomeCounts(), completed: 1021, limited: 11, broken: 2 },
  latencies: new Map([
    ['models', samples(7, (i) => 2 + i / 10)],
    ['chat-stream', samples(1000, (i) => 140 + i / 10)],
    ['chat', samples(14, () => 1402)],
    ['transcription', samples(30, (i) => 900 + i)],
    ['speech', samples(250, (i) => 80 + i / 10)],
  ]),
};

describe('progress on a terminal', () => {
  it('begins with the time, without figures that have no samples yet', () => {
    expect(progressBlock(begun, 100)).toMatchInlineSnapshot(`
      "quickstart  ────────────────────────  0 s of 25 s
      1 due · 1 in flight · 0 completed"
    `);
  });

  it('has latencies of each kind of traffic apart, and the failures that occurred by name', () => {
    expect(progressBlock(midway, 100)).toMatchInlineSnapshot(`
      "quickstart  ━━━━━━━━━━━━────────────  12 s of 25 s
      1,038 due · 4 in flight · 1,021 completed (80.1/s) · 11 limited (429) · 2 broken
      chat           End to end   p50 ~1,402 ms, p95 ~1,402 ms
      chat-stream    TTFT         p50 190 ms, p95 236 ms
      speech         First audio  p50 92.7 ms, p95 104 ms
      transcription  End to end   p50 918 ms, p95 ~929 ms
      models         End to end   p50 ~2.30 ms, p95 ~2.60 ms"
    `);
  });

  it('shows the stage of a load with several stages on a separate line', () => {
    const staged = { ...begun, stage: { name: 'peak\u001b', number: 2, of: 3 } };
    expect(progressBlock(staged, 100)).toMatchInlineSnapshot(`
      "quickstart  ────────────────────────  0 s of 25 s
      stage 2 of 3 (peak␛)
      1 due · 1 in flight · 0 completed"
    `);
    expect(progressLine(staged)).toMatchInlineSnapshot(
      `"0 s of 25 s, stage 2 of 3 (peak␛): 1 due · 1 in flight · 0 completed"`,
    );
  });

  it('says what it waits for when the load has ended', () => {
    const after = { ...midway, elapsed: 26_100 };
    expect(progressBlock(after, 100).split('\n')[0]).toMatchInlineSnapshot(
      `"quickstart  ━━━━━━━━━━━━━━━━━━━━━━━━  26 s, load ended, waiting for the last 4 answers"`,
    );
    expect(
      progressBlock({ ...after, due: 1035, inFlight: 1 }, 100).split('\n')[0],
    ).toMatchInlineSnapshot(
      `"quickstart  ━━━━━━━━━━━━━━━━━━━━━━━━  26 s, load ended, waiting for the last answer"`,
    );
    expect(
      progressBlock({ ...after, due: 1034, inFlight: 0 }, 100).split('\n')[0],
    ).toMatchInlineSnapshot(`"quickstart  ━━━━━━━━━━━━━━━━━━━━━━━━  26 s, load ended"`);
  });

  it('counts requests that wait for their next attempt or for the pace', () => {
    const waiting = { ...midway, elapsed: 26_100, inFlight: 1 };
    expect(progressBlock(waiting, 100).split('\n').slice(0, 2)).toMatchInlineSnapshot(`
      [
        "quickstart  ━━━━━━━━━━━━━━━━━━━━━━━━  26 s, load ended, waiting for the last 4 answers",
        "1,038 due · 1 in flight · 3 waiting · 1,021 completed (39.1/s) · 11 limited (429) · 2 broken",
      ]
    `);
  });

  it('drops the bar before the name, and the name before the time', () => {
    const named = { ...midway, name: 'a scenario with rather a long name' };
    const firstLines = [100, 80, 60, 40, 24].map((width) => progressBlock(named, width));
    expect(firstLines.map((block) => block.split('\n')[0])).toMatchInlineSnapshot(`
      [
        "a scenario with rather a long name  ━━━━━━━━━━━━────────────  12 s of 25 s",
        "a scenario with rather a long name  ━━━━━━━━━━━━────────────  12 s of 25 s",
        "a scenario with ra…  ━━━━━━━━━━━━────────────  12 s of 25 s",
        "a scenario with rather a…  12 s of 25 s",
        "a scenar…  12 s of 25 s",
      ]
    `);
  });

  it.each([21, 40, 60, 80, 120, 200])(
    'stays narrower than a screen of %i columns, so that no line wraps',
    (width) => {
      const named = { ...midway, name: '模型'.repeat(40) };
      for (const line of progressBlock(named, width).split('\n')) {
        expect(displayWidth(line)).toBeLessThan(width);
      }
    },
  );

  it('shows control characters of a name as pictures: only the screen moves the cursor', () => {
    expect(progressBlock({ ...begun, name: 'a\u001b[2J\nb' }, 100)).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f]/,
    );
    expect(progressBlock({ ...begun, name: 'a\u001b[2J\nb' }, 100)).toContain('a␛[2J b');
  });
});

describe('progress in a log', () => {
  it('says of populations that they begin, not that a stage follows another', () => {
    expect(stageLine({ name: 'climb', begins: 0 })).toBe('0 s: stage climb begins');
    const population = 'noisy';
    expect(stageLine({ name: 'noisy', begins: 10_000, population })).toBe(
      '10 s: population noisy begins',
    );
    expect(stageLine({ name: 'noisy/high', begins: 40_000, population })).toBe(
      '40 s: population noisy, stage high, begins',
    );
  });

  it('is one line with the same words', () => {
    expect([begun, midway].map(progressLine)).toMatchInlineSnapshot(`
      [
        "0 s of 25 s: 1 due · 1 in flight · 0 completed",
        "12 s of 25 s: 1,038 due · 4 in flight · 1,021 completed (80.1/s) · 11 limited (429) · 2 broken; chat End to end p50 ~1,402 ms, p95 ~1,402 ms; chat-stream TTFT p50 190 ms, p95 236 ms; speech First audio p50 92.7 ms, p95 104 ms; transcription End to end p50 918 ms, p95 ~929 ms; models End to end p50 ~2.30 ms, p95 ~2.60 ms",
      ]
    `);
  });
});
