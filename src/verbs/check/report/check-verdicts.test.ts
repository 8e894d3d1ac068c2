import { describe, expect, it } from 'vitest';
import { htmlPage } from '../../../report/document/html-page.ts';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import type { CheckReport, CheckRow } from '../model/check-report.ts';
import { checkDocument, checkOverview, checkVerdict } from './check-document.ts';
import { sampleCheck, sampleRow, sampleRows } from './sample-check.fixture.ts';

const of = (topic: CheckRow['topic'], ...outcomes: readonly CheckRow['outcome'][]): CheckReport =>
  sampleCheck(outcomes.map((outcome, i) => sampleRow({ id: `c${i}`, topic, outcome })));

describe('the verdict of a check', () => {
  it.each([
    [
      'good',
      'The interface is kept: 1 as specified, 1 not checked.',
      of('limits', 'pass', 'unchecked'),
    ],
    [
      'warning',
      'The interface is kept: 1 deviation, 1 as specified.',
      of('limits', 'pass', 'deviation'),
    ],
    [
      'bad',
      'The interface is broken: 1 violation, 1 deviation, 1 known of this profile, 1 as specified, 1 not specified, 1 not checked.',
      of('limits', 'violation', 'deviation', 'exempt', 'pass', 'open', 'unchecked'),
    ],
    ['warning', 'Undecided: 1 not checked.', of('limits', 'unchecked')],
    ['good', 'Nothing speaks against the reported usage: 1 as specified.', of('usage', 'pass')],
    [
      'warning',
      'No count is proved wrong, but something deviates: 1 deviation.',
      of('usage', 'deviation'),
    ],
    [
      'bad',
      'The reported usage is wrong: 1 violation, 1 deviation.',
      of('usage', 'violation', 'deviation'),
    ],
    ['warning', 'Undecided: 1 not checked.', of('usage', 'unchecked')],
    ['good', 'Hang-ups were examined: 1 as specified.', of('disconnects', 'pass')],
    ['warning', 'Hang-ups were examined: 1 deviation.', of('disconnects', 'deviation')],
    ['bad', 'Hang-ups were examined: 1 violation.', of('disconnects', 'violation')],
    ['warning', 'Undecided: 1 not checked.', of('disconnects', 'unchecked')],
  ] as const)('is %s: %s', (tone, text, report) => {
    expect(checkVerdict(report)).toEqual({ text, tone });
  });

  it('says why the checks ended early', () => {
    const stopped = { ...of('limits', 'pass'), stopped: 'the credits are used up' };
    expect(checkVerdict(stopped)).toEqual({
      text: 'Undecided: 1 as specified. Ended early: the credits are used up.',
      tone: 'warning',
    });
  });
});

const linesOf = (report: CheckReport): readonly string[] =>
  terminalText(checkOverview(report), { colour: false, width: 400 }).split('\n');

describe('what was spent', () => {
  const spentOf = (spent: Partial<CheckReport['spent']>): string | undefined => {
    const sample = sampleCheck([]);
    return checkDocument({ ...sample, spent: { ...sample.spent, ...spent } }).description![1];
  };
  it('has only what there was of speech, audio and waits', () => {
    const none = { characters: 0, audioSeconds: 0, waits: 0 };
    expect(spentOf({ ...none, requests: 1, inputTokens: 1234, outputTokens: 0 })).toBe(
      '1 request in 12.3 s, 1,234 input and 0 output tokens',
    );
    expect(spentOf({ characters: 1, audioSeconds: 1, waits: 1 })).toBe(
      '67 requests in 12.3 s, 72 input and 277 output tokens, 1 characters of speech, 1 s of audio, 1 wait for the limits of the key',
    );
  });
  it('has the models, or that there are none', () => {
    const models = { chat: null, speech: null, transcription: null, voice: null };
    expect(checkDocument(sampleCheck([], { models })).description![0]).toBe(
      'Models: chat none, speech none, transcription none; profile spec',
    );
  });
});

describe('a finding on a terminal', () => {
  it('names eight checks of a mistake, and how many more there are', () => {
    const alike = (count: number): string =>
      linesOf(
        sampleCheck(
          Array.from({ length: count }, (_, i) =>
            sampleRow({ id: `c${i}`, outcome: 'violation', observed: 'odd', name: null }),
          ),
        ),
      )[2]!;
    expect(alike(8)).toBe('✗ 8 checks: odd (c0, c1, c2, c3, c4, c5, c6, c7)');
    expect(alike(9)).toBe('✗ 9 checks: odd (c0, c1, c2, c3, c4, c5, c6, c7 and 1 more)');
  });

  it('is cut at a word, at 190 characters', () => {
    const lineOf = (expected: string): string =>
      linesOf(
        sampleCheck([sampleRow({ id: 'c', outcome: 'violation', observed: 'o', expected })]),
      )[2]!;
    const head = '✗ c (§ 4.1): o; expected: ';
    const fitting = 'x'.repeat(190 - head.length);
    expect(lineOf(fitting)).toBe(`${head}${fitting}`);
    expect(lineOf(`yy ${fitting}`)).toBe(`${head}yy …`);
  });

  it('is one of six, and the rest are named in one line', () => {
    const distinct = (count: number): CheckReport =>
      sampleCheck(
        Array.from({ length: count }, (_, i) =>
          sampleRow({ id: `c${i}`, outcome: 'violation', observed: `o${i}`, section: '' }),
        ),
      );
    const six = linesOf(distinct(6));
    expect(six[2]).toBe(
      '✗ c0 (no section): o0; expected: 200 for a chat with system, user and assistant messages',
    );
    expect(six.filter((line) => line.startsWith('✗ '))).toHaveLength(6);
    expect(six.join('\n')).not.toContain('--details');
    expect(linesOf(distinct(7))).toContain('1 more check (--details): c6');
    expect(linesOf(distinct(8))).toContain('2 more checks (--details): c6, c7');
  });

  it('comes in the order of how many checks show it, violations first', () => {
    const row = (id: string, outcome: 'violation' | 'deviation', observed: string): CheckRow =>
      sampleRow({ id, outcome, observed });
    const heads = linesOf(
      sampleCheck([
        row('a', 'deviation', 'often'),
        row('b', 'violation', 'once'),
        row('c', 'violation', 'twice'),
        row('d', 'violation', 'twice'),
        row('e', 'deviation', 'often'),
        row('f', 'deviation', 'often'),
      ]),
    ).filter((line) => /^[✗!] /.test(line));
    expect(heads).toEqual([
      '✗ 2 checks: twice (c, d)',
      expect.stringMatching(/^✗ b /),
      '! 3 checks: often (a, e, f)',
    ]);
  });
});

it('what was not checked has three reasons, the most frequent first, and a count of the others', () => {
  const because = (reason: string, count: number): readonly CheckRow[] =>
    Array.from({ length: count }, () => sampleRow({ outcome: 'unchecked', observed: reason }));
  const textOf = (...rows: readonly CheckRow[]): string | undefined =>
    linesOf(sampleCheck(rows)).find((line) => line.startsWith('Not checked'));
  expect(textOf(...because('a', 1), ...because('b', 3), ...because('c', 2))).toBe(
    'Not checked: 3 checks (b), 2 checks (c), 1 check (a).',
  );
  expect(
    textOf(...because('a', 4), ...because('b', 3), ...because('c', 2), ...because('d', 1)),
  ).toBe('Not checked: 4 checks (a), 3 checks (b), 2 checks (c), 1 check for other reasons.');
  expect(textOf(...sampleRows('pass', 1))).toBeUndefined();
});

it('a page folds what is no finding, except in an audit, and lists what no request shows', () => {
  const page = markdownText(checkDocument(of('limits', 'violation', 'pass', 'exempt', 'open')));
  const titles = page.match(/^### .*$/gm);
  expect(titles).toEqual([
    '### Violations (1)',
    '### Known of this profile (1)',
    '### Not specified (1)',
    '### As specified (1)',
    '### What no request can show',
  ]);
  expect(page).toContain('<details><summary>What is as specified</summary>');
  expect(page).not.toContain('<details><summary>What breaks the specification</summary>');
  const foldOf = (topic: CheckRow['topic']): string | undefined =>
    /<details[^>]*>(?=<summary>What is as specified)/.exec(
      htmlPage(checkDocument(of(topic, 'pass')), ''),
    )?.[0];
  expect([foldOf('limits'), foldOf('usage')]).toEqual(['<details>', '<details open>']);
  expect(markdownText(checkDocument(sampleCheck([], { unseen: [] })))).not.toContain(
    'What no request can show',
  );
});

it('a row has its evidence beside what was seen', () => {
  const row = (evidence: string[]): CheckReport =>
    sampleCheck([sampleRow({ outcome: 'violation', observed: 'odd', name: 'known', evidence })]);
  const terminal = terminalText(checkDocument(row(['one', 'two'])), { colour: false, width: 300 });
  expect(terminal).toContain('known: odd; one; two');
  const page = htmlPage(checkDocument(row(['one', 'two'])), '');
  expect(page).toContain(
    '<summary>2 excerpts</summary><ul><li><code>one</code></li><li><code>two</code></li></ul>',
  );
  expect(htmlPage(checkDocument(row([])), '')).not.toContain('excerpt');
});
