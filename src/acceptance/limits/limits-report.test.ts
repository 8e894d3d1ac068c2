// @gate 1 s
import { describe, expect, it } from 'vitest';
import type { LimitReport } from '../../verbs/limits/model/limit-report.ts';
import { htmlPage } from '../../report/document/html-page.ts';
import { markdownText } from '../../report/document/markdown-writer.ts';
import { terminalText } from '../../report/document/terminal-writer.ts';
import { limitsDocument, limitsJunit } from '../../verbs/limits/report/limits-document.ts';
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
  // The whole page, too: every claim, fact and figure.
  expect(markdownText(document)).toMatchSnapshot('page');
  expect(limitsJunit(report)).toMatchSnapshot('test cases');
  return line;
};

/** The section of the terminal on the limiter. */
const limiterLines = (report: LimitReport): string => {
  const text = terminalText(limitsDocument(report), { colour: false, width: 500 });
  return /\nLimiter\n([^]*?)\n\n/.exec(text)?.[1] ?? '';
};

describe('a report on limits', () => {
  it('begins with the verdict and what passes nevertheless; the limiter has the rate and the most admitted', async () => {
    const report = await reportOn({ algorithm: 'burst-bucket', burstShare: 0.5 });
    expect(firstLine(report)).toMatchInlineSnapshot(
      `"✓ 20 requests in 10 s are kept; 29 were admitted in 10 s: a bucket may admit its size and what is refilled meanwhile."`,
    );
    expect(limiterLines(report)).toMatchInlineSnapshot(`
      "  Model: burst-bucket (a bucket that holds less than the limit and refills evenly): 20 requests in 10 s, burst 10; it contradicts 0 of 116 decisions. The next best, in-flight, contradicts 14.
        Sustained rate: 22.2 in 10 s (14 to 64 for any limiter); 34 of 44 requests in 1.5 windows.
        Most admitted in any 10 s: 29 to 30."
    `);
  });

  it('says that a limit is violated, and which other limit explains every decision', async () => {
    const report = await reportOn({ algorithm: 'sliding-log', requestsPerMinute: 40 });
    const stored = JSON.parse(JSON.stringify(report)) as LimitReport;
    expect(limiterLines(stored)).toBe(limiterLines(report));
    expect(firstLine(report)).toMatchInlineSnapshot(
      `"✗ 20 requests in 10 s are NOT kept; 40 were admitted in 10 s."`,
    );
    expect(limiterLines(report)).toMatchInlineSnapshot(`
      "  Model: sliding-log (a log of the admitted requests of the last window): 40 requests in 10 s (9.9 s–10.1 s); it contradicts 0 of 291 decisions. The next best, in-flight, contradicts 35.
        Sustained rate: 23.5 in 10 s (at least 20 for any limiter); 120 of 144 requests in 5.1 windows.
        Most admitted in any 10 s: 40."
    `);
  });

  it('says that nothing is decided and what was not tried', async () => {
    const report = await reportOn({}, ['even']);
    expect(firstLine(report)).toMatchInlineSnapshot(
      `"! It is undecided whether 20 requests in 10 s are kept."`,
    );
    expect(limiterLines(report)).toMatchInlineSnapshot(`
      "  Model: none of our classes explains the 24 decisions.
        Sustained rate: not tried.
        Most admitted in any 10 s: 17."
    `);
  });

  it('shows the claims that do not hold, and folds all others', async () => {
    const report = await reportOn({});
    const text = terminalText(limitsDocument(report), { colour: false, width: 80 });
    expect(text).toMatch(/\nClaims\n[^]*does not hold[^]*Of \d+ claims [^]* limits\.html\./);
    expect(text).not.toContain('✓ holds  ');
    const [, folded = ''] =
      /<details><summary>\d+ claims that hold or are undecided<\/summary>([^]*?)<\/details>/.exec(
        htmlPage(limitsDocument(report), ''),
      ) ?? [];
    const held = report.judgement.checks.filter(({ finding }) => finding !== 'refuted');
    for (const { id } of held) expect(folded).toContain(id);
  });
});
