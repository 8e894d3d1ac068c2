import type { Group, HangUps } from '../../model/measures/counts.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { column, type Column, section, type Section, table } from '../document/document.ts';
import { kindsPresent } from '../summary/figures.ts';
import { countText, plural, timeText } from '../text/number-text.ts';
import { sumOf } from '../../model/sums.ts';

/**
 * The requests of one traffic entry on which the client planned to hang up, and the data received before the hang-ups.
 */
interface HangUpRow {
  readonly name: string;
  readonly kind: Group['labels']['traffic'];
  readonly parts: readonly HangUps[];
}

const cancelledIn = ({ parts }: HangUpRow): number =>
  sumOf(parts, (part) => part.outcomes.cancelled);

/** Formats a mean over the cancelled requests; a dash if no request was cancelled. */
const meanText = (
  row: HangUpRow,
  of: (part: HangUps) => number,
  write: (mean: number) => string,
): string => {
  const count = cancelledIn(row);
  return count === 0 ? '–' : write(sumOf(row.parts, of) / count);
};

const roundedText = (mean: number): string =>
  mean < 100 ? String(Number(mean.toFixed(1))) : countText(mean);

const columns: readonly Column<HangUpRow>[] = [
  column.name('Entry', ({ name, kind }) => ({ text: name, dot: kind })),
  column.number({ title: 'To hang up on', short: 'chosen' }, ({ parts }) =>
    countText(sumOf(parts, (part) => countArrivals(part.outcomes))),
  ),
  column.number('Cancelled', (row) => countText(cancelledIn(row))),
  column.number({ title: 'Completed before', short: 'completed' }, ({ parts }) =>
    countText(sumOf(parts, (part) => part.outcomes.completed)),
  ),
  column.number({ title: 'With headers', short: 'headers' }, ({ parts }) =>
    countText(sumOf(parts, (part) => part.headers)),
  ),
  column.number({ title: 'Token events each', short: 'tokens' }, (row) =>
    row.kind === 'chat-stream' ? meanText(row, (part) => part.tokenEvents, roundedText) : '–',
  ),
  column.number({ title: 'Bytes each', short: 'bytes' }, (row) =>
    meanText(row, (part) => part.bytes, roundedText),
  ),
  column.number({ title: 'Time from sent, mean', short: 'after' }, (row) =>
    meanText(row, (part) => part.time, timeText),
  ),
];

/** Returns a phrase with the number of requests of the whole run on which the client hung up; `null` for none. */
export const hangUpSentence = ({ groups }: Result): string | null => {
  const { cancelled, ...others } = sumOutcomes(groups);
  return cancelled === 0
    ? null
    : `the client hung up on ${countText(cancelled)} of ${plural(countArrivals({ cancelled, ...others }), 'request')}, as the scenario says`;
};

/** Builds the section on hang-ups, and on the data received before them; `null` if no hang-up was planned. */
export const hangUpSection = (result: Result): Section | null => {
  const rows = kindsPresent(result).flatMap((kind) => {
    const own = result.groups.filter(({ labels }) => labels.traffic === kind);
    const byEntry = Map.groupBy(own, ({ labels }) => labels.entry ?? kind);
    return [...byEntry].map(([name, groups]) => ({
      name,
      kind,
      parts: groups.flatMap(({ hangUps }) => hangUps ?? []),
    }));
  });
  const shown = rows.filter(({ parts }) => parts.length > 0);
  if (shown.length === 0) return null;
  const caption =
    'Requests on which the client was to hang up; no figure of times or of goodput contains them';
  return section('Hang-ups', [table(caption, columns, shown)]);
};
