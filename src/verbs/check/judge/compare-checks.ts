import {
  type ChangedCheck,
  type CheckChange,
  checkChanges,
  type CheckComparison,
  type CheckOutcome,
  type CheckReport,
  type CheckRow,
} from '../model/check-report.ts';

/** How serious each result is; `null` if the check was not decided. */
const gravity: Readonly<Record<CheckOutcome, number | null>> = {
  violation: 2,
  deviation: 1,
  exempt: 0,
  open: 0,
  pass: 0,
  unchecked: null,
};

const gravityOf = (row: CheckRow | null): number | null =>
  row === null ? null : gravity[row.outcome];

/** The change to report for a check that only the later report has. The index is the gravity of the check's result. */
const newAs: readonly (CheckChange | null)[] = [null, 'new', 'worse'];

/** Returns how the result of a check changed; `null` if the result did not change. */
const changeOf = (before: CheckRow | null, after: CheckRow | null): CheckChange | null => {
  const [was, is] = [gravityOf(before), gravityOf(after)];
  if (was === null && is === null) return null;
  if (is === null) return 'lost';
  if (before === null) return newAs[is] ?? null;
  // A check that was undecided before is treated as if it had passed, so a finding is `worse`.
  if (is > (was ?? 0)) return 'worse';
  if (was === null) return 'other';
  if (is < was) return 'better';
  return is > 0 && before.name !== after?.name ? 'other' : null;
};

const order = Object.keys(checkChanges);

/** Returns sentences about other differences between the two reports. */
const notesOn = (before: CheckReport, after: CheckReport): readonly string[] => [
  ...(before.profile === after.profile
    ? []
    : [`The profile was ${before.profile}, and is ${after.profile}.`]),
  ...(['chat', 'speech', 'transcription', 'voice'] as const)
    .filter((kind) => before.models[kind] !== after.models[kind])
    .map(
      (kind) =>
        `The ${kind === 'voice' ? 'voice' : `${kind} model`} was ${before.models[kind] ?? 'none'}, and is ${after.models[kind] ?? 'none'}.`,
    ),
  ...[before, after].flatMap(({ stopped, startedAt }) =>
    stopped === null ? [] : [`The checks of ${startedAt} ended early: ${stopped}.`],
  ),
];

const partOf = ({ target, startedAt, profile }: CheckReport) => ({ target, startedAt, profile });

export const compareChecks = (before: CheckReport, after: CheckReport): CheckComparison => {
  const [old, recent] = [before, after].map(
    ({ rows }) => new Map(rows.map((row) => [row.id, row])),
  );
  const ids = [...new Set([...old!.keys(), ...recent!.keys()])];
  const changes = ids.flatMap((id): readonly ChangedCheck[] => {
    const sides = { before: old!.get(id) ?? null, after: recent!.get(id) ?? null };
    const change = changeOf(sides.before, sides.after);
    return change === null ? [] : [{ id, change, ...sides }];
  });
  return {
    format: 'check-comparison/1',
    weir: after.weir,
    before: partOf(before),
    after: partOf(after),
    same: ids.length - changes.length,
    changes: changes.toSorted((a, b) => order.indexOf(a.change) - order.indexOf(b.change)),
    notes: notesOn(before, after),
  };
};
