import { interfaceRows } from '../model/interface-rows.ts';
import type { CheckProfile } from '../model/check-choices.ts';
import type { CheckReport, CheckRow } from '../model/check-report.ts';
import type { CheckAnswer } from '../reading/check-answer.ts';
import { type Answers, type Check, type Judged, unchecked } from '../reading/check-case.ts';
import { exemptionOf } from './profiles.ts';

const maxEvidence = 8;

const rowOf = (
  { id, topic, rows, expected }: Check,
  { outcome, observed, name = null, evidence = [], bounds }: CheckRow | Judged,
): CheckRow => {
  const row = interfaceRows.get(rows[0] ?? '');
  return {
    id,
    topic,
    section: row?.section ?? '',
    sentence: row?.sentence ?? '',
    outcome,
    expected,
    observed,
    name,
    evidence: evidence.slice(0, maxEvidence),
    ...(bounds === undefined ? {} : { bounds }),
  };
};

/** Marks a row as a known gap of a profile. */
const exempted = (row: CheckRow, profile: CheckProfile): CheckRow => {
  if (row.outcome !== 'violation' && row.outcome !== 'deviation') return row;
  const reason = exemptionOf(profile, row.id);
  return reason === null
    ? row
    : { ...row, outcome: 'exempt', observed: `${row.observed} (${reason})` };
};

/** Returns the reason why a check cannot be decided: the first request that was not answered as expected. */
const blockedBy = (check: Check, gates: ReadonlyMap<string, CheckRow>): string | null => {
  for (const request of check.needs) {
    const gate = gates.get(request);
    if (gate === undefined) return `there is no answer to ${request}`;
    if (gate.outcome === 'unchecked') return gate.observed;
    if (gate.outcome === 'violation') return `${request} was not answered as wanted`;
  }
  return null;
};

/** Judges all checks. First judges the checks that decide whether a request was answered as expected. */
export const judgeChecks = (
  checks: readonly Check[],
  all: readonly Check[],
  answers: Answers,
  profile: CheckProfile,
): readonly CheckRow[] => {
  const gates = new Map(
    all
      .filter(({ isGate }) => isGate)
      .map((check) => [check.id, rowOf(check, check.judge(answers))]),
  );
  return checks.map((check) => {
    const gate = gates.get(check.id);
    if (gate !== undefined) return exempted(gate, profile);
    const blocked = blockedBy(check, gates);
    if (blocked !== null) return rowOf(check, unchecked(blocked));
    const missing = check.needs.find((request) => answers.of(request)?.received.failure !== null);
    if (missing !== undefined)
      return rowOf(check, unchecked(`the answer to ${missing} is not whole`));
    return exempted(rowOf(check, check.judge(answers)), profile);
  });
};

export const unseenRows = (): CheckReport['unseen'] =>
  [...interfaceRows.values()].flatMap(({ section, sentence, unseen }) =>
    unseen === null ? [] : [{ section, sentence, reason: unseen }],
  );

export const answersFrom = (
  target: Answers['target'],
  given: {
    readonly answers: ReadonlyMap<string, CheckAnswer>;
    readonly limited: readonly CheckAnswer[];
    readonly repeated: readonly CheckAnswer[];
    readonly hangUps?: Answers['hangUps'];
  },
): Answers => ({
  target,
  of: (id) => given.answers.get(id) ?? null,
  limited: given.limited,
  repeated: given.repeated,
  hangUps: given.hangUps,
  all: [...given.answers.values()],
});
