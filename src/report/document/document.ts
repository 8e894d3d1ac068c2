import type { TrustLevel } from '../../model/result/verdict.ts';
import type { Markup } from '../text/markup.ts';
import type { TerminalLayout, TextStyle } from './terminal-layout.ts';

/** A report as data. Each subject builds one; the writers for the terminal, HTML and Markdown render it. */

export type Medium = 'terminal' | 'html' | 'markdown';

/** The meaning of a colour; each writer has its own form for it. */
export type Tone = TextStyle;

interface Limited {
  /** Media that show the block; all of them by default. */
  readonly media?: readonly Medium[] | undefined;
}

export interface Cell {
  readonly text: string;
  readonly tone?: Tone;
  readonly unit?: string;
  /** Smaller text below; terminal and Markdown show it if the table says so. */
  readonly note?: string | undefined;
  /** An outcome or a kind of traffic, whose colour HTML shows as a dot. */
  readonly dot?: string;
  /** HTML only: more lines that the reader can open. */
  readonly details?: { readonly title: string; readonly lines: readonly string[] } | undefined;
}

/** `name` heads its row, `number` is aligned right, `verdict` has a sign for its tone, `words` wrap. */
type ColumnContent = 'name' | 'text' | 'number' | 'verdict' | 'words' | 'code';

interface ColumnHead extends Limited {
  readonly title: string;
  readonly holds: ColumnContent;
  /** The title on a terminal, where room is short. */
  readonly short?: string;
  /** HTML only: the meaning of the title. */
  readonly help?: string;
  /** A narrow terminal drops these columns first. */
  readonly spare?: boolean;
}

/** A column and how to read its cell from a row's subject. */
export interface Column<Subject> extends ColumnHead {
  readonly cell: (subject: Subject) => Cell | string;
}

export interface TableRow {
  readonly cells: readonly Cell[];
  readonly tone: Tone;
}

interface TableGroup {
  readonly title: string;
  readonly rows: readonly TableRow[];
}

interface TableOptions extends Limited {
  /** A class of the style sheet. */
  readonly look?: string | undefined;
  /** Whether a terminal and Markdown show the notes of cells. */
  readonly showsNotes?: boolean | undefined;
}

export interface Table extends TableOptions {
  readonly kind: 'table';
  readonly caption: string;
  readonly columns: readonly ColumnHead[];
  /** Rows under a title; one group without a title if there is nothing to group by. */
  readonly groups: readonly TableGroup[];
}

interface Text extends Limited {
  readonly kind: 'text';
  readonly text: string;
  readonly tone: Tone;
}

interface List extends Limited {
  readonly kind: 'list';
  readonly items: readonly { readonly text: string; readonly tone: Tone }[];
}

interface Facts extends Limited {
  readonly kind: 'facts';
  readonly rows: readonly (readonly [name: string, text: string])[];
}

/** Blocks that HTML and Markdown hide until the reader opens them. */
interface Fold extends Limited {
  readonly kind: 'fold';
  readonly title: string;
  readonly open: boolean;
  readonly blocks: readonly Block[];
}

/** Content that a writer cannot derive: pictures, and tables that adapt to the width of a terminal. */
interface Drawn extends Limited {
  readonly kind: 'drawn';
  readonly html?: () => Markup | readonly Markup[] | null;
  readonly terminal?: (layout: TerminalLayout) => readonly string[];
  readonly markdown?: () => string;
}

export interface Section extends Limited {
  readonly kind: 'section';
  /** The target of links in HTML; made from the title by default. */
  readonly id?: string | undefined;
  readonly title: string;
  readonly blocks: readonly Block[];
}

export type Block = Text | List | Facts | Table | Fold | Drawn | Section;

export interface ReportDocument {
  readonly weir: string;
  readonly title: string;
  /** What was measured, in lines. */
  readonly description: readonly string[];
  readonly verdict: { readonly text: string; readonly tone: Tone } | null;
  /** The gravest finding, whose sign heads a page of Markdown; by default the tone of the verdict. */
  readonly tone?: Tone;
  /** Belongs to the verdict: its reasons, and what a reader must know before the figures. */
  readonly introduction: readonly Block[];
  readonly blocks: readonly Block[];
  readonly footer: string;
}

export const text = (words: string, tone: Tone = 'plain', media?: readonly Medium[]): Block => ({
  kind: 'text',
  text: words,
  tone,
  media,
});

export const list = (
  texts: readonly string[],
  tone: Tone = 'plain',
  media?: readonly Medium[],
): List => ({
  kind: 'list',
  items: texts.map((each) => ({ text: each, tone })),
  media,
});

export const section = (
  title: string,
  blocks: readonly (Block | null)[],
  { id, media }: Limited & { readonly id?: string } = {},
): Section => ({
  kind: 'section',
  id,
  title,
  blocks: blocks.filter((block) => block !== null),
  media,
});

export const fold = (title: string, blocks: readonly Block[], open = false): Fold => ({
  kind: 'fold',
  title,
  open,
  blocks,
});

/** A picture that only HTML shows; it brings its own text alternative. */
export const picture = (html: () => Markup | readonly Markup[] | null): Drawn => ({
  kind: 'drawn',
  html,
});

const toCell = (cell: Cell | string): Cell => (typeof cell === 'string' ? { text: cell } : cell);

/** A table with a row for each subject, grouped by `groupOf` if given. */
export const table = <Subject>(
  caption: string,
  columns: readonly Column<Subject>[],
  subjects: readonly Subject[],
  {
    groupOf = () => '',
    toneOf = () => 'plain',
    media,
    look,
    showsNotes,
  }: TableOptions & {
    readonly groupOf?: (subject: Subject) => string;
    readonly toneOf?: (subject: Subject) => Tone;
  } = {},
): Table => ({
  kind: 'table',
  caption,
  columns,
  groups: [...Map.groupBy(subjects, groupOf)].map(([title, members]) => ({
    title,
    rows: members.map((subject) => ({
      tone: toneOf(subject),
      cells: columns.map(({ cell }) => toCell(cell(subject))),
    })),
  })),
  media,
  look,
  showsNotes,
});

/** Whether there is anything to show in a medium. */
export const isShown = (block: Block, medium: Medium): boolean => {
  if (block.media?.includes(medium) === false) return false;
  switch (block.kind) {
    case 'text':
      return block.text !== '';
    case 'list':
      return block.items.length > 0;
    case 'facts':
      return block.rows.length > 0;
    case 'table':
      return block.groups.length > 0;
    case 'drawn':
      return block[medium] !== undefined;
    case 'fold':
    case 'section':
      return block.blocks.some((each) => isShown(each, medium));
  }
};

/** A table's columns for a medium, with the place of their cells; columns without any text are left out. */
export const shownColumns = (
  { columns, groups }: Table,
  medium: Medium,
): readonly (ColumnHead & { readonly place: number })[] => {
  const rows = groups.flatMap((group) => group.rows);
  return columns
    .map((column, place) => ({ ...column, place }))
    .filter(
      ({ media, place }) =>
        media?.includes(medium) !== false && rows.some(({ cells }) => cells[place]?.text !== ''),
    );
};

/** The sign of a verdict in text without colour. */
export const toneGlyph = {
  good: '✓',
  warning: '!',
  bad: '✗',
  quiet: '?',
  plain: '',
  strong: '',
} as const satisfies Record<Tone, string>;

/** The tones of the verdict on a load generator. */
export const trustTones = {
  valid: 'good',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<TrustLevel, Tone>;
