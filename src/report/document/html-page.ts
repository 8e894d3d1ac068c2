import { markup, type Markup, verbatim } from '../text/markup.ts';
import { present } from '../text/present.ts';
import {
  type Block,
  isNumeric,
  isShown,
  type Section,
  type ShownCell,
  type ShownTable,
  shownTable,
  type Table,
  type Tone,
  tones,
  type ReportDocument,
} from './document.ts';
import { createHash } from 'node:crypto';

const detailsMarkup = ({ details }: ShownCell): Markup | null =>
  details === undefined
    ? null
    : markup`<details><summary>${details.title}</summary><ul>${details.lines.map((line) => markup`<li><code>${line}</code></li>`)}</ul></details>`;

/** Formats a cell's text. A strong cell is bold, but not if the whole row is strong. */
const textMarkup = ({ holds, text, dot, tone }: ShownCell, rowTone: Tone): Markup => {
  if (dot !== undefined) return markup`<span class="dot ${dot}">${text}</span>`;
  if (holds === 'code') return markup`<code>${text}</code>`;
  return tone === 'strong' && rowTone !== tone ? markup`<b>${text}</b>` : markup`${text}`;
};

/** Formats words. Text between backquotes, which a reader types, becomes code. */
const wordsMarkup = (words: string): Markup =>
  markup`${words.split(/`([^`]+)`/).map((part, i) => (i % 2 === 0 ? part : markup`<code>${part}</code>`))}`;

const tonedMarkup = (words: string, tone: Tone): Markup =>
  tone === 'plain' || tone === 'quiet'
    ? wordsMarkup(words)
    : markup`<span class="level ${tones[tone].look}">${wordsMarkup(words)}</span>`;

const noteMarkup = ({ note = '', error }: ShownCell): Markup | null => {
  if (error === undefined) return note === '' ? null : markup` <small>${note}</small>`;
  return markup` <small><span>${note}</span> <span>${tonedMarkup(error.text, error.tone)}</span></small>`;
};

/**
 * Formats the title of a cell's column as a label for narrow screens, on which each row becomes a paragraph. An empty
 * cell gets no label.
 */
const labelMarkup = ({ text }: ShownCell, label: string | null): Markup | null => {
  if (label === null) return null;
  const saysNothing = text.trim() === '' || text === '–';
  return markup` data-label="${saysNothing ? '' : `${label}: `}"`;
};

const cellMarkup = (cell: ShownCell, rowTone: Tone, label: string | null): Markup => {
  const { holds, text, unit, tone } = cell;
  if (holds === 'verdict') {
    if (text === '') return markup`<td></td>`;
    const { glyph, look } = tones[tone];
    const sign = glyph === '' ? null : markup`<span aria-hidden="true">${glyph}</span> `;
    return markup`<td class="${look}"><span class="level">${sign}${text}</span></td>`;
  }
  const inner = markup`${textMarkup(cell, rowTone)}${unit === undefined ? null : markup` <span class="unit">${unit}</span>`}${noteMarkup(cell)}${detailsMarkup(cell)}`;
  if (holds === 'name') {
    const title = isNumeric(text) ? label : null;
    return markup`<th scope="row"${labelMarkup(cell, title)}>${inner}</th>`;
  }
  return markup`<td class="${tone === 'quiet' ? `${holds} quiet` : holds}"${labelMarkup(cell, label)}>${inner}</td>`;
};

const headMarkup = ({ title, help, holds }: ShownTable['columns'][number]): Markup =>
  markup`<th scope="col" class="${holds}">${help === undefined ? title : markup`<abbr title="${help}">${title}</abbr>`}</th>`;

type Row = ShownTable['groups'][number]['rows'][number];
const rowMarkup = ({ tone, cells }: Row, labels: readonly string[] | null): Markup =>
  markup`<tr${tone === 'plain' ? null : markup` class="${tones[tone].look}"`}>${cells.map((cell, i) => cellMarkup(cell, tone, labels?.[i] ?? null))}</tr>\n`;

/**
 * The minimum number of columns of a stacked table. On a narrow screen, each row of a stacked table becomes a
 * paragraph. This minimum applies to tables without a `look`. A table with a column of sentences is stacked whatever
 * the number of its columns.
 */
const manyColumns = 7;
/** Tables with these looks are not stacked on a narrow screen, since readers compare their figures side by side. */
const unstackedLooks: ReadonlySet<string> = new Set(['outcomes', 'exemplars']);

const tableMarkup = (table: Table): Markup => {
  const { columns, groups } = shownTable(table, 'html');
  const isStacked =
    !unstackedLooks.has(table.look ?? '') &&
    (columns.some(({ holds }) => holds === 'words') ||
      (table.look === undefined && columns.length >= manyColumns));
  const labels = isStacked ? columns.map(({ title }) => title) : null;
  const looks = present([table.look ?? null, isStacked && 'stacked']).join(' ');
  return markup`<div class="scroll" role="group" aria-label="${table.caption}" tabindex="0"><table${looks === '' ? null : markup` class="${looks}"`}>
<caption>${table.caption}</caption>
<thead><tr>${columns.map(headMarkup)}</tr></thead>
${groups.map(
  ({ title, rows }) =>
    markup`<tbody>${title === '' ? null : markup`<tr><th scope="rowgroup" colspan="${columns.length}">${title}</th></tr>\n`}${rows.map((row) => rowMarkup(row, labels))}</tbody>`,
)}</table></div>`;
};

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
    case 'picture':
      return markup`${block.html()}`;
    case 'fold':
      return markup`<details${block.open ? markup` open` : null}><summary>${block.title}</summary>${block.blocks.map(blockMarkup)}</details>`;
    case 'section':
      return markup`<h3>${block.title}</h3>${block.blocks.map(blockMarkup)}`;
  }
};

const sectionId = ({ id, title }: Section): string =>
  id ?? title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');

/** Formats a block at the top level of a page. A section has an id, to which the navigation links. */
const topBlockMarkup = (block: Block): Markup | null => {
  if (block.kind !== 'section' || !isShown(block, 'html')) return blockMarkup(block);
  const id = sectionId(block);
  return markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${block.title}</h2>${block.blocks.map(blockMarkup)}</section>\n`;
};

interface PageScripts {
  readonly styles?: readonly string[];
  readonly scripts: readonly string[];
  /** An element with the data of the charts. The page contains this element before the scripts. */
  readonly data?: Markup;
  /** A text above the sections. It says what is missing if scripts do not run. */
  readonly hint?: Markup;
  /**
   * The bar of a live page, shown above everything else. The page's own server updates a live page. A page without this
   * bar contacts no server.
   */
  readonly live?: Markup;
}

/** Normalises line ends to line feeds, as an HTML parser does before the browser hashes a text. */
const oneLineEnd = (text: string): string => text.replace(/\r\n?/g, '\n');

const hashes = (texts: readonly string[]): string =>
  texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');

/**
 * Returns the content security policy of a page. The page may run only its own scripts, and may load nothing from other
 * addresses. Only a live page may contact a server, namely its own.
 */
const contentSecurityPolicy = (
  styles: readonly string[],
  scripts: readonly string[],
  isLive: boolean,
): string =>
  [
    "default-src 'none'",
    ...(isLive ? ["connect-src 'self'"] : []),
    ...(scripts.length === 0 ? [] : [`script-src ${hashes(scripts)}`, 'img-src data:']),
    `style-src ${hashes(styles)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const verdictMarkup = ({ verdict = null, introduction = [] }: ReportDocument): Markup => {
  const blocks = introduction.map(blockMarkup);
  if (verdict === null) return markup`${blocks}`;
  const { glyph, look } = tones[verdict.tone];
  const sign = glyph === '' ? null : markup`<span class="glyph" aria-hidden="true">${glyph}</span>`;
  return markup`<section id="verdict" class="verdict ${look}" aria-labelledby="verdict-title"><h2 id="verdict-title">${sign}${verdict.text}</h2>${blocks}</section>`;
};

const themeButton = markup`<button id="theme" type="button" hidden>Theme: automatic</button>`;

const descriptionMarkup = (lines: readonly string[]): Markup | null =>
  lines.length === 0
    ? null
    : markup`<p class="description">${lines.map((line, i) => markup`${i === 0 ? null : markup`<br>`}${line}`)}</p>`;

/** Writes a document as one HTML file that needs no network. The page may use only its own styles and scripts. */
export const htmlPage = (
  document: ReportDocument,
  pageStyle: string,
  scripted: PageScripts | null = null,
): string => {
  const isThere = (text: string): boolean => text !== '';
  const styles = [...(scripted?.styles ?? []), pageStyle].filter(isThere).map(oneLineEnd);
  const scripts = (scripted?.scripts ?? []).filter(isThere).map(oneLineEnd);
  const { weir, title, description = [], blocks, footer } = document;
  const live = scripted?.live ?? null;
  const shown = blocks.filter((block) => isShown(block, 'html'));
  const sections = shown.filter((block) => block.kind === 'section');
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${verbatim(contentSecurityPolicy(styles, scripts, live !== null))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weir ${weir}">
${live === null ? null : markup`<link rel="icon" href="data:,">\n`}<title>${title}: Weir report</title>
${styles.map((style) => markup`<style>${verbatim(style)}</style>\n`)}</head>
<body>
<header>
  <p class="brand">Weir</p>
  <h1>${title}</h1>
  ${descriptionMarkup(description)}
</header>
<nav aria-label="Sections"><ul>
${sections.map((each) => markup`  <li><a href="#${sectionId(each)}">${each.title}</a></li>\n`)}</ul>${scripted === null ? null : themeButton}</nav>
${live}<main>
${verdictMarkup(document)}
${scripted?.hint ?? null}
${blocks.map(topBlockMarkup)}</main>
<footer><p>${footer}</p></footer>
${scripted === null ? null : markup`${scripted.data ?? null}\n${scripts.map((script) => markup`<script>${verbatim(script)}</script>\n`)}`}</body>
</html>
`.markup;
};

/** Writes a document as a page with one script, which lets the reader change the colour theme. */
export const themedPage = (
  document: ReportDocument,
  { pageStyle, themeScript }: Readonly<Record<'pageStyle' | 'themeScript', string>>,
): string => htmlPage(document, pageStyle, { scripts: [themeScript] });
