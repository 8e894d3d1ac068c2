import { printable } from './printable.ts';

/** A piece of HTML that is safe to embed: made by the `markup` tag, never by hand. */
export interface Markup {
  readonly markup: string;
}

type Content = string | number | Markup | null | readonly Content[];

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string =>
  printable(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');

const rendered = (content: Content): string => {
  if (content === null) return '';
  if (typeof content === 'number') return String(content);
  if (typeof content === 'string') return escaped(content);
  return 'markup' in content ? content.markup : content.map(rendered).join('');
};

/** HTML from a template whose every value is escaped, unless it is markup itself; lists are joined, `null` is nothing. */
export const markup = (literals: TemplateStringsArray, ...values: readonly Content[]): Markup => ({
  markup: literals.reduce((whole, literal, i) => whole + rendered(values[i - 1] ?? null) + literal),
});

/** Text that stands as it is: our own scripts and style sheets, which must not end their element early. */
export const verbatim = (text: string): Markup => {
  if (/<\/(script|style)|<!--/i.test(text)) {
    throw new Error('an embedded script or style sheet would end its own element');
  }
  return { markup: text };
};
