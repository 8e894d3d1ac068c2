import { expect, it } from 'vitest';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import type { CheckRow, TokenBounds } from '../model/check-report.ts';
import { checkDocument } from './check-document.ts';
import { sampleCheck, sampleRow } from './sample-check.fixture.ts';

const row = (id: string, bounds?: TokenBounds): CheckRow =>
  sampleRow({
    id,
    topic: 'usage',
    outcome: 'violation',
    ...(bounds === undefined ? {} : { bounds }),
  });

it('a month of differences costs its share of all tokens, or the tokens that each request has more', () => {
  const text = markdownText(
    checkDocument({
      ...sampleCheck([]),
      month: {
        requests: 1_000_000,
        input: 1_010_000_000,
        output: 256_000_000,
        prices: { input: 500_000, output: 2_000_000 },
        currency: 'EUR',
      },
      rows: [
        row('usage.growth', { of: 'input', reported: 105, least: 101, most: 101 }),
        row('usage.limit', { of: 'output', reported: 320, least: 0, most: 256 }),
        row('usage.template', { of: 'input', reported: 749, least: 65, most: 577 }),
        row('usage.text', { of: 'output', reported: 182, least: 0, most: 20 }),
        row('usage.total'),
      ],
    }),
  );
  const rows = text
    .split('\n')
    .filter((line) => /^\| *(usage\.\w+) *\| *(in|out)put/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));
  expect(rows.map((cells) => [cells[1], ...cells.slice(-3, -1)])).toEqual([
    ['usage.growth', '40,000,000', '20'],
    ['usage.limit', '64,000,000', '128'],
    ['usage.template', '172,000,000', '86'],
  ]);
});
