import { markup, type Markup } from '../text/markup.ts';
import {
  type Block,
  type Cell,
  isShown,
  type Section,
  shownColumns,
  type Table,
  type TableRow,
  type Tone,
  toneGlyph,
} from './document.ts';

type ShownColumn = ReturnType<typeof shownColumns>[number];

/** The classes of the style sheet for tones. */
export const toneClass = {
  good: 'valid',
  warning: 'degraded',
  bad: 'invalid',
  quiet: 'aside',
  plain: '',
  strong: 'strong',
} as const satisfies Record<Tone, string>;

const detailsMarkup = ({ details }: Cell): Markup | null =>
  details === undefined
    ? null
    : markup`<details><summary>${details.title}</summary><ul>${details.lines.map((line) => markup`<li><code>${line}</code></li>`)}</ul></details>`;

const cellText = ({ holds }: ShownColumn, { text, dot, tone }: Cell): Markup => {
  if (dot !== undefined) return markup`<span class="dot ${dot}">${text}</span>`;
  if (holds === 'code') return markup`<code>${text}</code>`;
  return tone === 'strong' ? markup`<b>${text}</b>` : markup`${text}`;
};

const cellMarkup = (column: ShownColumn, cell: Cell, row: TableRow): Markup => {
  const { text, unit, note, tone = row.tone } = cell;
  if (column.holds === 'verdict') {
    if (text === '') return markup`<td></td>`;
    const sign = toneGlyph[tone];
    const glyph = sign === '' ? null : markup`<span aria-hidden="true">${sign}</span> `;
    return markup`<td class="${toneClass[tone]}"><span class="level">${glyph}${text}</span></td>`;
  }
  const inner = markup`${cellText(column, cell)}${unit === undefined ? null : markup` <span class="unit">${unit}</span>`}${note === undefined || note === '' ? null : markup` <small>${note}</small>`}${detailsMarkup(cell)}`;
  if (column.holds === 'name') return markup`<th scope="row">${inner}</th>`;
  return markup`<td class="${[column.holds, tone === 'quiet' ? 'quiet' : ''].filter(Boolean).join(' ')}">${inner}</td>`;
};

const headMarkup = ({ title, help, holds }: ShownColumn): Markup =>
  markup`<th scope="col" class="${holds}">${help === undefined ? title : markup`<abbr title="${help}">${title}</abbr>`}</th>`;

const tableMarkup = (table: Table): Markup => {
  const columns = shownColumns(table, 'html');
  const rowMarkup = (row: TableRow): Markup =>
    markup`<tr${row.tone === 'plain' ? null : markup` class="${toneClass[row.tone]}"`}>${columns.map((column) => cellMarkup(column, row.cells[column.place]!, row))}</tr>\n`;
  return markup`<div class="scroll" role="group" aria-label="${table.caption}" tabindex="0"><table${table.look === undefined ? null : markup` class="${table.look}"`}>
<caption>${table.caption}</caption>
<thead><tr>${columns.map(headMarkup)}</tr></thead>
${table.groups.map(
  ({ title, rows }) =>
    markup`<tbody>${title === '' ? null : markup`<tr><th scope="rowgroup" colspan="${columns.length}">${title}</th></tr>\n`}${rows.map(rowMarkup)}</tbody>`,
)}</table></div>`;
};

/** A text in the colour of its tone. */
const tonedMarkup = (words: string, tone: Tone): Markup =>
  tone === 'plain' || tone === 'quiet'
    ? markup`${words}`
    : markup`<span class="level ${toneClass[tone]}">${words}</span>`;

export const blockMarkup = (block: Block): Markup | null => {
  if (!isShown(block, 'html')) return null;
  switch (block.kind) {
    case 'text':
      return markup`<p${block.tone === 'quiet' ? markup` class="aside"` : null}>${tonedMarkup(block.text, block.tone)}</p>`;
    case 'list':
      return markup`<ul class="notes">${block.items.map(({ text, tone }) => markup`<li>${tonedMarkup(text, tone)}</li>`)}</ul>`;
    case 'facts':
      return markup`<dl class="pairs">${block.rows.map(([name, text]) => markup`<dt>${name}</dt><dd>${text}</dd>\n`)}</dl>`;
    case 'table':
      return tableMarkup(block);
    case 'drawn': {
      const drawn = block.html?.() ?? null;
      return drawn === null ? null : markup`${drawn}`;
    }
    case 'fold':
      return markup`<details${block.open ? markup` open` : null}><summary>${block.title}</summary>${block.blocks.map(blockMarkup)}</details>`;
    case 'section':
      return markup`<h3>${block.title}</h3>${block.blocks.map(blockMarkup)}`;
  }
};

/** Where the navigation of a page leads. */
export const sectionId = ({ id, title }: Section): string =>
  id ?? title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** A block at the top of a page: sections have an id, which the navigation links to. */
export const topBlockMarkup = (block: Block): Markup | null => {
  if (block.kind !== 'section' || !isShown(block, 'html')) return blockMarkup(block);
  const id = sectionId(block);
  return markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${block.title}</h2>${block.blocks.map(blockMarkup)}</section>\n`;
};
