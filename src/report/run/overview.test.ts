import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust } from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { displayWidth } from '../text/display-width.ts';
import { runOverview } from './overview.ts';

const result = sampleRunResult();
const style = (width: number) => ({ colour: false, width });
const overview = (width = 100, changes: Partial<Result> = {}, trust: Trust = degradedTrust) =>
  runOverview({ ...result, ...changes }, trust, style(width));
const broken = (n: number) =>
  sampleVerdict({ text: `ttft.p95 < ${n}ms`, ruling: 'fail', grounds: 'broken' });
const everything: Partial<Result> = {
  verdicts: Array.from({ length: 9 }, (_, n) => broken(n + 1)),
  notes: Array.from({ length: 9 }, (_, n) =>
    `Note ${n} of a server that says very much. `.repeat(9),
  ),
  failures: result.failures.flatMap((failure) => [failure, failure, failure]),
};
const ofPopulations = result.groups.map((group, i) => ({
  ...group,
  labels: { ...group.labels, population: `team ${i % 9}` },
}));

describe('the overview of a run in a terminal', () => {
  it('has what ran, a row for each kind of traffic, rates, cost, failures and notes', () => {
    expect(overview()).toMatchInlineSnapshot(`
      "quickstart → http://127.0.0.1:8080/v1: 2 stages; 61.2 s in all, 2 keys
        in ms                         n  completed  429    p50      p95     [95 %]      p99
        chat-stream TTFT          1,243     61.1 %  449   188*    ~684*    [351–…]  ~1,137*
        chat-stream end to end                            781*  ~1,413*  [1,066–…]  ~1,912*
        chat end to end              94     97.9 %    0    656   ~1,293    [969–…]  ~1,555*
        speech first audio           30     93.3 %    0    141    ~328*    [212–…]    ~419*
        speech end to end                                  579    ~833*    [762–…]  ~1,190*
        transcription end to end     24    100.0 %    0   ~948   ~1,211  [1,054–…]   ~1,260
        models end to end             9    100.0 %    0  ~6.39    ~18.9          –    ~18.9
        95 % of runs hold the true p95 within [ ] (… is open); ~ fewer than ten independent samples beyond
        it; * higher if failures count
      Rates       27.6/s sent, 18.3/s completed, tokens 814/s in, 707/s out
      Cost        at least 0.107747 for 1,096 completed answers
      Failures    449 × chat-stream limited: 429 rate_limit_exceeded: Rate limit exceeded for api_key:
                  3fa85f. Limit type: requests. Current limit: 600, Remaining: 0.
                  22 × chat-stream dropped: saturated: the cap on requests in flight was reached
                  9 × chat-stream malformed: stream-error: an error event after # tokens: CU … and 4 more
      Notes       The target refused stream_options.include_usage: </script><img src=x onerror=alert(1)>␛…"
    `);
  });

  it.each([60, 80, 100, 200])('fits %i columns, and 20 lines where tables fit', (width) => {
    for (const changes of [{}, everything, { groups: ofPopulations }]) {
      const lines = overview(width, changes).split('\n');
      for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      if (width >= 80) expect(lines.length).toBeLessThanOrEqual(20);
    }
  });

  it('has the interval of each p95 in 80 columns, before any p99, and no interval in 60', () => {
    const table = (width: number) => {
      const lines = overview(width).split('\n');
      const head = lines.findIndex((line) => line.includes('in ms'));
      return lines.slice(head, head + 3).join('\n');
    };
    expect(table(80)).toMatchInlineSnapshot(`
      "  in ms                         n  completed  429    p50      p95     [95 %]
        chat-stream TTFT          1,243     61.1 %  449   188*    ~684*    [351–…]
        chat-stream end to end                            781*  ~1,413*  [1,066–…]"
    `);
    expect(table(60)).toMatchInlineSnapshot(`
      "  in ms                    n  completed  429    p50      p95
        chat-stream TTFT     1,243     61.1 %  449   188*    ~684*
        chat-stream end to…                          781*  ~1,413*"
    `);
    expect(overview(80)).toMatch(/95 % of runs hold the true p95 within \[ \]/);
    expect(overview(60)).not.toContain('within [ ]');
  });

  it('says where the load was too short for an interval', () => {
    const timeline = result.timeline.slice(0, 15);
    const short = overview(80, { timeline });
    expect(short).toMatch(/p50 +p95 +p99\n/);
    expect(short).toContain('too short for an interval: it needs samples in ten whole seconds');
    expect(overview()).not.toContain('too short');
    const groups = result.groups.map((group) => ({ ...group, distributions: {} }));
    expect(overview(80, { timeline, groups })).toContain('chat-stream end to end');
    expect(overview(80, { timeline, groups })).not.toContain('too short');
  });

  it('has no empty line where nothing was due', () => {
    const lines = overview(100, { groups: [], failures: [], notes: [] }).split('\n');
    expect(lines.filter((line) => line.trim() === '')).toEqual([]);
    expect(lines[0]).toContain('quickstart');
  });

  it('explains the marks that it has, and no others', () => {
    expect(overview()).toMatch(/~ fewer than ten\s+independent samples/);
    expect(overview()).not.toContain('± the load');
    const figures = degradedTrust.figures.map((figure) => ({
      ...figure,
      isSmall: figure.measure !== 'ttft',
    }));
    const moved = overview(100, {}, { ...degradedTrust, figures });
    expect(moved).toMatch(/\d\*?±/);
    expect(moved).toMatch(/± the load\s+generator may have moved it/);
  });

  it('counts the failures, objectives and notes that it leaves out', () => {
    const lines = overview(100, everything).split('\n');
    expect(lines.filter((line) => line.includes('… and'))).toEqual([
      expect.stringMatching(new RegExp(` … and ${result.failures.length * 3 - 3} more$`)),
      expect.stringMatching(/^ +✗.* … and 7 more$/),
      expect.stringMatching(/^Notes .*[^ …] … and 8 more$/),
    ]);
  });

  it('has as many populations as there is room for, and counts the others', () => {
    const lines = overview(100, { groups: ofPopulations, failures: [] }).split('\n');
    const first = lines.findIndex((line) => line.startsWith('Populations '));
    expect(lines.slice(first).find((line) => / and \d+ more$/.test(line))).toMatch(/team \d: /);
  });

  it('cuts nothing of what it finds of objectives while a screen of 24 lines has room for it', () => {
    const within = { ruling: 'inconclusive', grounds: 'within-error' } as const;
    const open = sampleVerdict({ ...within, error: { low: 172, high: 684 } });
    const shown = overview(80, {
      verdicts: [open],
      failures: result.failures.slice(0, 1),
      notes: [],
    });
    expect(shown.replaceAll(/\s+/g, ' ')).toContain(
      `? ${open.text}: 684 ms (95 %: 566 ms to 746 ms), n 760; undecided: the measurement error of up to 512 ms spans the bound`,
    );
    expect(shown.split('\n').length).toBeLessThanOrEqual(18);
  });

  it('gives the lines that are left to its objectives before a failure', () => {
    const within = { ruling: 'inconclusive', grounds: 'within-error' } as const;
    const open = sampleVerdict({ ...within, error: { low: 172, high: 684 } });
    const failures = result.failures.slice(0, 2);
    const lines = overview(80, { verdicts: [open, open], failures, notes: [] }).split('\n');
    expect(lines).toHaveLength(18);
    expect(lines.slice(-5).join('\n')).toMatchInlineSnapshot(`
      "Failures    5 × chat-stream refused: 500 server_error: worker # failed: </scrip…
                  3 × speech malformed: audio-truncated: the MP# file ends # bytes ea…
      Objectives  ? ttft.p95{stage=peak} < 800ms: 684 ms (95 %: 566 ms to 746 ms), n
                  760; undecided: the measurement error of up to 512 ms spans the bou…
                  ? ttft.p95{stage=peak} < 800ms: 684 ms (95 %: 566 ms to 746 ms), n …"
    `);
  });

  it('has the same text with colour, and no control characters of a server', () => {
    const coloured = runOverview(result, degradedTrust, { colour: true, width: 100 });
    expect(coloured).not.toBe(overview());
    expect(stripVTControlCharacters(coloured)).toBe(overview());
    expect(stripVTControlCharacters(overview())).toBe(overview());
  });
});
