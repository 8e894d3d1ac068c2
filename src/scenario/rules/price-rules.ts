import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { didYouMean } from '../text/spelling.ts';
import { placedEntries } from './traffic-rules.ts';
import { isMapping, type Path, pathKey, valueAtPath } from '../text/scenario-tree.ts';

/** A model that some entry asks for. */
interface RequestedModel {
  readonly kind: unknown;
  readonly model: unknown;
  readonly path: Path;
}

const requestedModels = (scenario: unknown): readonly RequestedModel[] =>
  placedEntries(scenario).map(({ entry, path }) => ({
    kind: valueAtPath(entry, ['kind']),
    model: valueAtPath(entry, ['model']),
    path: [...path, 'model'],
  }));

const isChat = ({ kind }: RequestedModel): boolean => kind === 'chat' || kind === 'chat-stream';

/**
 * Prices that nothing is charged with: a misspelt model would leave the cost unknown. `filled` has
 * what the environment gave, by `pathKey`: no message repeats it.
 */
export const priceRuleFindings = (
  scenario: unknown,
  environmentValues: ReadonlyMap<string, string>,
): readonly ScenarioFinding[] => {
  const prices = valueAtPath(scenario, ['prices']);
  if (!isMapping(prices)) return [];
  const requested = requestedModels(scenario);
  const chats = requested.filter(isChat);
  const known = chats.flatMap(({ model, path }) =>
    typeof model === 'string' && !environmentValues.has(pathKey(path)) ? [model] : [],
  );
  const unpriced = [...new Set(known)].filter((model) => !Object.hasOwn(prices, model));
  return Object.keys(prices)
    .filter((name) => !chats.some(({ model }) => model === name))
    .map((name) => {
      const finding = { path: ['prices', name], part: 'key' } as const;
      return requested.some(({ model }) => model === name)
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
