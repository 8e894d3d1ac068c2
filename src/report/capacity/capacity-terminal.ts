import type { CapacityReport } from '../../model/capacity.ts';
import { printable } from '../printable.ts';
import { padded } from '../terminal/columns.ts';
import { paragraph, type Screen, screenOf, type Style, tableLines } from '../terminal/screen.ts';
import { answerRows, fitText, headText, stepCells, stepHead } from './capacity-words.ts';

const verdictStyles = {
  kept: 'good',
  broken: 'bad',
  undecided: 'warning',
  unfit: 'warning',
} as const satisfies Record<CapacityReport['steps'][number]['verdict'], Style>;

const nameColumns = 15;

const answerLines = (screen: Screen, report: CapacityReport): readonly string[] =>
  report.answer === null
    ? []
    : answerRows(report.answer, report).flatMap(([name, text]) =>
        paragraph(screen, printable(text), { indent: nameColumns }).map((line, i) =>
          i === 0 ? `  ${padded(name, nameColumns - 2)}${line.slice(nameColumns)}` : line,
        ),
      );

const stepLines = (screen: Screen, { steps }: CapacityReport): readonly string[] =>
  tableLines(screen, {
    head: stepHead,
    rightFrom: 4,
    rows: steps.map((step) =>
      stepCells(step).map((text, i) => ({
        text: printable(text),
        style: i === 3 ? verdictStyles[step.verdict] : 'plain',
      })),
    ),
  });

/** What a search for capacity found, for a terminal. */
export const capacityTerminal = (
  report: CapacityReport,
  look: { readonly colour: boolean; readonly width: number },
): string => {
  const screen = screenOf(look);
  const { answer, fit, notes } = report;
  const style = answer === null ? 'bad' : answer.proved ? 'good' : 'warning';
  return [
    screen.paint(style, headText(report)),
    ...paragraph(screen, printable(`${report.name} → ${report.target}`), {
      indent: 2,
      style: 'quiet',
    }),
    ...paragraph(screen, printable(`Held to: ${report.objectives.join('; ')}.`), {
      style: 'quiet',
    }),
    '',
    ...answerLines(screen, report),
    '',
    screen.paint('strong', 'Steps'),
    ...stepLines(screen, report),
    ...(fit === null
      ? []
      : ['', screen.paint('strong', 'Throughput and latency'), ...paragraph(screen, fitText(fit))]),
    ...notes.flatMap((note) => ['', ...paragraph(screen, printable(note), { style: 'warning' })]),
  ].join('\n');
};
