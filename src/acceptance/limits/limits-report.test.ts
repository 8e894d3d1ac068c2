import { describe, expect, it } from 'vitest';
import type { LimitReport } from '../../verbs/limits/model/limit-report.ts';
import { htmlPage } from '../../report/document/html-page.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { limitsDocument } from '../../verbs/limits/report/limits-document.ts';
import { examineSimulatedGateway } from './examine-simulated-gateway.fixture.ts';

type Simulated = Parameters<typeof examineSimulatedGateway>;

const reportOn = async (
  limits: Simulated[0]['limits'],
  phases?: Simulated[2],
): Promise<LimitReport> => {
  const { log, judgement } = await examineSimulatedGateway(
    { limits: { requestsPerMinute: 20, window: 10_000, ...limits }, seed: 2, roundTrip: [10, 40] },
    { requests: 20, window: 10_000 },
    phases,
  );
  const at = {
    weir: '0.0.0',
    target: 'http://127.0.0.1/v1',
    startedAt: '2026-07-01T10:20:30.000Z',
  };
  return { format: 'limits/1', ...at, model: 'weir/small', took: 70_000, log, judgement };
};

/** The first line of the terminal, which wraps nowhere here, once the page has it as its heading. */
const firstLine = (report: LimitReport): string => {
  const document = limitsDocument(report);
  const [line = ''] = terminalText(document, { colour: false, width: 500 }).split('\n');
  const [, heading] =
    /<h2 id="verdict-title">.*?<\/span>(.*?)<\/h2>/.exec(htmlPage(document, '')) ?? [];
  expect(line.slice(2)).toBe(heading);
  return line;
};

describe('the first line of a report on limits', () => {
  it('has the verdict, the sustained rate with its bounds, the most admitted in any window and the limiter', async () => {
    const report = await reportOn({ algorithm: 'burst-bucket', burstShare: 0.5 });
    expect(firstLine(report)).toMatchInlineSnapshot(
      `"✓ Requests: limit kept. Sustained rate: 22.2 in 10 s (14 to 64 for any limiter); most admitted in any 10 s: 29 to 30; limiter: burst-bucket of 20 requests in 10 s, burst 10."`,
    );
  });

  it('says that a limit is violated, and which other limit explains every decision', async () => {
    const report = await reportOn({ algorithm: 'sliding-log', requestsPerMinute: 40 });
    expect(firstLine(report)).toMatchInlineSnapshot(
      `"✗ Requests: LIMIT VIOLATED. Sustained rate: 23.5 in 10 s (at least 20 for any limiter); most admitted in any 10 s: 40; limiter: sliding-log of 40 requests in 10 s (9.9 s–10.1 s)."`,
    );
  });

  it('says that nothing is decided and what was not tried', async () => {
    const report = await reportOn({}, ['even']);
    expect(firstLine(report)).toMatchInlineSnapshot(
      `"! Requests: undecided. Sustained rate: not tried; most admitted in any 10 s: 17; limiter: none of ours."`,
    );
  });
});
