import { displayWidth, paddedText, wrappedLines } from '../text/display-width.ts';
import { printable } from '../text/printable.ts';
import {
  type Block,
  type Fact,
  isShown,
  type ReportDocument,
  type Tone,
  tones,
} from './document.ts';
import {
  paragraph,
  type TerminalLayout,
  terminalLayout,
  type TerminalStyle,
  terminalTableLines,
} from './terminal-table.ts';

type Lines = readonly string[];

const factLines = (layout: TerminalLayout, rows: readonly Fact[], indent: number): Lines => {
  const nameColumns = Math.max(...rows.map(([name]) => displayWidth(name))) + 2;
  const room = layout.width - indent - nameColumns;
  return rows.flatMap(([name, text]) =>
    wrappedLines(printable(text), room).map(
      (line, i) => ' '.repeat(indent) + paddedText(i === 0 ? name : '', nameColumns) + line,
    ),
  );
};

/** The lines of a block; `indent` is that of its paragraphs. */
const blockLines = (layout: TerminalLayout, block: Block, indent: number): Lines => {
  if (!isShown(block, 'terminal')) return [];
  switch (block.kind) {
    case 'text':
      return paragraph(layout, printable(block.text), { indent, tone: block.tone });
    case 'list':
      return block.items.flatMap((item) =>
        paragraph(layout, printable(item.text), { indent, tone: item.tone }),
      );
    case 'facts':
      return factLines(layout, block.rows, indent);
    case 'table':
      return terminalTableLines(layout, block);
    case 'picture':
      return [];
    case 'fold':
      return [
        ...paragraph(layout, printable(block.title), { indent }),
        ...block.blocks.flatMap((each) => blockLines(layout, each, indent + 2)),
      ];
    case 'section': {
      const lines = block.blocks.flatMap((each) => blockLines(layout, each, 2));
      if (lines.length === 0) return [];
      const title = paragraph(layout, printable(block.title), { indent: 0, tone: 'strong' });
      return ['', ...title, ...lines];
    }
  }
};

/** What stands last on a terminal: a verdict with its sign. */
export const terminalVerdict = (words: string, tone: Tone, style: TerminalStyle): string =>
  paragraph(terminalLayout(style), printable(`${tones[tone].glyph} ${words}`), {
    indent: 0,
    tone,
  }).join('\n');

/** Renders a document for a terminal: no line is wider than the screen, and foreign control characters are replaced. */
export const terminalText = (document: ReportDocument, terminalStyle: TerminalStyle): string => {
  const layout = terminalLayout(terminalStyle);
  const { title, verdict, description = [], introduction = [], blocks } = document;
  const { text, tone } = verdict ?? { text: title, tone: 'strong' as const };
  const head = [tones[tone].glyph, text].filter(Boolean).join(' ');
  return [
    ...paragraph(layout, printable(head), { indent: 0, tone }),
    ...description.flatMap((line) => paragraph(layout, printable(line), { tone: 'quiet' })),
    ...introduction.flatMap((block) => blockLines(layout, block, 2)),
    ...blocks.flatMap((block) => {
      const lines = blockLines(layout, block, 0);
      return block.kind === 'section' || lines.length === 0 ? lines : ['', ...lines];
    }),
  ].join('\n');
};
