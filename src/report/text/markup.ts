import { printable } from './display-width.ts';

/** HTML that is safe to embed. Only the template tag `markup` and the function `verbatim` create such values. */
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

/** Makes HTML from a template. Values are escaped unless they are markup. Lists are joined, and `null` is empty. */
export const markup = (literals: TemplateStringsArray, ...values: readonly Content[]): Markup => ({
  markup: literals.reduce((whole, literal, i) => whole + rendered(values[i - 1] ?? null) + literal),
});

/**
 * Embeds Weir's own scripts and style sheets unescaped. Throws if the text would end the HTML element that contains it.
 */
export const verbatim = (text: string): Markup => {
  if (/<\/(script|style)|<!--/i.test(text)) {
    throw new Error('an embedded script or style sheet would end its own element');
  }
  return { markup: text };
};
