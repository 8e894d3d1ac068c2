import type { Calibration } from '../../model/series/calibration.ts';
import { printable } from '../text/printable.ts';
import {
  paragraph,
  terminalLayout,
  type TextStyle,
  tableLines,
} from '../terminal/terminal-layout.ts';
import {
  calibrationCellTexts,
  calibrationHead,
  streamLoadText,
  calibrationMethodText,
  calibrationTrustColumn,
  transportText,
} from './calibration-text.ts';

const styles = {
  valid: 'good',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<Calibration['cells'][number]['trust'], TextStyle>;

/** A calibration for a terminal. */
export const calibrationTerminal = (
  { machine, weir, cells }: Calibration,
  terminalStyle: { readonly colour: boolean; readonly width: number },
): string => {
  const layout = terminalLayout(terminalStyle);
  return [
    layout.paint('strong', 'How exactly this machine measures'),
    ...paragraph(
      layout,
      printable(
        `Weir ${weir}, Node ${machine.node}, ${machine.cores} × ${machine.cpu}, ${machine.platform}`,
      ),
      { style: 'quiet' },
    ),
    ...paragraph(layout, calibrationMethodText, { style: 'quiet' }),
    '',
    ...tableLines(layout, {
      head: calibrationHead,
      rightFrom: calibrationTrustColumn + 1,
      rows: cells.map((cell) =>
        calibrationCellTexts(cell).map((text, i) => ({
          text,
          style: i === calibrationTrustColumn ? styles[cell.trust] : 'plain',
        })),
      ),
    }),
    ...cells
      .filter(({ complaints }) => complaints.length > 0)
      .flatMap((cell) =>
        paragraph(
          layout,
          printable(
            `${streamLoadText(cell)}, ${transportText(cell)}: ${cell.complaints.join(', ')}`,
          ),
          { style: styles[cell.trust] },
        ),
      ),
  ].join('\n');
};
