import { describe, expect, it } from 'vitest';
import { calibrationSchema } from '../../../model/series/calibration.ts';
import { htmlPage } from '../../../report/document/html-page.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import { calibratedErrorText } from '../../../report/summary/calibration-text.ts';
import { calibrationDocument } from './calibration-document.ts';
import { sampleCalibration, sampleCalibrationCell } from './sample-calibration.fixture.ts';

describe('a calibration', () => {
  const calibration = sampleCalibration();

  it('matches its schema', () => {
    expect(calibrationSchema.parse(calibration)).toEqual(calibration);
  });

  it('is a table on a terminal', () => {
    expect(terminalText(calibrationDocument(calibration), { colour: false, width: 100 }))
      .toMatchInlineSnapshot(`
        "! Measurement error (p99): TTFT ±0.40 ms, chunk gap ±0.52 ms, end-to-end ±0.44 ms at up to 500
        streams × 20 tokens/s, socket; 1 of 2 loads valid
          Weir 0.1.0, Node v24.21.0, 2 × Some CPU, linux x64 6.1
          The error in ms is the difference between the times that a run recorded and the times that the
          reference gateway, another process on this machine, recorded when it wrote each token to its
          socket. It includes the way through the kernel.

        Errors in ms
          Streams  Tokens/s  Transport  Workers  Generator   TTFT p50   p99  gap p50   p99  E2E p50   p99
          500            20  socket           1  ✓ valid         0.10  0.40     0.13  0.52     0.11  0.44
          1,000          20  socket           1  ! degraded      0.10  0.40     0.13  0.52     0.11  0.44
              event loop"
      `);
  });

  it('has a picture of each measure, without scripts and external files', () => {
    const html = htmlPage(calibrationDocument(calibration), 'p { color: red }');
    expect(html).toMatch(/default-src 'none'; style-src 'sha256-/);
    expect(html).not.toMatch(/<script|<link|<img|url\(|https?:/);
    // Each is drawn twice: for wide and for narrow screens.
    expect(html.match(/<circle/g)).toHaveLength(2 * 6);
    expect(html).toContain('event loop');
    expect(html).not.toMatch(/NaN|Infinity/);
  });

  it('is quoted by a run with its date, and as stale with the reason', () => {
    expect(calibratedErrorText(calibration, sampleCalibrationCell(), [])).toBe(
      'This machine’s error at this load (up to 500 streams × 20 tokens/s, socket): TTFT ±0.40 ms, chunk gap ±0.52 ms, end-to-end ±0.44 ms (p99), calibrated 2026-11-21.',
    );
    const stale = calibratedErrorText(calibration, sampleCalibrationCell({ trust: 'degraded' }), [
      'Node v24.0.0, now v24.21.0',
    ]);
    expect(stale).toContain(
      'calibrated 2026-11-21, with a generator that was degraded at that time.',
    );
    expect(stale).toContain(
      'This is stale (Node v24.0.0, now v24.21.0): run weir calibrate again.',
    );
    expect(calibratedErrorText(calibration, null, [])).toContain(
      'above every load of this machine’s calibration',
    );
  });
});
