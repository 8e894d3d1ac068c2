import type {
  Price,
  Pricing,
  SpeechPrice,
  TranscriptionPrice,
} from '../../model/workload/price.ts';
import type { ReadResult, WorkloadFiles } from '../../model/workload/workload.ts';
import { parse } from 'yaml';
import { isLiteLlmTable, liteLlmPrice } from './litellm-prices.ts';
import { type ModelPrice, pricesSchema, type Prices } from '../schema/prices-schema.ts';

/** The prices of a scenario: the prices in the scenario itself, and the prices in the file that the scenario names. */
export interface PriceTable {
  readonly pricing: Pricing;
  /**
   * Returns the price of a model. Without such a price, returns the price of the traffic kind; `undefined` without
   * either.
   */
  of(model: string, kind: string): ModelPrice | undefined;
}

/** Returns the price of a chat; `null` if the price of input or the price of output is missing. */
export const chatPriceOf = (price: ModelPrice | undefined): Price | null => {
  if (price?.input === undefined || price.output === undefined) return null;
  const { perCharacter: _, perSecond: __, roundUpTo: ___, ...classes } = price;
  return Object.fromEntries(
    Object.entries(classes).filter(([, amount]) => amount !== undefined),
  ) as unknown as Price;
};

/**
 * Returns the price of speech. The price is absent if the model has no price, and `null` if the model's price is not
 * for speech.
 */
export const speechPriceOf = (price: ModelPrice | undefined): { price?: SpeechPrice | null } => {
  if (price === undefined) return {};
  const { perCharacter, perSecond } = price;
  if (perCharacter !== undefined) return { price: { perCharacter } };
  return { price: perSecond === undefined ? null : { perSecond } };
};

/**
 * Returns the price of a transcription. The price is absent if the model has no price, and `null` if the model's price
 * is not for transcriptions.
 */
export const transcriptionPriceOf = (
  price: ModelPrice | undefined,
): { price?: TranscriptionPrice | null } => {
  if (price === undefined) return {};
  const { perSecond, roundUpTo } = price;
  if (perSecond === undefined) return { price: null };
  return { price: roundUpTo === undefined ? { perSecond } : { perSecond, roundUpTo } };
};

/** The prices of a scenario or of a file. */
interface PriceSource extends Pick<Prices, 'currency' | 'date'> {
  /** Returns the price with this name; `undefined` if there is no price. */
  of(name: string): ModelPrice | undefined;
}

const lookUp = <Row>(rows: Readonly<Record<string, Row>>, name: string): Row | undefined =>
  Object.hasOwn(rows, name) ? rows[name] : undefined;

const pricesIn = ({ file: _file, currency, date, ...models }: Prices): PriceSource => ({
  currency,
  date,
  of: (name) => lookUp(models as Readonly<Record<string, ModelPrice>>, name),
});

const refused = (problem: string) => ({ ok: false, problem }) as const;

const parsedText = (text: string): unknown => {
  try {
    return /^\s*\{/.test(text) ? JSON.parse(text) : parse(text);
  } catch {
    return undefined;
  }
};

/** Reads a file of prices. `file` is the file's name in messages. */
const readPriceFile = (text: string, file: string): ReadResult<PriceSource> => {
  const document = parsedText(text);
  if (isLiteLlmTable(document)) {
    // A row is converted only when its price is needed. The table has thousands of rows, and a scenario needs only a
    // few.
    const of = (name: string) => liteLlmPrice(document, name);
    return { ok: true, value: { currency: 'USD', of } };
  }
  const { data, error } = pricesSchema.safeParse(document);
  if (data === undefined) {
    const [issue] = error.issues;
    const place = issue!.path.map(String).join('.');
    return refused(`${file}: ${place === '' ? '' : `${place}: `}${issue!.message}`);
  }
  return data.file === undefined
    ? { ok: true, value: pricesIn(data) }
    : refused(`${file}: a file of prices cannot name another one`);
};

/**
 * Reads the prices of a scenario, and the file of prices that the scenario names. The prices in the scenario take
 * precedence.
 */
export const readPriceTable = (prices: Prices, files: WorkloadFiles): ReadResult<PriceTable> => {
  const { file } = prices;
  let stored = pricesIn({});
  if (file !== undefined) {
    const text = files.prices(file);
    if (!text.ok) return text;
    const read = readPriceFile(text.value, file);
    if (!read.ok) return read;
    stored = read.value;
  }
  const written = pricesIn(prices);
  const [currency, date] = [written.currency ?? stored.currency, written.date ?? stored.date];
  return {
    ok: true,
    value: {
      pricing: {
        ...(currency === undefined ? {} : { currency }),
        ...(date === undefined ? {} : { date }),
        ...(file === undefined ? {} : { file }),
      },
      of: (model, kind) =>
        written.of(model) ?? stored.of(model) ?? written.of(kind) ?? stored.of(kind),
    },
  };
};
