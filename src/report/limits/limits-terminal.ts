import type { LimitCheck } from '../../model/limits/limit-log.ts';
import type { LimitReport } from '../../model/limits/limit-report.ts';
import { countText, timeText } from '../text/number-text.ts';
import { printable } from '../text/printable.ts';
import { paddedText, wrappedLines } from '../text/display-width.ts';
import {
  paragraph,
  type TerminalLayout,
  terminalLayout,
  type TextStyle,
} from '../terminal/terminal-layout.ts';
import {
  identificationText,
  type CheckOutcome,
  checkOutcomeOf,
  checkSectionText,
  requestsSentText,
  limitsVerdictText,
} from './limits-text.ts';

const marks = {
  holds: ['✓', 'good'],
  violated: ['✗', 'bad'],
  'does not hold': ['!', 'warning'],
  undecided: ['?', 'quiet'],
} as const satisfies Record<CheckOutcome, readonly [string, TextStyle]>;

const idColumns = 27;
const sectionColumns = 14;

const checkLines = (layout: TerminalLayout, check: LimitCheck): readonly string[] => {
  const outcome = checkOutcomeOf(check);
  const [mark, style] = marks[outcome];
  const indent = 4 + idColumns;
  const isFault = outcome === 'violated' || outcome === 'does not hold';
  const text = isFault ? `${check.claim} Not so: ${check.observed}.` : `${check.observed}.`;
  const lines = wrappedLines(printable(text), layout.width - indent - sectionColumns);
  return lines.map((line, i) =>
    i === 0
      ? `  ${layout.paint(style, mark)} ${paddedText(check.id, idColumns)}${paddedText(line, layout.width - indent - sectionColumns)}${layout.paint('quiet', checkSectionText(check).padStart(sectionColumns))}`
      : ' '.repeat(indent) + line,
  );
};

const title = ({ paint }: TerminalLayout, text: string): readonly string[] => [
  '',
  paint('strong', text),
];

/** What an examination of limits found, for a terminal. */
export const limitsTerminal = (
  report: LimitReport,
  terminalStyle: { readonly colour: boolean; readonly width: number },
): string => {
  const layout = terminalLayout(terminalStyle);
  const { judgement, log } = report;
  const { limit, window } = log.declared.requests;
  const { least, most } = judgement.facts.mostAdmitted;
  const evidence = judgement.checks.filter(
    (check) => checkOutcomeOf(check) === 'violated' && check.evidence.length > 0,
  );
  return [
    layout.paint(judgement.violated ? 'bad' : 'good', limitsVerdictText(report)),
    ...paragraph(
      layout,
      printable(`${report.target}, model ${report.model}: ${requestsSentText(report)}`),
      {
        indent: 0,
        style: 'quiet',
      },
    ),
    ...title(
      layout,
      `Limiter, by the declared ${countText(limit)} requests in ${timeText(window)}`,
    ),
    ...paragraph(layout, identificationText(judgement.declared, limit, window)),
    ...(judgement.seen === null
      ? []
      : paragraph(
          layout,
          `With the limit that was seen: ${identificationText(judgement.seen, limit, window)}`,
        )),
    ...paragraph(
      layout,
      `Most let in within any ${timeText(window)}: ${least === most ? countText(most) : `between ${countText(least)} and ${countText(most)}`}.`,
    ),
    ...title(layout, 'Claims'),
    ...judgement.checks.flatMap((check) => checkLines(layout, check)),
    ...(evidence.length === 0 ? [] : title(layout, 'Evidence')),
    ...evidence.flatMap((check) =>
      check.evidence.flatMap((row) => paragraph(layout, printable(`${check.id}: ${row}`))),
    ),
    '',
    layout.paint(
      'quiet',
      '✓ proved   ✗ a limit is violated (exit 14)   ! does not hold, and violates no limit   ? undecided by this log',
    ),
  ].join('\n');
};
