import type { Scenario } from '../schema/scenario-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import type { ScenarioFinding } from '../text/scenario-problem.ts';
import { didYouMean } from '../text/spelling.ts';
import { placedEntries } from './placed-stages.ts';

/** Prices that are charged for nothing: with a misspelt model the cost would stay unknown. */
export const priceRuleFindings = (scenario: ScenarioPart<Scenario>): readonly ScenarioFinding[] => {
  const prices = scenario.at('prices');
  const requested = placedEntries(scenario).map((entry) => ({
    isChat: ['chat', 'chat-stream'].includes(entry.at('kind').text ?? ''),
    model: entry.at('model'),
  }));
  const chatModels = requested.filter(({ isChat }) => isChat).map(({ model }) => model);
  const unpriced = chatModels
    .filter(({ isFromEnvironment }) => !isFromEnvironment)
    .flatMap(({ text }) => (text === null || prices.names.includes(text) ? [] : [text]));
  return prices.names
    .filter((name) => !chatModels.some(({ text }) => text === name))
    .map((name) => {
      const price = prices.at(name);
      return requested.some(({ model }) => model.text === name)
        ? price.keyFinding(
            `prices are for chat, and no chat entry uses ${JSON.stringify(name)}`,
            'leave it out: the service charges speech by the character and transcription by the second',
          )
        : price.keyFinding(
            `no chat entry uses ${JSON.stringify(name)}`,
            didYouMean(name, unpriced) ?? 'leave its price out, or use the model',
          );
    });
};
