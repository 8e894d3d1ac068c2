import type { LimitCheck } from '../../model/limits/limit-log.ts';
import { failsRun, type ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { failed, type JunitCase, junitFile, passed, skipped } from './junit-file.ts';
import {
  objectiveFindingText,
  goodputSentence,
  objectiveOutcome,
  objectivesSentence,
} from '../summary/objective-text.ts';
import { runDuration } from '../summary/rates.ts';
import { type RunVerdict, runVerdict } from '../summary/run-verdict.ts';
import { addressText } from '../summary/plan-terms.ts';
import { present } from '../text/present.ts';

const objectiveCase = (verdict: ObjectiveVerdict, isStrict: boolean): JunitCase => {
  const finding = objectiveFindingText(verdict);
  const isMissing = ['no-data', 'never-given'].includes(verdict.grounds);
  const type = isMissing ? 'no-data' : 'objective-broken';
  const outcomes = {
    kept: passed,
    broken: failed(type, `expected ${verdict.text}, got ${finding}`),
    // A warning is reported as a skipped test, since a failed test would make the CI job fail.
    warning: skipped(`warning: ${finding}`),
    undecided:
      isStrict && verdict.severity === 'fail' ? failed('undecided', finding) : skipped(finding),
  };
  const outcome = outcomes[failsRun(verdict) ? 'broken' : objectiveOutcome(verdict)];
  return { classname: 'objectives', name: verdict.text, outcome };
};

/** Makes the test that says whether the run counts. This test is the first test of every file, so no file is empty. */
const runCase = ({ level, load, sentences }: RunVerdict, trust: Trust): JunitCase => {
  const evidence = trust.evidence
    .filter(({ decides, level: found }) => decides && found !== 'valid')
    .map(({ signal, observed, expected }) => `${signal}: ${observed} (healthy: ${expected})`);
  const invalid = failed('run-invalid', load, [...sentences, ...evidence].join(' '));
  const outcome = level === 'invalid' ? invalid : passed;
  return { classname: 'run', name: 'the run is complete and its figures count', outcome };
};

const limitCase = (key: string, check: LimitCheck): JunitCase => {
  const outcomes = {
    proved: passed,
    undecided: skipped(check.observed),
    refuted: failed('violated', check.observed, [check.observed, ...check.evidence].join('\n')),
  };
  const name = `${check.id}: ${check.claim}`;
  return { classname: `limits.${key}`, name, outcome: outcomes[check.finding] };
};

/**
 * Returns a test for each claim that is false only if a limit is violated. Returns no tests if limits were not judged.
 */
const limitCases = ({ limits }: Result): readonly JunitCase[] => {
  if (limits === undefined || !limits.judged) return [];
  const unknown = skipped('nothing was sent, or by several slices');
  if (limits.keys.length === 0) {
    return [{ classname: 'limits', name: 'limits can be judged', outcome: unknown }];
  }
  return limits.keys.flatMap(({ key, checks }) =>
    checks.filter(({ violates }) => violates).map((check) => limitCase(key, check)),
  );
};

/**
 * Writes a run's verdicts as JUnit tests: one test says whether the run counts, and each objective and each claim about
 * limits has one test. The test of an undecided objective is skipped, or fails if `isStrict` is true.
 */
export const runJunit = (result: Result, trust: Trust, isStrict = false): string => {
  const verdicts = result.verdicts ?? [];
  const verdict = runVerdict(result, trust);
  return junitFile({
    name: `weir ${result.plan.name}`,
    startedAt: result.startedAt,
    duration: runDuration(result),
    properties: {
      weir: result.weir,
      target: addressText(result.baseUrl),
      run: result.runId,
      plan: result.planHash,
    },
    cases: [
      runCase(verdict, trust),
      ...verdicts.map((each) => objectiveCase(each, isStrict)),
      ...limitCases(result),
    ],
    output: present([
      objectivesSentence(verdicts),
      `${verdict.load}: ${verdict.sentences.join(' ')}`,
      goodputSentence(result),
      ...verdicts.map((each) => `${each.text}: ${objectiveFindingText(each)}`),
    ]),
  });
};
