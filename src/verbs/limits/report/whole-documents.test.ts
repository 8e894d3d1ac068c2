import { describe, expect, it } from 'vitest';
import type { ReportDocument } from '../../../report/document/document.ts';
import { markdownText } from '../../../report/document/markdown-writer.ts';
import { terminalText } from '../../../report/document/terminal-writer.ts';
import type { LimitReport } from '../model/limit-report.ts';
import type { TokenReport } from '../model/token-report.ts';
import { findingsDocument } from './findings-document.ts';
import { limitsDocument, limitsJunit } from './limits-document.ts';
import { limitsTimeline } from './limits-timeline.ts';
import { sampleFit, sampleLimitReport, sampleTokenReport } from './sample-limit-report.fixture.ts';
import { tokensDocument, tokensJunit } from './tokens-document.ts';
import { tokensTimeline } from './tokens-timeline.ts';

const onTerminal = (document: ReportDocument): string =>
  terminalText(document, { colour: false, width: 300 });

/** Changes what was found of a limit of requests. */
const requestsWith = (
  judgement: Partial<LimitReport['judgement']>,
  log: Partial<LimitReport['log']> = {},
): LimitReport => {
  const report = sampleLimitReport();
  return {
    ...report,
    log: { ...report.log, ...log },
    judgement: { ...report.judgement, ...judgement },
  };
};

const tokensWith = (
  findings: Partial<TokenReport['findings']>,
  log: Partial<TokenReport['log']> = {},
): TokenReport => {
  const report = sampleTokenReport();
  return {
    ...report,
    log: { ...report.log, ...log },
    findings: { ...report.findings, ...findings },
  };
};

describe('a report on a limit of requests', () => {
  it('has each thing that was found, on a page, a terminal and as test cases', () => {
    const report = sampleLimitReport();
    expect(markdownText(limitsDocument(report))).toMatchSnapshot('page');
    expect(onTerminal(limitsDocument(report))).toMatchSnapshot('terminal');
    expect(limitsJunit(report)).toMatchSnapshot('test cases');
  });

  /** The lines of a report that are not those of the sample. */
  const others = (report: LimitReport, tokens: TokenReport | null = null): readonly string[] => {
    const usual = new Set(onTerminal(limitsDocument(sampleLimitReport())).split('\n'));
    return onTerminal(limitsDocument(report, tokens))
      .split('\n')
      .filter((line) => !usual.has(line));
  };

  it('says what was not found', () => {
    const { facts, identification, checks } = sampleLimitReport().judgement;
    expect(
      others(
        requestsWith(
          {
            verdict: 'undecided',
            requests: 'undecided',
            reasons: ['nothing was refused'],
            tokens: { verdict: 'not examined', reasons: ['none is declared'] },
            facts: { ...facts, sustained: null, mostAdmitted: { least: 20, most: 20 } },
            identification: { ...identification, best: null, ties: [], ranking: [] },
            checks: checks.slice(0, 1),
          },
          { unanswered: [], replies: [] },
        ),
      ),
    ).toMatchSnapshot();
  });

  it.each<readonly [string, Partial<LimitReport['judgement']['identification']>]>([
    ['no class but one closest', { best: null, ties: [], runnerUp: sampleFit('sliding-log', 12) }],
    [
      'a class that explains all but is not named',
      { best: null, ties: [], runnerUp: sampleFit('sliding-log', 0) },
    ],
    [
      'no class of no decision',
      { best: null, ties: [], decisions: 0, runnerUp: sampleFit('sliding-log', 0) },
    ],
    ['the only class', { ties: [], ranking: [] }],
    [
      'another limit than the next best',
      {
        ties: [],
        ranking: [
          sampleFit('sliding-log', 1200, {
            window: { value: 20_000, least: 20_000, most: 20_000 },
          }),
        ],
      },
    ],
  ])('names %s', (_, changes) => {
    const { identification } = sampleLimitReport().judgement;
    expect(
      others(requestsWith({ identification: { ...identification, ...changes } })),
    ).toMatchSnapshot('lines');
  });

  it('says what is kept of a rate that may have been lower, and of a team', () => {
    const { facts, checks } = sampleLimitReport().judgement;
    const rate = { least: 15.1, most: null };
    expect(
      others(
        requestsWith(
          {
            verdict: 'kept',
            requests: 'kept',
            tokens: { verdict: 'not examined', reasons: ['at most 5 were used'] },
            facts: { ...facts, sustained: { ...facts.sustained!, rate } },
            checks: checks.filter(({ finding }) => finding !== 'refuted'),
          },
          { isTeam: true },
        ),
        sampleTokenReport(),
      ),
    ).toMatchSnapshot();
  });

  it('has why a limiter is named, if that is asked for', () => {
    const distinguishing = [
      {
        requestId: 'r-0',
        phase: 'provocation',
        sent: 20_000,
        answered: 20_030,
        observed: 'refused',
        named: 'refused',
        rival: 'admitted',
      } as const,
    ];
    const explanation = { rival: sampleFit('sliding-log', 3), distinguishing };
    expect(others({ ...sampleLimitReport(), explanation })).toMatchSnapshot();
  });
});

describe('a report on a limit of tokens', () => {
  const usual = () => tokensDocument(sampleTokenReport());

  it('has each thing that was found, on a page, a terminal and as test cases', () => {
    expect(markdownText(usual())).toMatchSnapshot('page');
    expect(onTerminal(usual())).toMatchSnapshot('terminal');
    expect(tokensJunit(sampleTokenReport())).toMatchSnapshot('test cases');
  });

  const others = (report: TokenReport, requests: LimitReport | null = null): readonly string[] => {
    const known = new Set(onTerminal(usual()).split('\n'));
    return onTerminal(tokensDocument(report, requests))
      .split('\n')
      .filter((line) => !known.has(line));
  };

  it('says what was not found', () => {
    const { charging: _, ...findings } = sampleTokenReport().findings;
    const nothing = {
      ...sampleTokenReport(),
      findings: {
        ...findings,
        verdict: 'undecided',
        reasons: ['nothing was refused'],
        checks: [],
        charges: [],
        bursts: [],
        chargedAt: null,
        atOnce: null,
      } as const,
      log: { ...sampleTokenReport().log, replies: [], isTeam: true } as const,
    };
    expect(others(nothing)).toMatchSnapshot();
  });

  it.each<readonly [string, TokenReport]>([
    [
      'kept with answers by a promise',
      tokensWith({ verdict: 'kept', isPromised: true, checks: [] }),
    ],
    [
      'kept in windows of 30 s',
      tokensWith(
        { verdict: 'kept', chargedAt: 'reserved', checks: [] },
        { rule: { tokens: 20_000, requests: null, window: 30_000 } },
      ),
    ],
    [
      'kept of input tokens',
      tokensWith(
        { verdict: 'kept', chargedAt: 'admission', atOnce: null },
        { unit: 'input-tokens' },
      ),
    ],
    ['undecided in a quick examination', tokensWith({ verdict: 'undecided' }, { isQuick: true })],
    ['undecided since it ended early', tokensWith({ verdict: 'undecided' }, { cut: 'stopped' })],
    ['undecided by a promise', tokensWith({ verdict: 'undecided', isPromised: true })],
  ])('says of a limit that it is %s', (_, report) => {
    expect(others(report)).toMatchSnapshot('lines');
  });

  it('points to the report on requests', () => {
    expect(
      others(sampleTokenReport(), requestsWith({ verdict: 'kept', requests: 'kept' })),
    ).toMatchSnapshot();
  });
});

describe('a report on both limits', () => {
  it('has the findings on both', () => {
    const document = findingsDocument({
      requests: sampleLimitReport(),
      tokens: sampleTokenReport(),
    });
    const [first, second] = onTerminal(document).split('\nCharges\n');
    expect(first).toMatchSnapshot();
    expect(second).toContain('\nLimiter\n');
    expect(second).toContain('\nBursts\n');
  });

  it('is that of one limit if there are only findings on it', () => {
    const [requests, tokens] = [sampleLimitReport(), sampleTokenReport()];
    expect(onTerminal(findingsDocument({ requests, tokens: null }))).toBe(
      onTerminal(limitsDocument(requests)),
    );
    expect(onTerminal(findingsDocument({ requests: null, tokens }))).toBe(
      onTerminal(tokensDocument(tokens)),
    );
    expect(() => findingsDocument({ requests: null, tokens: null })).toThrow('no findings');
  });
});

describe('a drawing', () => {
  /** What each drawing says, and the paths of its wide form. */
  const drawn = (figures: readonly { readonly markup: string }[]): readonly string[] =>
    figures.flatMap(({ markup }) => {
      const [wide = ''] = markup.split('</svg>');
      return [
        ...(/<p class="aside">.*?<\/p>/.exec(wide) ?? []),
        `${[...wide.matchAll(/y="236"[^>]*>([^<]*)/g)].map(([, time]) => time).join(', ')}; ${[...wide.matchAll(/anchor="end">([^<]*)/g)].map(([, text]) => text).join(', ')}`,
        ...(wide.match(/<path class="(?!grid)[^>]*>(?:<title>[^<]*)?/g) ?? []),
      ];
    });

  it('of requests has each phase: its ticks, what remained, and the starts of windows', () => {
    expect(drawn(limitsTimeline(sampleLimitReport()))).toMatchSnapshot();
  });

  it('of requests has windows from the first request, or none', () => {
    const starts = (best: LimitReport['judgement']['identification']['best']) => {
      const { identification } = sampleLimitReport().judgement;
      return limitsTimeline(requestsWith({ identification: { ...identification, best } })).map(
        ({ markup }) => [
          markup.match(/<path class="thin"/g)?.length ?? 0,
          /dashed lines/.test(markup),
        ],
      );
    };
    expect([
      starts(sampleFit('fixed-from-first', 0)),
      starts(sampleFit('sliding-log', 0)),
      starts(null),
    ]).toMatchSnapshot();
  });

  it('of tokens has the even pace, each burst and the load', () => {
    expect(drawn(tokensTimeline(sampleTokenReport()))).toMatchSnapshot();
  });
});
