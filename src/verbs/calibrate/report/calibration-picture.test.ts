import { expect, it } from 'vitest';
import type { CalibrationCell } from '../../../model/series/calibration.ts';
import { htmlPage } from '../../../report/document/html-page.ts';
import { calibrationDocument } from './calibration-document.ts';
import { sampleCalibration, sampleCalibrationCell } from './sample-calibration.fixture.ts';

const errorOf = (p50: number, p99: number, max: number) => ({ n: 9, p50, p99, max });
const cellOf = (ttft: ReturnType<typeof errorOf>, changes: Partial<CalibrationCell> = {}) =>
  sampleCalibrationCell({
    errors: { ttft, gap: errorOf(1, 1, 1), endToEnd: errorOf(1, 1, 1) },
    ...changes,
  });

/** The picture of the first measure, drawn for wide screens. */
const pictureOf = (...cells: CalibrationCell[]): string => {
  const page = htmlPage(calibrationDocument(sampleCalibration({ cells })), '');
  return page.slice(page.indexOf('<figure>')).split('</svg>')[0]!;
};
const lineIn = (picture: string): readonly number[] =>
  /class="firm" d="M([\d.]+) ([\d.]+)H([\d.]+)"/.exec(picture)!.slice(1).map(Number);
const gridOf = (picture: string): readonly number[] =>
  [...picture.matchAll(/<path class="grid" d="M([\d.]+) [\d.]+V/g)].map(([, x]) => Number(x));

it('a picture has a line from the median to the maximum, and a dot at the p99, by their logarithms', () => {
  const picture = pictureOf(cellOf(errorOf(0.1, 0.4, 1.2)));
  const [from, row, to] = lineIn(picture) as [number, number, number];
  const [, dot, height] = /<circle class="valid" cx="([\d.]+)" cy="([\d.]+)"/
    .exec(picture)!
    .map(Number) as [number, number, number];
  // The axis goes from 0.1, the least, to 2, above 1.2 × 12 ^ 0.12 = 1.62.
  const [left, right] = [Math.min(...gridOf(picture)), Math.max(...gridOf(picture))];
  const at = (error: number): number =>
    left + ((right - left) * Math.log(error / 0.1)) / Math.log(2 / 0.1);
  expect(from).toBeCloseTo(at(0.1), 0);
  expect(dot).toBeCloseTo(at(0.4), 0);
  expect(to).toBeCloseTo(at(1.2), 0);
  expect(height).toBe(row);
  expect(picture).toContain('p50 0.10 ms, p99 0.40 ms, maximum 1.20 ms');
  expect(picture).toContain(`<text x="${to.toFixed(1)}" y="${row.toFixed(1)}" dx="10"`);
  expect(picture).toContain('>0.40 ms</text>');
  expect(picture).toContain('<b>Error of TTFT</b> <span class="unit">ms, logarithmic</span>');
  expect(picture).toContain('aria-label="Error of TTFT over 1 loads"');
});

it('a picture has a row of 26 pixels for each load, and the axis of the least and the greatest', () => {
  const picture = pictureOf(
    cellOf(errorOf(0.5, 0.6, 0.7)),
    cellOf(errorOf(0.1, 0.4, 1.2), { streams: 1000, transport: 'undici', workers: 2 }),
  );
  expect(picture).toContain('viewBox="0 0 1040 98"');
  const rows = [...picture.matchAll(/class="firm" d="M[\d.]+ ([\d.]+)H/g)].map(([, y]) =>
    Number(y),
  );
  expect(rows[1]! - rows[0]!).toBeCloseTo(26, 0);
  expect(picture).toContain('500 streams × 20 tokens/s, socket');
  expect(picture).toContain('1,000 streams × 20 tokens/s, undici, 2 workers');
});

it('errors of nothing are drawn from a thousandth to two thousandths of a millisecond', () => {
  const picture = pictureOf(cellOf(errorOf(0, 0, 0)));
  expect(picture).not.toMatch(/NaN|Infinity/);
  expect(gridOf(picture).length).toBeGreaterThan(1);
  const [from, , to] = lineIn(picture);
  expect(to).toBe(from);
});

it('the verdict is that of the largest valid load, by its tokens a second', () => {
  const verdictOf = (...cells: CalibrationCell[]) =>
    calibrationDocument(sampleCalibration({ cells })).verdict;
  const few = cellOf(errorOf(1, 2, 3), { streams: 500, tokensPerSecond: 10 });
  const many = cellOf(errorOf(1, 7, 8), { streams: 400, tokensPerSecond: 20 });
  const busy = cellOf(errorOf(1, 9, 9), { streams: 4000, trust: 'degraded' });
  expect(verdictOf(few, many)).toEqual({
    text: 'Measurement error (p99): TTFT ±7.00 ms, chunk gap ±1.00 ms, end-to-end ±1.00 ms at up to 400 streams × 20 tokens/s, socket; 2 of 2 loads valid',
    tone: 'good',
  });
  expect(verdictOf(few, busy)).toMatchObject({
    text: expect.stringContaining('TTFT ±2.00 ms'),
    tone: 'warning',
  });
  expect(verdictOf(busy)).toEqual({
    text: '0 of 1 load valid: this machine was too busy to be calibrated',
    tone: 'bad',
  });
});
