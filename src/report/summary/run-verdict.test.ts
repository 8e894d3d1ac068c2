import { describe, expect, it } from 'vitest';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import type { FigureError, Trust, TrustLevel } from '../../model/result/verdict.ts';
import { runVerdict } from './run-verdict.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import {
  degradedTrust,
  invalidTrust,
  sampleFigure,
  sampleSignal,
  uncertainGap,
  validTrust,
} from '../fixtures/sample-trust.fixture.ts';

const result = sampleRunResult();
const failed: Result = {
  ...result,
  groups: result.groups.map((group) => ({
    ...group,
    outcomes: { ...emptyOutcomeCounts(), refused: 5 },
  })),
};
/** Without chunk gaps. */
const chats: Result = {
  ...result,
  groups: result.groups.filter(({ labels }) => labels.traffic === 'chat'),
};
const halved: Result = {
  ...result,
  slices: result.slices.map((slice) => ({ ...slice, count: 2 })),
};

describe('the verdict of a run', () => {
  it('is the trust in its load, and how many headline figures are not exact', () => {
    const titles = [validTrust, degradedTrust, invalidTrust].map(
      (trust) => runVerdict(result, trust).title,
    );
    expect(titles).toEqual([
      'Load as planned',
      'Load as planned; 1 figure approximate',
      'Load not as planned',
    ]);
  });

  it('says of a valid run that the load and the figures are as they should be', () => {
    const first = (trust: Trust) => runVerdict(result, trust).sentences[0];
    expect(first(validTrust)).toBe(
      'All headline figures are exact: the load generator moved none by more than 5 % or 1 ms, or out of its interval.',
    );
    const weak = sampleFigure({ measure: 'endToEnd', isWeak: true, isSmall: false });
    expect(first({ ...validTrust, figures: [...validTrust.figures, weak] })).toContain(
      'All headline figures with enough samples are exact: ',
    );
    expect(first({ ...validTrust, evidence: [] })).toBeUndefined();
    expect(runVerdict(result, { ...validTrust, evidence: [] }).load).toBe('Load as planned');
  });

  it.each([
    [[], null],
    [[['reset', 1]], null],
    [
      [
        ['reset', 2],
        ['closed-on-reuse', 3],
        ['deadline-idle', 9],
      ],
      '2.5 % of the requests failed by their connections (3 closed-on-reuse and 2 reset)',
    ],
  ] as const)('speaks of more than 1 %% of failures by connections: %j', (causes, expected) => {
    const [second] = result.timeline;
    const [failure] = result.failures;
    const failures = causes.map(
      ([cause, count]) => ({ ...failure!, outcome: 'broken', status: null, cause, count }) as const,
    );
    const timeline = [{ ...second!, due: 200 }];
    const { sentences } = runVerdict({ ...result, failures, timeline }, validTrust);
    const found = sentences.filter((sentence) => sentence.includes('connections'));
    expect(found).toEqual(expected === null ? [] : [expect.stringContaining(expected)]);
  });

  it.each([
    ['of 25.3 ms may be off by 5 ms', [{ low: 20.3, high: 28 }], 'valid'],
    ['of 400 ms may be off by 5 ms', [{ value: 400, low: 395, high: 405 }], 'valid'],
    ['of 25.3 ms may be off by 6 ms', [{ low: 25.3, high: 31.3 }], 'degraded'],
    ['of 16 ms may be off by 5 ms', [{ value: 16, low: 11, high: 16 }], 'degraded'],
    ['of 400 ms may be off by 21 ms', [{ value: 400, low: 379, high: 400 }], 'degraded'],
    ['is unknown beside a slight one', [{}, { low: 25.3, high: Infinity }], 'degraded'],
  ] as const)('marks a run as a warning, or not, if a figure %s', (_, differing, level) => {
    const figures = differing.map((each) => sampleFigure({ ...uncertainGap, ...each }));
    expect(runVerdict(result, { ...degradedTrust, figures }).level).toBe(level);
  });

  it('marks a run as a warning if a slight error spans a bound, or the load was not quite as planned', () => {
    expect(runVerdict(result, degradedTrust).level).toBe('valid');
    const undecided = sampleVerdict({ grounds: 'within-error' });
    expect(runVerdict({ ...result, verdicts: [undecided] }, degradedTrust).level).toBe('degraded');
    const evidence = [
      ...degradedTrust.evidence,
      sampleSignal({ signal: 'requests in flight', level: 'degraded' }),
    ];
    expect(runVerdict(result, { ...degradedTrust, evidence }).level).toBe('degraded');
  });

  it('names the figures that are approximate, with their errors, up to six', () => {
    const sentencesOf = (figures: readonly FigureError[]) =>
      runVerdict(result, { ...degradedTrust, figures }).sentences;
    expect(sentencesOf(degradedTrust.figures)).toEqual([
      'Approximate, since the load generator can have moved it: chat-stream Chunk gap p95 25.3 ms (up to 1.4 too high or 2.8 too low).',
    ]);
    const nine = Array.from({ length: 9 }, () => uncertainGap);
    expect(sentencesOf(nine)[0]).toMatch(
      /^Approximate, .* moved them: (chat-stream Chunk gap p95 25\.3 ms \(up to 1\.4 too high or 2\.8 too low\)(, | and )){6}3 others\.$/,
    );
  });

  it('says whether the load or the figures were at fault', () => {
    const sentencesOf = (level: TrustLevel, ...names: readonly string[]) => {
      const evidence = names.map((signal) => sampleSignal({ signal, level }));
      const causes = [sampleSignal({ signal: 'a cause', decides: false, level })];
      const figures = [uncertainGap];
      return runVerdict(chats, { level, figures, evidence: [...evidence, ...causes] }).sentences;
    };
    const ofFigures = /^Approximate, since the load generator can have moved it/;
    const ofLoad = /^Requests began too late, so the figures do not count\.$/;
    expect(sentencesOf('degraded', 'measurement error')).toEqual([
      expect.stringMatching(ofFigures),
    ]);
    expect(sentencesOf('invalid', 'start lag')).toEqual([expect.stringMatching(ofLoad)]);
    // The figures of another load than the planned one do not count, exact or not.
    expect(sentencesOf('invalid', 'start lag', 'measurement error')).toEqual([
      expect.stringMatching(ofLoad),
    ]);
    expect(sentencesOf('invalid', 'source ports')).toEqual([
      'Too many requests failed in the load generator, so the figures do not count.',
    ]);
    expect(sentencesOf('degraded', 'requests in flight', 'measurement error')).toEqual([
      'A part of the load was not as planned, or is not verified: requests in flight.',
      expect.stringMatching(ofFigures),
    ]);
    expect(sentencesOf('degraded', 'requests in flight')).toEqual([
      'A part of the load was not as planned, or is not verified: requests in flight.',
    ]);
  });

  it.each([
    [
      { low: 25.3 - 12, high: 25.3 },
      '1 figure approximate',
      /^Approximate, .* p95 25\.3 ms \(up to 12\.0 too high\)\.$/,
    ],
    [
      { low: 25.3 - 13, high: 25.3 },
      '1 figure unknown',
      /^Unknown, .* by more than half: .* \(up to 13\.0 too high\)\.$/,
    ],
    [
      { low: 25.3, high: Infinity },
      '1 figure unknown',
      /^Unknown, .* p95 25\.3 ms \(by any amount\)\.$/,
    ],
    [
      { value: 3, low: 0, high: 8 },
      '1 figure approximate',
      /^Approximate, .* \(up to 3\.00 too high or 5\.00 too low\)\.$/,
    ],
    [
      { low: 25.3, high: 30 },
      '1 figure approximate',
      /^Approximate, .* 25\.3 ms \(up to 4\.7 too low\)\.$/,
    ],
    [
      { low: 23.3, high: 27.3 },
      '1 figure approximate',
      /^Approximate, .* 25\.3 ms \(up to 2\.0 too high or too low\)\.$/,
    ],
  ])('of a figure within %j says that it is %s', (differing, counted, sentence) => {
    const trust = { ...degradedTrust, figures: [sampleFigure({ ...uncertainGap, ...differing })] };
    const { load, sentences } = runVerdict(chats, trust);
    expect(load).toBe(`Load as planned; ${counted}`);
    expect(sentences[0]).toMatch(sentence);
  });

  it('begins with what the objectives say, and withholds gaps if nothing is known', () => {
    const verdicts = [sampleVerdict({ ruling: 'fail', grounds: 'broken' })];
    expect(runVerdict({ ...result, verdicts }, validTrust).title).toBe(
      '0 of 1 objective kept, 1 broken; load as planned',
    );
    const figures = [sampleFigure({ isSmall: false, low: 0 })];
    const { sentences } = runVerdict(result, { ...degradedTrust, figures });
    expect(sentences).toContain(
      'Chunk gaps are withheld, since they would look better than they were.',
    );
  });

  it('is never valid when nothing succeeded, even with a healthy generator', () => {
    const { level, title, sentences } = runVerdict(failed, validTrust);
    expect([level, title]).toEqual([
      'invalid',
      'Nothing succeeded after the warm-up; load as planned',
    ]);
    expect(sentences[0]).toBe('There are no latencies; the failures show why.');
    const cold = { ...failed, plan: { ...failed.plan, warmUp: milliseconds(0) } };
    expect(runVerdict(cold, validTrust).against[0]).toBe('Nothing succeeded.');
    expect(runVerdict(cold, invalidTrust).title).toBe('Nothing succeeded; load not as planned');
  });

  it('is not valid when only the warm-up succeeded', () => {
    const warmedOnly: Result = {
      ...result,
      groups: result.groups.map((group) =>
        group.labels.warmUp
          ? group
          : { ...group, outcomes: { ...emptyOutcomeCounts(), refused: 5 } },
      ),
    };
    const { level, title, sentences } = runVerdict(warmedOnly, validTrust);
    expect([level, title]).toEqual([
      'invalid',
      'Nothing succeeded after the warm-up; load as planned',
    ]);
    expect(sentences[0]).toBe('There are no latencies; the failures show why.');
  });

  it('says so when nothing was due after the warm-up, or at all', () => {
    const groups = result.groups.filter(({ labels }) => labels.warmUp);
    const verdicts = [groups, []].map((some) =>
      runVerdict({ ...result, groups: some }, validTrust),
    );
    expect(verdicts.map(({ level, title, sentences }) => [level, title, sentences[0]])).toEqual([
      [
        'invalid',
        'Nothing measured',
        'No request was due after the warm-up, so there are no figures.',
      ],
      ['invalid', 'Nothing measured', 'No request was due.'],
    ]);
  });

  it('is incomplete before anything else when a slice is missing', () => {
    expect(runVerdict(halved, validTrust)).toMatchObject({ level: 'invalid', title: 'Incomplete' });
  });

  it.each([
    [2, 'The run is incomplete: slice 1/2 is missing.'],
    [4, 'The run is incomplete: slices 1/4, 2/4 and 3/4 are missing.'],
    [40, 'The run is incomplete: 39 of its 40 slices are missing.'],
  ])('names what is missing of %i slices, as long as it is a few', (count, sentence) => {
    const slices = result.slices.map((slice) => ({ ...slice, count }));
    expect(runVerdict({ ...result, slices }, validTrust).sentences[0]).toBe(sentence);
  });

  it('says that gaps are withheld, where there are any', () => {
    expect(runVerdict(result, invalidTrust).sentences.join(' ')).toContain(
      'Chunk gaps are withheld, since they would look better than they were.',
    );
    const groups = result.groups.filter(({ labels }) => labels.traffic === 'models');
    const listed = runVerdict({ ...result, groups }, invalidTrust);
    expect(listed.title).toBe('Load not as planned');
    expect(listed.sentences.join(' ')).not.toContain('gaps');
  });

  it('says why a run is partial', () => {
    const { level, title, sentences } = runVerdict(
      { ...result, partial: 'interrupted' },
      validTrust,
    );
    expect([level, title]).toEqual(['valid', 'Load as planned, partial']);
    expect(sentences[0]).toBe('The run stopped before its plan did: interrupted.');
  });
});
