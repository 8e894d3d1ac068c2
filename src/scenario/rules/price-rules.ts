import type { WorkloadFiles } from '../../model/workload/workload.ts';
import { readPriceTable } from '../compile/price-table.ts';
import { type ModelPrice, pricingKeys } from '../schema/prices-schema.ts';
import type { ScenarioPart } from '../text/scenario-part.ts';
import { didYouMean } from '../text/spelling.ts';
import { type Findings, placedEntries, type WholeScenario } from './placed-stages.ts';

type PricePart = ScenarioPart<ModelPrice>;

function* missingFields(price: PricePart, fields: readonly (keyof ModelPrice)[]): Findings {
  for (const name of fields) {
    const message = `"${name}" is missing: expected an amount from 0 to 1,000,000 with at most 6 decimals, such as 0.15`;
    if (!price.at(name).isPresent) yield price.at(name).keyFinding(message);
  }
}

const chatFindings = (price: PricePart): Findings => missingFields(price, ['input', 'output']);

/** Finds what a price lacks, for each kind of traffic. */
const lacks: Readonly<Record<string, (price: PricePart) => Findings>> = {
  chat: chatFindings,
  'chat-stream': chatFindings,
  *speech(price) {
    if (price.at('perCharacter').isPresent || price.at('perSecond').isPresent) return;
    yield price.valueFinding('expected a price of speech such as {perCharacter: 0.000015}');
  },
  *transcription(price) {
    if (price.at('perSecond').isPresent) return;
    yield price.valueFinding('expected a price of transcription such as {perSecond: 0.0001}');
  },
};

/**
 * Finds prices that apply to no traffic, for example since the name of a model is misspelt. The cost would then be
 * unknown.
 */
export function* priceRule(scenario: WholeScenario, files: WorkloadFiles): Findings {
  const prices = scenario.at('prices');
  const { validValue } = prices;
  if (validValue?.file !== undefined) {
    const table = readPriceTable(validValue, files);
    if (!table.ok) yield prices.at('file').valueFinding(table.problem);
  }
  const entries = placedEntries(scenario)
    .map((entry) => ({ kind: entry.at('kind').text ?? '', model: entry.at('model') }))
    .filter(({ kind }) => kind in lacks || kind === '');
  const names = prices.names.filter((name) => !pricingKeys.includes(name as never));
  // If the traffic cannot be read, or if an entry has no model, nobody can say whether a price is used.
  const isUnknown = entries.length === 0 || entries.some(({ model }) => !model.isPresent);
  const unpriced = entries
    .filter(({ model }) => !model.isFromEnvironment)
    .flatMap(({ model: { text } }) => (text === null || names.includes(text) ? [] : text));
  for (const name of names) {
    const price = (prices as ScenarioPart<Readonly<Record<string, ModelPrice>>>).at(name);
    const users = entries.filter(({ kind, model }) => model.text === name || kind === name);
    for (const kind of new Set(users.map((each) => each.kind))) {
      if (price.validValue !== undefined) yield* lacks[kind]?.(price) ?? [];
    }
    if (isUnknown || users.length > 0) continue;
    const hint = didYouMean(name, unpriced) ?? 'leave its price out, or use the model';
    yield price.keyFinding(`no entry uses ${JSON.stringify(name)}`, hint);
  }
}
