import { describe, expect, it } from 'vitest';
import type { KeyLimits } from '../../model/limits/run-limits.ts';
import { toLedgerRow } from '../../model/observation/ledger.ts';
import { blankChatColumns } from '../../model/observation/sample-ledger-entry.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { blockMarkup } from '../document/html-page.ts';
import { markdownText } from '../document/markdown-writer.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { keysSection, limitSentence } from './keys.ts';

const zero = { exact: 0, conservative: 0, deceptive: 0, unknown: 0, absent: 0 };
const refusals = {
  count: 1200,
  first: 21_300,
  last: 59_000,
  units: { requests: 1000, none: 200 },
  forms: { error: 1199, detail: 1 },
  retryAfter: { ...zero, exact: 1, absent: 1199 },
  resetTime: { ...zero, deceptive: 1200 },
  stretches: 2,
  longestStretch: 9000,
} as const;
const claim = { section: null, violates: false, evidence: [], finding: 'proved' as const };
const limits: KeyLimits = {
  key: 'alpha',
  requests: { least: 58, most: 61 },
  tokens: { least: 1000, most: null },
  refusals,
  explainedBy: ['sliding-log', 'fixed-aligned'],
  checks: [{ ...claim, id: 'names-limit', claim: 'Names it.', observed: 'all name it' }],
};
const quiet: KeyLimits = {
  ...limits,
  key: 'beta',
  requests: { least: 5, most: 5 },
  tokens: { least: 5, most: 5 },
  refusals: null,
  explainedBy: null,
  checks: [],
};
const refuted = {
  ...claim,
  id: 'requests-kept',
  claim: 'Keeps it.',
  finding: 'refuted' as const,
  violates: true,
  section: '8',
  observed: '61 of 60',
  evidence: ['a at 1 s', 'b at 2 s'],
};

const answer = (status: number, sent: number) =>
  toLedgerRow({ ...blankChatColumns, status, sent, answered: sent + 10, ended: sent + 10 });
const sample = sampleRunResult();
const resultWith = (keys: readonly KeyLimits[], judged = false): Result => ({
  ...sample,
  ledger: [
    { key: 'alpha', rows: [answer(200, 0), answer(429, 290)], left: 1 },
    { key: 'beta', rows: [answer(200, 0)], left: 0 },
  ],
  limits: { keys, judged, violated: judged },
});
const pageOf = (result: Result) => ({
  weir: '1',
  title: 't',
  blocks: [keysSection(result, [])],
  footer: '',
});
const terminal = (result: Result): string =>
  terminalText(pageOf(result), { colour: false, width: 400 });
const html = (result: Result): string => blockMarkup(keysSection(result, []))?.markup ?? '';

describe('the section on the keys', () => {
  it('says on a terminal what each key was allowed, and what the run shows of its limits', () => {
    expect(terminal(resultWith([limits, quiet]))).toMatchInlineSnapshot(`
      "t

      What did the limits do?
        alpha: 2 answers, 429s: 1, first at 0.3 s
          requests: 600/min declared, no header seen; lowest remaining –
          tokens: 2,000,000/min by the interface, no header seen; lowest remaining –
          1 further response not recorded: the ledger was full
          Limit of 600 requests a minute: between 58 and 61 in the busiest minute (it is unknown whether audio, model lists and failed requests count); 429s that name it: 1,000.
          Limit of 2,000,000 tokens a minute: at least 1,000 in the busiest minute; 429s that name no limit: 200.
          429s: 1,200, from 21.3 s to 59.0 s, by named limit: requests 1,000, none 200; by form: error 1,199, detail 1; 2 blocked periods, at most 9 s long.
          Retry-After: exact 1, absent 1,199. Reset time: deceptive 1,200.
          The decisions (at most the first 400) are explained by sliding-log, fixed-aligned, assuming that nobody else used the key.
        beta: 1 answer, 429s: none
          requests: 600/min declared, no header seen; lowest remaining –
          tokens: 2,000,000/min by the interface, no header seen; lowest remaining –
          Limit of 600 requests a minute: 5 in the busiest minute; nothing was refused for it and it was not certainly reached, so this run does not show whether it is kept.
          Limit of 2,000,000 tokens a minute: 5 in the busiest minute; nothing was refused for it and it was not certainly reached, so this run does not show whether it is kept."
    `);
  });

  it('says what followed one blocked period, and that no limiter explains it', () => {
    const still = { ...refusals, stretches: 1, longestStretch: null };
    const text = terminal(resultWith([{ ...limits, refusals: still, explainedBy: [] }]));
    expect(text).toContain('detail 1; one blocked period, and nothing was admitted afterwards.\n');
    expect(text).toContain(
      'No class of limiter with the declared limit explains the decisions (at most the first 400), assuming that nobody else used the key.',
    );
  });

  it('has a table in Markdown, and a part for each key', () => {
    expect(markdownText(pageOf(resultWith([limits, quiet])))).toMatchInlineSnapshot(`
      "## Weir: t

      ### What did the limits do?

      | Key | Answered | 429s | Request limit | Lowest remaining | Token limit | Lowest remaining |
      | --- | ---: | --- | --- | --- | --- | --- |
      | alpha<br>1 further response not recorded: the ledger was full | 2 | 1, first at 0.3 s | 600/min declared, no header seen | – | 2,000,000/min by the interface, no header seen | – |
      | beta | 1 | none | 600/min declared, no header seen | – | 2,000,000/min by the interface, no header seen | – |

      #### Limits of alpha

      - Limit of 600 requests a minute: between 58 and 61 in the busiest minute (it is unknown whether audio, model lists and failed requests count); 429s that name it: 1,000.
      - Limit of 2,000,000 tokens a minute: at least 1,000 in the busiest minute; 429s that name no limit: 200.
      - 429s: 1,200, from 21.3 s to 59.0 s, by named limit: requests 1,000, none 200; by form: error 1,199, detail 1; 2 blocked periods, at most 9 s long.
      - Retry-After: exact 1, absent 1,199. Reset time: deceptive 1,200.
      - The decisions (at most the first 400) are explained by sliding-log, fixed-aligned, assuming that nobody else used the key.

      #### Limits of beta

      - Limit of 600 requests a minute: 5 in the busiest minute; nothing was refused for it and it was not certainly reached, so this run does not show whether it is kept.
      - Limit of 2,000,000 tokens a minute: 5 in the busiest minute; nothing was refused for it and it was not certainly reached, so this run does not show whether it is kept.

      "
    `);
  });

  it('names refuted claims, and calls them violated only if limits are judged', () => {
    const keys = [{ ...quiet, checks: [...limits.checks, refuted] }];
    const claims = (judged: boolean) =>
      terminal(resultWith(keys, judged))
        .split('\n')
        .filter((line) => line.includes('requests-kept:'))
        .map((line) => line.trim());
    expect(claims(false)).toEqual(['refuted: requests-kept: 61 of 60']);
    expect(claims(true)).toEqual(['violated: requests-kept: 61 of 60']);
    const advised = [{ ...quiet, checks: [{ ...refuted, violates: false }] }];
    expect(terminal(resultWith(advised, true))).toContain(' refuted: requests-kept');
  });

  it('folds the claims of a key in HTML, and opens them if one is refuted', () => {
    const folds = (checks: KeyLimits['checks']) =>
      html(resultWith([{ ...limits, checks }])).match(/<details[^>]*>|<td.*?<\/td>/g);
    expect(folds(limits.checks)?.filter((tag) => tag.startsWith('<details'))).toEqual([
      '<details>',
    ]);
    expect(folds([...limits.checks, refuted])?.slice(12)).toMatchInlineSnapshot(`
      [
        "<details open>",
        "<td class="words" data-label="Claim: ">Names it.</td>",
        "<td class="valid"><span class="level"><span aria-hidden="true">✓</span> proved</span></td>",
        "<td class="words" data-label="Observed: ">all name it</td>",
        "<td class="text" data-label="">–</td>",
        "<td class="words" data-label="Claim: ">Keeps it.</td>",
        "<td class="degraded"><span class="level"><span aria-hidden="true">!</span> refuted</span></td>",
        "<td class="words" data-label="Observed: ">61 of 60 <small>a at 1 s · b at 2 s</small></td>",
        "<td class="text" data-label="Source: ">§ 8</td>",
      ]
    `);
  });

  it('is left out in HTML if no key has a limit', () => {
    const unlimited = { requestsPerMinute: null, tokensPerMinute: null, limiter: null } as const;
    const none = (rows: Result['ledger'][number]['rows']): Result => {
      const result = resultWith([]);
      const ledger = [{ key: 'alpha', rows, left: 0 }];
      return { ...result, ledger, plan: { ...result.plan, limits: unlimited } };
    };
    const rowWith = (differing: object) =>
      toLedgerRow({
        ...blankChatColumns,
        status: 200,
        sent: 0,
        answered: 10,
        ended: 10,
        ...differing,
      });
    expect(html(none([answer(200, 0)]))).toBe('');
    expect(terminal(none([answer(200, 0)]))).toContain('What did the limits do?');
    expect(html(none([answer(429, 0)]))).not.toBe('');
    expect(html(none([rowWith({ limitTokens: 5 })]))).not.toBe('');
    expect(html(none([rowWith({ remainingRequests: 5 })]))).not.toBe('');
    const result = none([]);
    const own = { ...unlimited, tokensPerMinute: 5 };
    expect(html({ ...result, plan: { ...result.plan, limits: own } })).not.toBe('');
  });

  it('says that only the first keys have charts and claims', () => {
    const result = resultWith([]);
    const many = (count: number): string =>
      html({
        ...result,
        ledger: Array.from({ length: count }, (_, i) => ({ key: `k${i}`, rows: [], left: 0 })),
        limits: {
          keys: Array.from({ length: count }, (_, i) => ({ ...limits, key: `k${i}` })),
          judged: false,
          violated: false,
        },
      });
    expect(many(12)).not.toContain('Charts and claims of the first');
    expect(many(13)).toContain('Charts and claims of the first 12 of 13 keys.');
    expect(many(13).match(/Limits of k\d+/g)).toHaveLength(12);
  });
});

describe('the line of a limit', () => {
  it.each([
    [
      'requests',
      null,
      'Limit of requests: none declared; between 58 and 61 in the busiest minute (it is unknown whether audio, model lists and failed requests count).',
    ],
    ['tokens', null, 'Limit of tokens: none declared; at least 1,000 in the busiest minute.'],
  ] as const)('of %s says how full a minute was, if none is declared', (unit, declared, words) => {
    expect(limitSentence(unit, declared, limits)).toBe(words);
  });

  it('says whether a limit that refused nothing was reached', () => {
    expect(limitSentence('tokens', 1000, { ...limits, refusals: null })).toMatch(
      /; nothing was refused for it\.$/,
    );
    expect(limitSentence('tokens', 1001, { ...limits, refusals: null })).toMatch(
      /; nothing was refused for it and it was not certainly reached, /,
    );
  });
});
