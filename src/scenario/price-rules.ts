import type { Finding } from './problem.ts';
import { didYouMean } from './spelling.ts';
import { placedEntries } from './traffic-rules.ts';
import { isMapping, type Path, pathKey, valueAt } from './tree.ts';

/** A model that some entry asks for. */
interface AskedModel {
  readonly kind: unknown;
  readonly model: unknown;
  readonly path: Path;
}

const askedModels = (scenario: unknown): readonly AskedModel[] =>
  placedEntries(scenario).map(({ entry, path }) => ({
    kind: valueAt(entry, ['kind']),
    model: valueAt(entry, ['model']),
    path: [...path, 'model'],
  }));

const isChat = ({ kind }: AskedModel): boolean => kind === 'chat' || kind === 'chat-stream';

/**
 * Prices that nothing is charged with: a misspelt model would leave the cost unknown. `filled` has
 * what the environment gave, by `pathKey`: no message repeats it.
 */
export const brokenPriceRules = (
  scenario: unknown,
  filled: ReadonlyMap<string, string>,
): readonly Finding[] => {
  const prices = valueAt(scenario, ['prices']);
  if (!isMapping(prices)) return [];
  const asked = askedModels(scenario);
  const chats = asked.filter(isChat);
  const known = chats.flatMap(({ model, path }) =>
    typeof model === 'string' && !filled.has(pathKey(path)) ? [model] : [],
  );
  const unpriced = [...new Set(known)].filter((model) => !Object.hasOwn(prices, model));
  return Object.keys(prices)
    .filter((name) => !chats.some(({ model }) => model === name))
    .map((name) => {
      const finding = { path: ['prices', name], part: 'key' } as const;
      return asked.some(({ model }) => model === name)
        ? {
            ...finding,
            message: `prices are for chat, and no chat entry asks for ${JSON.stringify(name)}`,
            hint: 'leave it out: the service charges speech by the character and transcription by the second',
          }
        : {
            ...finding,
            message: `no chat entry asks for ${JSON.stringify(name)}`,
            hint: didYouMean(name, unpriced) ?? 'leave its price out, or ask for it',
          };
    });
};
