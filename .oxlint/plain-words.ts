import type { ESTree, Rule } from '@oxlint/plugins';
import { placeOf } from './place.ts';
import { oddPhrases } from './retired-words.ts';

/** Tests, and the word list itself. */
const isExempt = /\.(test|fixture)\.ts$|^mock\/chat\/common-words\.ts$/;

/** Rejects unidiomatic phrases in texts for users. A text is a string that contains a space. */
export const plainWords: Rule = {
  create(context) {
    const place = placeOf(context.filename);
    if (place === null || isExempt.test(place)) return {};
    const check = (node: ESTree.Node, text: string): void => {
      if (!text.includes(' ')) return;
      for (const [phrase, instead] of Object.entries(oddPhrases)) {
        if (new RegExp(`\\b(?:${phrase})\\b`, 'i').test(text)) {
          context.report({
            node,
            message: `"${phrase}" in a text that users read: say ${instead}. .oxlint/retired-words.ts has the list.`,
          });
        }
      }
    };
    return {
      Literal: (node) => {
        if (typeof node.value === 'string') check(node, node.value);
      },
      TemplateElement: (node) => check(node, node.value.cooked ?? node.value.raw),
    };
  },
};
