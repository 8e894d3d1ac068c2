import { describe, expect, it } from 'vitest';
import { calibrationSchema } from '../../model/series/calibration.ts';
import { calibrationHtml } from './calibration-html.ts';
import { calibrationTerminal } from './calibration-terminal.ts';
import { calibratedErrorText } from './calibration-text.ts';
import { sampleCalibration, sampleCalibrationCell } from './sample-calibration.fixture.ts';

describe('a calibration', () => {
  const calibration = sampleCalibration();

  it('is what its schema says', () => {
    expect(calibrationSchema.parse(calibration)).toEqual(calibration);
  });

  it('is a table on a terminal', () => {
    expect(calibrationTerminal(calibration, { colour: false, width: 100 })).toMatchInlineSnapshot(`
      "How exactly this machine measures
        Weir 0.1.0, Node v24.21.0, 2 × Some CPU, linux x64 6.1
        The size of the error in ms: how far what a run recorded lies from what the reference gateway, a
        process of its own on this machine, noted when it handed each token to its socket. The way through
        the kernel is part of it.

        streams   tokens/s  transport  workers  generator  TTFT p50   p99  gap p50   p99  end p50   p99
        500       20        socket     1        valid          0.10  0.40     0.13  0.52     0.11  0.44
        1,000     20        socket     1        degraded       0.10  0.40     0.13  0.52     0.11  0.44
        1,000 streams × 20 tokens/s, socket: event loop"
    `);
  });

  it('is a picture of each measure, without scripts and nothing to load', () => {
    const html = calibrationHtml(calibration, 'p { color: red }');
    expect(html).toMatch(/default-src 'none'; style-src 'sha256-/);
    expect(html).not.toMatch(/<script|<link|<img|url\(|https?:/);
    expect(html.match(/<circle/g)).toHaveLength(6);
    expect(html).toContain('event loop');
    expect(html).not.toMatch(/NaN|Infinity/);
  });

  it('is quoted by a run with its day, and as stale with what has changed', () => {
    expect(calibratedErrorText(calibration, sampleCalibrationCell(), [])).toBe(
      'This machine’s error at this load (up to 500 streams × 20 tokens/s, socket): TTFT ±0.40 ms, chunk gap ±0.52 ms, end-to-end ±0.44 ms (p99), calibrated 2026-11-21.',
    );
    const stale = calibratedErrorText(calibration, sampleCalibrationCell({ trust: 'degraded' }), [
      'Node v24.0.0, now v24.21.0',
    ]);
    expect(stale).toContain('calibrated 2026-11-21, with a generator that was degraded then.');
    expect(stale).toContain(
      'This is stale (Node v24.0.0, now v24.21.0): run weir calibrate again.',
    );
    expect(calibratedErrorText(calibration, null, [])).toContain('above every one');
  });
});
