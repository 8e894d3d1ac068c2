import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { type JunitCase, junitFile } from './junit-file.ts';
import {
  objectiveFindingText,
  goodputSentence,
  objectiveOutcome,
  objectivesSentence,
} from '../summary/objective-text.ts';
import { runDuration } from '../summary/rates.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { addressText } from '../summary/plan-terms.ts';

const objectiveCase = (verdict: ObjectiveVerdict): JunitCase => {
  const named = { classname: 'objectives', name: verdict.text };
  const finding = objectiveFindingText(verdict);
  switch (objectiveOutcome(verdict)) {
    case 'kept':
      return { ...named, outcome: { kind: 'passed' } };
    case 'broken': {
      const message = `expected ${verdict.text}, got ${finding}`;
      const type = verdict.grounds === 'no-data' ? 'no-data' : 'objective-broken';
      return { ...named, outcome: { kind: 'failed', type, message, details: message } };
    }
    // A warning passes, since a test that fails would fail the job.
    case 'warning':
      return { ...named, outcome: { kind: 'skipped', message: `warning: ${finding}` } };
    case 'undecided':
      return { ...named, outcome: { kind: 'skipped', message: finding } };
  }
};

/** Whether the run counts. It is the first test of every file, so that no file is empty. */
const runCase = (result: Result, trust: Trust): JunitCase => {
  const { level, title, sentences } = runVerdict(result, trust);
  const named = { classname: 'run', name: 'the run is complete and its figures count' };
  if (level !== 'invalid') return { ...named, outcome: { kind: 'passed' } };
  const evidence = trust.evidence
    .filter((each) => each.level !== 'valid')
    .map(({ signal, observed, expected }) => `${signal}: ${observed} (healthy: ${expected})`);
  const details = [...sentences, ...evidence].join(' ');
  return { ...named, outcome: { kind: 'failed', type: 'run-invalid', message: title, details } };
};

/** The claims that decide whether limits are violated, if the scenario asks for it. */
const limitCases = ({ limits }: Result): readonly JunitCase[] =>
  limits === undefined || !limits.judged
    ? []
    : limits.keys.length === 0
      ? [
          {
            classname: 'limits',
            name: 'limits can be judged',
            outcome: { kind: 'skipped', message: 'nothing was sent, or by several slices' },
          },
        ]
      : limits.keys.flatMap(({ key, checks }) =>
          checks
            .filter(({ violates }) => violates)
            .map((check): JunitCase => {
              const named = { classname: `limits.${key}`, name: `${check.id}: ${check.claim}` };
              const message = check.observed;
              if (check.finding === 'proved') return { ...named, outcome: { kind: 'passed' } };
              if (check.finding === 'undecided') {
                return { ...named, outcome: { kind: 'skipped', message } };
              }
              const details = [message, ...check.evidence].join('\n');
              return { ...named, outcome: { kind: 'failed', type: 'violated', message, details } };
            }),
        );

/** A run's verdicts as JUnit tests: whether it counts, and one for each objective and each claim about limits. */
export const runJunit = (result: Result, trust: Trust): string => {
  const verdicts = result.verdicts ?? [];
  const { title, sentences } = runVerdict(result, trust);
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
    cases: [runCase(result, trust), ...verdicts.map(objectiveCase), ...limitCases(result)],
    output: [
      `${title}: ${sentences.join(' ')}`,
      ...[objectivesSentence(verdicts), goodputSentence(result)].filter((line) => line !== null),
      ...verdicts.map((verdict) => `${verdict.text}: ${objectiveFindingText(verdict)}`),
    ],
  });
};
