import type { LimitCheck } from '../../model/limit-log.ts';
import type { LimitReport } from '../../model/limit-report.ts';
import { countText, timeText } from '../number-text.ts';
import { printable } from '../printable.ts';
import { padded, wrapped } from '../terminal/columns.ts';
import { paragraph, type Screen, screenOf, type Style } from '../terminal/screen.ts';
import {
  identificationText,
  type Outcome,
  outcomeOf,
  sectionText,
  spentText,
  verdictText,
} from './limit-words.ts';

const marks = {
  holds: ['✓', 'good'],
  violated: ['✗', 'bad'],
  'does not hold': ['!', 'warning'],
  undecided: ['?', 'quiet'],
} as const satisfies Record<Outcome, readonly [string, Style]>;

const idColumns = 27;
const sectionColumns = 14;

const checkLines = (screen: Screen, check: LimitCheck): readonly string[] => {
  const outcome = outcomeOf(check);
  const [mark, style] = marks[outcome];
  const indent = 4 + idColumns;
  const isFault = outcome === 'violated' || outcome === 'does not hold';
  const text = isFault ? `${check.claim} Not so: ${check.observed}.` : `${check.observed}.`;
  const lines = wrapped(printable(text), screen.width - indent - sectionColumns);
  return lines.map((line, i) =>
    i === 0
      ? `  ${screen.paint(style, mark)} ${padded(check.id, idColumns)}${padded(line, screen.width - indent - sectionColumns)}${screen.paint('quiet', sectionText(check).padStart(sectionColumns))}`
      : ' '.repeat(indent) + line,
  );
};

const title = ({ paint }: Screen, text: string): readonly string[] => ['', paint('strong', text)];

/** What an examination of limits found, for a terminal. */
export const limitsTerminal = (
  report: LimitReport,
  look: { readonly colour: boolean; readonly width: number },
): string => {
  const screen = screenOf(look);
  const { judgement, log } = report;
  const { limit, window } = log.declared.requests;
  const { least, most } = judgement.facts.mostAdmitted;
  const evidence = judgement.checks.filter(
    (check) => outcomeOf(check) === 'violated' && check.evidence.length > 0,
  );
  return [
    screen.paint(judgement.violated ? 'bad' : 'good', verdictText(report)),
    ...paragraph(
      screen,
      printable(`${report.target}, model ${report.model}: ${spentText(report)}`),
      {
        indent: 0,
        style: 'quiet',
      },
    ),
    ...title(
      screen,
      `Limiter, by the declared ${countText(limit)} requests in ${timeText(window)}`,
    ),
    ...paragraph(screen, identificationText(judgement.declared, limit, window)),
    ...(judgement.seen === null
      ? []
      : paragraph(
          screen,
          `With the limit that was seen: ${identificationText(judgement.seen, limit, window)}`,
        )),
    ...paragraph(
      screen,
      `Most let in within any ${timeText(window)}: ${least === most ? countText(most) : `between ${countText(least)} and ${countText(most)}`}.`,
    ),
    ...title(screen, 'Claims'),
    ...judgement.checks.flatMap((check) => checkLines(screen, check)),
    ...(evidence.length === 0 ? [] : title(screen, 'Evidence')),
    ...evidence.flatMap((check) =>
      check.evidence.flatMap((row) => paragraph(screen, printable(`${check.id}: ${row}`))),
    ),
    '',
    screen.paint(
      'quiet',
      '✓ proved   ✗ a limit is violated (exit 14)   ! does not hold, and violates no limit   ? undecided by this log',
    ),
  ].join('\n');
};
