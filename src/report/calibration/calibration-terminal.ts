import type { Calibration } from '../../model/calibration.ts';
import { printable } from '../printable.ts';
import { paragraph, screenOf, type Style, tableLines } from '../terminal/screen.ts';
import {
  cellTexts,
  head,
  loadText,
  methodText,
  trustColumn,
  waySent,
} from './calibration-words.ts';

const styles = {
  valid: 'good',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<Calibration['cells'][number]['trust'], Style>;

/** A calibration for a terminal. */
export const calibrationTerminal = (
  { machine, weir, cells }: Calibration,
  look: { readonly colour: boolean; readonly width: number },
): string => {
  const screen = screenOf(look);
  return [
    screen.paint('strong', 'How exactly this machine measures'),
    ...paragraph(
      screen,
      printable(
        `Weir ${weir}, Node ${machine.node}, ${machine.cores} × ${machine.cpu}, ${machine.platform}`,
      ),
      { style: 'quiet' },
    ),
    ...paragraph(screen, methodText, { style: 'quiet' }),
    '',
    ...tableLines(screen, {
      head,
      rightFrom: trustColumn + 1,
      rows: cells.map((cell) =>
        cellTexts(cell).map((text, i) => ({
          text,
          style: i === trustColumn ? styles[cell.trust] : 'plain',
        })),
      ),
    }),
    ...cells
      .filter(({ complaints }) => complaints.length > 0)
      .flatMap((cell) =>
        paragraph(
          screen,
          printable(`${loadText(cell)}, ${waySent(cell)}: ${cell.complaints.join(', ')}`),
          { style: styles[cell.trust] },
        ),
      ),
  ].join('\n');
};
