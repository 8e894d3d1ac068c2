import { expect, it } from 'vitest';
import type { KeyLimits } from '../../model/limits/run-limits.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust, validTrust } from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { runJunit } from './run-junit.ts';

const result = sampleRunResult();
const casesOf = (...given: Parameters<typeof runJunit>): readonly string[] =>
  [...runJunit(...given).matchAll(/ {2}<testcase ([^]*?)<\/testcase>/g)].map(
    ([, text = '']) => text,
  );

const claim = { claim: 'It is kept.', section: '8', violates: true };
const key: KeyLimits = {
  key: 'main',
  requests: { least: 1, most: 1 },
  tokens: { least: 1, most: 1 },
  refusals: null,
  explainedBy: null,
  checks: [
    { ...claim, id: 'a', finding: 'proved', observed: 'seen', evidence: ['r1'] },
    { ...claim, id: 'b', finding: 'undecided', observed: 'too few', evidence: ['r2'] },
    { ...claim, id: 'c', finding: 'refuted', observed: '61 of 60', evidence: ['r3', 'r4'] },
    { ...claim, id: 'd', finding: 'refuted', observed: 'advice', evidence: [], violates: false },
  ],
};

it('a file says which run it is of, what was tested and what was observed', () => {
  const verdicts = [sampleVerdict()];
  const ended = {
    ...result,
    planHash: 'b78f',
    startedAt: '2025-11-03T09:30:00.123Z',
    ended: 61_234.4,
    verdicts,
  };
  expect(runJunit(ended as typeof result, validTrust)).toMatchInlineSnapshot(`
    "<?xml version="1.0" encoding="UTF-8"?>
    <testsuite name="weir quickstart" timestamp="2025-11-03T09:30:00" hostname="localhost" tests="2" failures="0" errors="0" skipped="0" time="61.234">
      <properties>
        <property name="weir" value="0.1.0"/>
        <property name="target" value="http://127.0.0.1:8080/v1"/>
        <property name="run" value="01J8-sample"/>
        <property name="plan" value="b78f"/>
      </properties>
      <testcase classname="run" name="the run is complete and its figures count" time="0"></testcase>
      <testcase classname="objectives" name="ttft.p95{stage=peak} &lt; 800ms" time="0"></testcase>
      <system-out>1 of 1 objective kept
    Load as planned: All headline figures are exact: the load generator moved none by more than 5 % or 1 ms, or out of its interval.
    ttft.p95{stage=peak} &lt; 800ms: 684 ms (95 %: 566 ms to 746 ms), n 760
    </system-out>
      <system-err></system-err>
    </testsuite>
    "
  `);
});

it('claims that decide on limits are cases of their key, if limits are judged', () => {
  const limits = { keys: [key], judged: true, violated: true };
  expect(casesOf({ ...result, limits }, validTrust).slice(1)).toEqual([
    'classname="limits.main" name="a: It is kept." time="0">',
    'classname="limits.main" name="b: It is kept." time="0"><skipped message="too few"/>',
    'classname="limits.main" name="c: It is kept." time="0"><failure message="61 of 60" type="violated">61 of 60\nr3\nr4</failure>',
  ]);
  expect(casesOf({ ...result, limits: { ...limits, judged: false } }, validTrust)).toHaveLength(1);
  expect(casesOf({ ...result, limits: { ...limits, keys: [] } }, validTrust).slice(1)).toEqual([
    'classname="limits" name="limits can be judged" time="0"><skipped message="nothing was sent, or by several slices"/>',
  ]);
});

it('an objective without data fails with a separate type, and a warning is skipped', () => {
  const fail = { ruling: 'fail' } as const;
  const verdicts = [
    sampleVerdict({ ...fail, grounds: 'no-data', n: 3 }),
    sampleVerdict({ ...fail, grounds: 'never-given', n: 0 }),
    sampleVerdict({ ...fail, grounds: 'broken' }),
    sampleVerdict({ ...fail, grounds: 'broken', severity: 'warn' }),
  ];
  const lines = casesOf({ ...result, verdicts }, validTrust).map((text) =>
    text.replace(/^.*time="0">/, '').replace(/" type="([^"]*)">.*/, ' ($1)'),
  );
  expect(lines.slice(1)).toEqual([
    '<failure message="expected ttft.p95{stage=peak} &lt; 800ms, got too little data: 3 samples, at least 200 needed (no-data)',
    '<failure message="expected ttft.p95{stage=peak} &lt; 800ms, got no data: the server never gave this figure (no-data)',
    '<failure message="expected ttft.p95{stage=peak} &lt; 800ms, got 684 ms (95 %: 566 ms to 746 ms), n 760 (objective-broken)',
    '<skipped message="warning: 684 ms (95 %: 566 ms to 746 ms), n 760"/>',
  ]);
});

it('only a strict run fails an undecided objective, and never one that only warns', () => {
  const open = { ruling: 'inconclusive', grounds: 'within-error' } as const;
  const error = { low: 1, high: 2 };
  const verdicts = [
    sampleVerdict({ ...open, error }),
    sampleVerdict({ ...open, error, severity: 'warn' }),
  ];
  const kinds = (isStrict?: boolean) =>
    casesOf({ ...result, verdicts }, validTrust, isStrict).map(
      (text) => /<(skipped|failure)/.exec(text)?.[1] ?? 'passed',
    );
  expect(kinds()).toEqual(['passed', 'skipped', 'skipped']);
  expect(kinds(true)).toEqual(['passed', 'failure', 'skipped']);
});

it('a run whose figures are only approximate counts', () => {
  expect(casesOf(result, degradedTrust)).toEqual([
    'classname="run" name="the run is complete and its figures count" time="0">',
  ]);
});
