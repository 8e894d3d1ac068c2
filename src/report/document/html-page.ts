import { createHash } from 'node:crypto';
import { markup, type Markup, verbatim } from '../text/markup.ts';
import { isShown, type ReportDocument, tones } from './document.ts';
import { blockMarkup, sectionId, topBlockMarkup } from './html-writer.ts';

/** The scripts of a page with charts over time, and the data that they draw. */
interface PageScripts {
  readonly styles: readonly string[];
  readonly scripts: readonly string[];
  /** An element with the data, before the scripts. */
  readonly data: Markup;
  /** Above the sections: what is missing without scripts. */
  readonly hint: Markup;
  readonly controls: Markup;
  /** What a page that its own server updates shows above all else; without it the page contacts nobody. */
  readonly live?: Markup;
}

/** An HTML parser reads every line end as one line feed, and hashes what it read. */
const oneLineEnd = (text: string): string => text.replace(/\r\n?/g, '\n');

const hashes = (texts: readonly string[]): string =>
  texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`).join(' ');

/** The file may run only its own scripts, and load and contact nothing; a live page contacts its server. */
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

const descriptionMarkup = (lines: readonly string[]): Markup | null =>
  lines.length === 0
    ? null
    : markup`<p class="description">${lines.map((line, i) => markup`${i === 0 ? null : markup`<br>`}${line}`)}</p>`;

/** A document as one HTML file that needs no network: everything but its own styles and scripts is forbidden. */
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
  const sections = blocks
    .filter((block) => block.kind === 'section')
    .filter((block) => isShown(block, 'html'));
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
${sections.map((each) => markup`  <li><a href="#${sectionId(each)}">${each.title}</a></li>\n`)}</ul>${scripted?.controls ?? null}</nav>
${live}<main>
${verdictMarkup(document)}
${scripted?.hint ?? null}
${blocks.map(topBlockMarkup)}</main>
<footer><p>${footer}</p></footer>
${scripted === null ? null : markup`${scripted.data}\n${scripts.map((script) => markup`<script>${verbatim(script)}</script>\n`)}`}</body>
</html>
`.markup;
};
