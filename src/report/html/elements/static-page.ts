import { createHash } from 'node:crypto';
import { markup, type Markup, verbatim } from '../../text/markup.ts';

/** A section of a page, with its heading; `id` is where the navigation leads. */
export interface StaticSection {
  readonly id: string;
  readonly title: string;
  readonly body: Markup | readonly (Markup | null)[] | null;
}

/** A page without scripts. */
export interface StaticPage {
  readonly weir: string;
  readonly title: string;
  readonly description: Markup;
  readonly sections: readonly StaticSection[];
  /** What stands before the sections: the verdict above all. */
  readonly introduction: Markup;
  readonly footer: string;
}

const sectionMarkup = ({ id, title, body }: StaticSection): Markup =>
  markup`<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title">${title}</h2>${body}</section>`;

/** One HTML file without scripts, styled by `pageStyle`; nothing in it may be loaded from elsewhere. */
export const staticPage = (page: StaticPage, pageStyle: string): string => {
  // The parser of HTML reads every line end as one line feed, and the hash is of what it read.
  const style = pageStyle.replace(/\r\n?/g, '\n');
  const hash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;
  const { weir, title, description, sections, introduction, footer } = page;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${verbatim(hash)}; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weir ${weir}">
<title>${title}: Weir report</title>
<style>${verbatim(style)}</style>
</head>
<body>
<header>
  <p class="brand">Weir</p>
  <h1>${title}</h1>
  <p class="description">${description}</p>
</header>
<nav aria-label="Sections"><ul>
${sections.map(({ id, title: name }) => markup`  <li><a href="#${id}">${name}</a></li>\n`)}</ul></nav>
<main>
${introduction}
${sections.map((section) => markup`${sectionMarkup(section)}\n`)}</main>
<footer><p>${footer}</p></footer>
</body>
</html>
`.markup;
};
