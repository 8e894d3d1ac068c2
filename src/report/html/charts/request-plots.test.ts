import { describe, expect, it } from 'vitest';
import { instant } from '../../../model/quantity.ts';
import type { RequestSample } from '../../../model/result/request-sample.ts';
import { loadPlot, requestScatter, tokenScatter } from './dot-plots.ts';

const rows = (
  count: number,
  took: (i: number) => number | null,
  tokens: (i: number) => number | null = () => null,
): RequestSample['rows'] =>
  Array.from({ length: count }, (_, i) => {
    const time = took(i);
    return [0, i, instant(i * 100), time, time === null ? null : time / 10, tokens(i)];
  });
const sample = (differing: Partial<RequestSample> = {}): RequestSample => {
  const all = differing.rows ?? rows(30, (i) => 400 + i);
  return {
    traffic: 'chat-stream',
    outcome: 'completed',
    count: all.length,
    rows: all,
    ...differing,
  };
};
const dotsIn = (svg: string | undefined, look: string): number =>
  new RegExp(`class="dots ${look}" d="([^"]*)"`).exec(svg ?? '')?.[1]?.match(/M/g)?.length ?? 0;
const ticksIn = (svg: string | undefined): readonly string[] =>
  [...(svg ?? '').matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text ?? '');

describe('requests one by one', () => {
  it('are a dot each, with a colour and a key for each outcome', () => {
    const limited = sample({ outcome: 'limited', rows: rows(4, () => 3) });
    const other = sample({ traffic: 'chat', rows: rows(9, () => 3) });
    const svg = requestScatter('chat-stream', [limited, sample(), other], 10)?.markup;
    expect(dotsIn(svg, 'completed')).toBe(30);
    expect(dotsIn(svg, 'limited')).toBe(4);
    expect(svg).toContain('Drawn: all 30 completed and all 4 limited.');
    expect(svg).toContain('<span class="key dot limited">limited</span>');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('say how many of how many are drawn', () => {
    const failed = sample({ outcome: 'broken', rows: rows(1, () => 90) });
    const svg = requestScatter('chat-stream', [sample({ count: 12_345 }), failed], 10)?.markup;
    expect(svg).toContain('Drawn: 30 of 12,345 completed and 1 broken, chosen by lot.');
  });

  it('that were never sent are at the lower edge', () => {
    const dropped = sample({ outcome: 'dropped', rows: rows(2, () => null) });
    const svg = requestScatter('chat-stream', [sample(), dropped], 10)?.markup;
    expect(svg).toContain('all 2 dropped (at the lower edge)');
    expect(svg).toMatch(/class="dots dropped" d="M54\.0 246\.0h0M/);
  });

  it('have round ticks: on a logarithmic scale if their times differ by more than twenty times', () => {
    const near = requestScatter('chat-stream', [sample()], 25)?.markup;
    expect(ticksIn(near).slice(0, -1)).toEqual([
      '0',
      '200',
      '400',
      '600',
      '0 s',
      '5 s',
      '10 s',
      '15 s',
      '20 s',
      '25 s',
    ]);
    const wide = sample({ outcome: 'limited', rows: rows(4, () => 3) });
    expect(ticksIn(requestScatter('chat-stream', [sample(), wide], 25)?.markup)).toContain('100');
  });

  it('are not drawn without any of that kind, or if none was sent', () => {
    expect(requestScatter('speech', [sample()], 10)).toBeNull();
    const dropped = sample({ outcome: 'dropped', rows: rows(2, () => null) });
    expect(requestScatter('chat-stream', [dropped], 10)).toBeNull();
  });
});

describe('time to first token against input tokens', () => {
  it('has a dot for each streamed chat whose tokens the server counted', () => {
    const all = sample({
      count: 99,
      rows: rows(
        40,
        (i) => 400 + i,
        (i) => (i < 10 ? null : i * 20),
      ),
    });
    const svg = tokenScatter([all])?.markup;
    expect(dotsIn(svg, 'chat-stream')).toBe(30);
    expect(svg).toContain('Drawn: 30 streamed chats that have both of 99 completed.');
    expect(svg).toContain('>input tokens</text>');
  });

  it('needs twenty chats, of which the longest has half as many tokens again as the shortest', () => {
    const withTokens = (count: number, most: number) =>
      tokenScatter([
        sample({
          rows: rows(
            count,
            (i) => 400 + i,
            (i) => (i === 0 ? most : 100),
          ),
        }),
      ]);
    expect(withTokens(20, 150)?.markup).toContain('Drawn: 20 streamed chats of 20 completed.');
    expect(withTokens(19, 150)).toBeNull();
    expect(withTokens(20, 149)).toBeNull();
  });

  it('is left out for prompts of about one length, and for a few chats', () => {
    expect(
      tokenScatter([
        sample({
          rows: rows(
            40,
            () => 400,
            (i) => 100 + i,
          ),
        }),
      ]),
    ).toBeNull();
    expect(
      tokenScatter([
        sample({
          rows: rows(
            10,
            () => 400,
            (i) => 10 + i * 100,
          ),
        }),
      ]),
    ).toBeNull();
    expect(tokenScatter([])).toBeNull();
  });
});

describe('latency against load', () => {
  const points = (rates: readonly number[], p95: number | null = 40) =>
    rates.map((rate, i) => ({ rate, p50: 10 + i, p95 }));

  it('has two dots for each piece, and one if its tail is not known', () => {
    const svg = loadPlot('T', 'ms', points([10, 11, 12, 13, 15]))!.markup;
    expect(svg.match(/<circle class="p95"/g)).toHaveLength(5);
    expect(svg.match(/<circle class="p50"/g)).toHaveLength(5);
    expect(svg).toContain('5 pieces of the run, at 10.0 to 15.0 requests sent per second.');
    expect(ticksIn(svg)).toEqual([
      '0',
      '10',
      '20',
      '30',
      '40',
      '0',
      '5',
      '10',
      '15',
      'sent per second',
    ]);
    const without = loadPlot('T', 'ms', points([10, 11, 12, 13, 15], null))!.markup;
    expect(without).not.toContain('<circle class="p95"');
    expect(ticksIn(without).slice(0, 4)).toEqual(['0', '5', '10', '15']);
  });

  it('is left out for fewer than five pieces with load, and where the load hardly varies', () => {
    expect(loadPlot('T', 'ms', points([0, 10, 12, 13, 15]))).toBeNull();
    expect(loadPlot('T', 'ms', points([10, 11, 12, 13, 14.9]))).toBeNull();
    expect(loadPlot('T', 'ms', points([0, 10, 11, 12, 13, 15]))).not.toBeNull();
  });
});
