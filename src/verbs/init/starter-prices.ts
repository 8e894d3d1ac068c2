import { Problem } from '../../platform/problem.ts';
import { readPriceTable } from '../../scenario/compile/price-table.ts';
import { type ModelPrice, pricesSchema } from '../../scenario/schema/prices-schema.ts';
import { workloadFiles } from '../../run/input/workload-files.ts';
import type { ProbeModels } from '../limits/experiment/probe-requests.ts';
import type { StarterPrices } from './starter-scenario.ts';

/**
 * Returns the models of a scenario, each with a function that tells whether a price has the fields for the model's
 * traffic.
 */
const usedModels = (chat: string, { speech, transcription }: ProbeModels) => {
  const perUnit = ({ perCharacter, perSecond }: ModelPrice): boolean =>
    perCharacter !== undefined || perSecond !== undefined;
  return [
    [chat, ({ input, output }: ModelPrice) => input !== undefined && output !== undefined],
    ...[speech, transcription].flatMap((model) =>
      model === null ? [] : [[model, perUnit] as const],
    ),
  ] as const;
};

/**
 * Returns the prices of a scenario's models from a file that the user names. Throws a `Problem` if the file cannot be
 * read.
 */
export const pricesInFile = (
  file: string,
  chat: string,
  models: ProbeModels,
): StarterPrices | undefined => {
  const table = readPriceTable(pricesSchema.parse({ file }), workloadFiles('.', true).files);
  if (!table.ok) throw new Problem(`--prices: ${table.problem}`);
  const prices = table.value;
  const found = usedModels(chat, models).flatMap(([model, isUsable]) => {
    const price = prices.of(model, '');
    return price === undefined || !isUsable(price) ? [] : [[model, price] as const];
  });
  return found.length === 0
    ? undefined
    : { source: `from ${file}`, currency: prices.pricing.currency, models: found };
};

/** Returns the price of the chat model from the gateway's own list; `undefined` if the list has no such price. */
export const pricesInList = (chat: string, { details }: ProbeModels): StarterPrices | undefined => {
  const price = details?.get(chat)?.price ?? null;
  return price === null
    ? undefined
    : {
        source: 'which the gateway’s list names',
        currency: undefined,
        models: [[chat, { input: price.input, output: price.output }]],
      };
};
