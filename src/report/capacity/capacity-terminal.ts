import type { CapacityReport } from '../../model/series/capacity.ts';
import { printable } from '../text/printable.ts';
import { paddedText } from '../text/display-width.ts';
import {
  paragraph,
  type TerminalLayout,
  terminalLayout,
  type TextStyle,
  tableLines,
} from '../terminal/terminal-layout.ts';
import {
  capacityAnswerRows,
  scalabilityFitText,
  capacityHeadline,
  capacityStepCells,
  capacityStepHead,
} from './capacity-text.ts';

const verdictStyles = {
  kept: 'good',
  broken: 'bad',
  undecided: 'warning',
  unfit: 'warning',
} as const satisfies Record<CapacityReport['steps'][number]['verdict'], TextStyle>;

const nameColumns = 15;

const answerLines = (layout: TerminalLayout, report: CapacityReport): readonly string[] =>
  report.answer === null
    ? []
    : capacityAnswerRows(report.answer, report).flatMap(([name, text]) =>
        paragraph(layout, printable(text), { indent: nameColumns }).map((line, i) =>
          i === 0 ? `  ${paddedText(name, nameColumns - 2)}${line.slice(nameColumns)}` : line,
        ),
      );

const stepLines = (layout: TerminalLayout, { steps }: CapacityReport): readonly string[] =>
  tableLines(layout, {
    head: capacityStepHead,
    rightFrom: 4,
    rows: steps.map((step) =>
      capacityStepCells(step).map((text, i) => ({
        text: printable(text),
        style: i === 3 ? verdictStyles[step.verdict] : 'plain',
      })),
    ),
  });

/** What a search for capacity found, for a terminal. */
export const capacityTerminal = (
  report: CapacityReport,
  terminalStyle: { readonly colour: boolean; readonly width: number },
): string => {
  const layout = terminalLayout(terminalStyle);
  const { answer, fit, notes } = report;
  const style = answer === null ? 'bad' : answer.proved ? 'good' : 'warning';
  return [
    layout.paint(style, capacityHeadline(report)),
    ...paragraph(layout, printable(`${report.name} → ${report.target}`), {
      indent: 2,
      style: 'quiet',
    }),
    ...paragraph(layout, printable(`Held to: ${report.objectives.join('; ')}.`), {
      style: 'quiet',
    }),
    '',
    ...answerLines(layout, report),
    '',
    layout.paint('strong', 'Steps'),
    ...stepLines(layout, report),
    ...(fit === null
      ? []
      : [
          '',
          layout.paint('strong', 'Throughput and latency'),
          ...paragraph(layout, scalabilityFitText(fit)),
        ]),
    ...notes.flatMap((note) => ['', ...paragraph(layout, printable(note), { style: 'warning' })]),
  ].join('\n');
};
