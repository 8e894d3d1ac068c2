import type { TrustLevel } from '../../model/result/verdict.ts';
import { type Optional, present } from '../text/present.ts';
import type { Markup } from '../text/markup.ts';

/**
 * This file defines a report as data (a document). Other files build a document for each subject, such as a run. The
 * writers for the terminal, HTML and Markdown render the document.
 */

export type Medium = 'terminal' | 'html' | 'markdown';

/** The tones, each with its style on a terminal, its class in HTML, and its signs in text and in Markdown. */
export const tones = {
  good: { style: 'green', look: 'valid', glyph: '✓', sign: '✅ ' },
  warning: { style: 'yellow', look: 'degraded', glyph: '!', sign: '⚠️ ' },
  bad: { style: 'red', look: 'invalid', glyph: '✗', sign: '❌ ' },
  quiet: { style: 'dim', look: 'aside', glyph: '?', sign: '❔ ' },
  plain: { style: 'reset', look: '', glyph: '', sign: '' },
  strong: { style: 'bold', look: 'strong', glyph: '', sign: '' },
} as const;
export type Tone = keyof typeof tones;

interface Limited {
  /** The media that show the block; by default all media. */
  readonly media?: readonly Medium[];
}

export interface TonedText {
  readonly text: string;
  readonly tone: Tone;
}

export interface Cell {
  readonly text: string;
  /** The tone of the cell; by default, the tone of the row. */
  readonly tone?: Tone;
  readonly unit?: string;
  /** Smaller text below the cell. The terminal and Markdown show this text only if the table has `showsNotes`. */
  readonly note?: string | undefined;
  /**
   * The possible error of the figure. The error is written after the note, or after the text if the cell has no note.
   */
  readonly error?: TonedText | undefined;
  /** An outcome or a kind of traffic. HTML shows its colour as a dot. */
  readonly dot?: string;
  /** Further lines, which the reader can open in HTML. Other media leave these lines out. */
  readonly details?: { readonly title: string; readonly lines: readonly string[] } | undefined;
}

interface ColumnHead extends Limited {
  readonly title: string;
  /**
   * The content of the column. A `name` is the heading of its row. A `number` is aligned right. A `verdict` is shown
   * with the sign of its tone. Long `words` are wrapped.
   */
  readonly holds: 'name' | 'text' | 'number' | 'verdict' | 'words' | 'code';
  /** A shorter title for terminals, which have less room than pages. */
  readonly short?: string;
  /** The meaning of the title, which only HTML shows. */
  readonly help?: string;
  /**
   * Whether a narrow terminal drops this column. The value `first` drops it before names are shortened. The value
   * `true` drops it only if shorter names are not enough.
   */
  readonly spare?: boolean | 'first';
}

export interface Column<Subject> extends ColumnHead {
  readonly cell: (subject: Subject) => Cell | string;
}

interface TableOptions {
  readonly look?: string;
  /** Whether a terminal and Markdown show the notes of cells. */
  readonly showsNotes?: boolean;
}

export type Fact = readonly [name: string, text: string];
type Content = Markup | readonly Markup[] | null;

interface BlockContents {
  readonly text: TonedText;
  readonly list: { readonly items: readonly TonedText[] };
  readonly facts: { readonly rows: readonly Fact[] };
  readonly table: TableOptions & {
    readonly caption: string;
    readonly columns: readonly ColumnHead[];
    /** The rows in groups with titles. A table without groups has one group without a title. */
    readonly groups: readonly {
      readonly title: string;
      readonly rows: readonly { readonly cells: readonly Cell[]; readonly tone: Tone }[];
    }[];
  };
  /** Blocks that HTML and Markdown hide until the reader opens the fold. */
  readonly fold: {
    readonly title: string;
    readonly open: boolean;
    readonly blocks: readonly Block[];
  };
  /** A picture, which only HTML shows. The HTML contains the picture's own text alternative. */
  readonly picture: { readonly html: () => Content };
  /** A section. `id` is the target of links in HTML; by default, the id is made from the title. */
  readonly section: {
    readonly id?: string | undefined;
    readonly title: string;
    readonly blocks: readonly Block[];
  };
}

type BlockOf<Kind extends keyof BlockContents> = Limited & {
  readonly kind: Kind;
} & BlockContents[Kind];
export type Block = { [Kind in keyof BlockContents]: BlockOf<Kind> }[keyof BlockContents];
export type Table = BlockOf<'table'>;
export type Section = BlockOf<'section'>;

export interface ReportDocument {
  readonly weir: string;
  readonly title: string;
  readonly description?: readonly string[];
  readonly verdict?: TonedText | null;
  /**
   * The tone of the most serious finding; by default the tone of the verdict. A Markdown page begins with the sign of
   * this tone.
   */
  readonly tone?: Tone;
  /** The blocks that belong to the verdict: its reasons, and facts that a reader needs before the figures. */
  readonly introduction?: readonly Block[];
  readonly blocks: readonly Block[];
  readonly footer: string;
}

export const only = <Limitable extends Block>(
  media: readonly Medium[],
  block: Limitable,
): Limitable => ({ ...block, media });

export const text = (words: string | null, tone: Tone = 'plain'): Block => ({
  kind: 'text',
  text: words ?? '',
  tone,
});

export const list = (
  items: readonly Optional<string | TonedText>[],
  tone: Tone = 'plain',
): Block => ({
  kind: 'list',
  items: present(items).map((item) => (typeof item === 'string' ? { text: item, tone } : item)),
});

export const facts = (rows: readonly Optional<Fact>[]): Block => ({
  kind: 'facts',
  rows: present(rows),
});

export const section = (
  title: string,
  blocks: readonly Optional<Block>[],
  id?: string,
): Section => ({ kind: 'section', id, title, blocks: present(blocks) });

/** Makes the section that explains how something was measured. Only HTML shows this section. */
export const methodSection = (paragraphs: readonly string[]): Section =>
  only(
    ['html'],
    section(
      'Method',
      paragraphs.map((each) => text(each)),
    ),
  );

export const fold = (title: string, blocks: readonly Block[], open = false): Block => ({
  kind: 'fold',
  title,
  open,
  blocks,
});

export const picture = (html: () => Content): Block => ({ kind: 'picture', html });

const columnOf =
  (holds: ColumnHead['holds']) =>
  <Subject>(
    head: string | Omit<ColumnHead, 'holds'>,
    cell: Column<Subject>['cell'],
  ): Column<Subject> => ({ ...(typeof head === 'string' ? { title: head } : head), holds, cell });

/** Functions that make columns: `column.number('n', ({ n }) => countText(n))`. */
export const column = {
  name: columnOf('name'),
  text: columnOf('text'),
  number: columnOf('number'),
  verdict: columnOf('verdict'),
  words: columnOf('words'),
  code: columnOf('code'),
} as const;

const toCell = (cell: Cell | string): Cell => (typeof cell === 'string' ? { text: cell } : cell);

/** Makes a table with a row for each subject. `groupOf` returns the title of a subject's group of rows. */
export const table = <Subject>(
  caption: string,
  columns: readonly Column<Subject>[],
  subjects: readonly Subject[],
  {
    groupOf = () => '',
    toneOf = () => 'plain',
    ...options
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
  ...options,
});

export const isNumeric = (name: string): boolean => /^[\d.,]+$/.test(name);

/** Returns whether a block shows anything in a medium. */
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
    case 'picture':
      return medium === 'html';
    case 'fold':
    case 'section':
      return block.blocks.some((each) => isShown(each, medium));
  }
};

/** Returns the columns and cells of a table for a medium, without columns that have no text. */
export const shownTable = (
  { columns, groups, showsNotes = false }: Table,
  medium: Medium,
  isWanted: (head: ColumnHead) => boolean = () => true,
) => {
  const rows = groups.flatMap((group) => group.rows);
  const isColumnShown = (head: ColumnHead, place: number): boolean =>
    isWanted(head) &&
    head.media?.includes(medium) !== false &&
    rows.some(({ cells }) => cells[place]?.text !== '');
  const places = columns.flatMap((each, place) => (isColumnShown(each, place) ? [place] : []));
  return {
    showsNotes,
    isGrouped: groups.some(({ title }) => title !== ''),
    columns: places.map((place) => columns[place]!),
    groups: groups.map((group) => ({
      title: group.title,
      rows: group.rows.map(({ cells, tone }) => ({
        tone,
        cells: places.map((place) => ({ tone, ...cells[place]!, holds: columns[place]!.holds })),
      })),
    })),
  };
};

export type ShownTable = ReturnType<typeof shownTable>;
export type ShownCell = ShownTable['groups'][number]['rows'][number]['cells'][number];

export const trustTones = {
  valid: 'good',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<TrustLevel, Tone>;
