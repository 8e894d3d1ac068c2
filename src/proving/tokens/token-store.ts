import { load, textOf } from '../limiters/npm/gateway-options.ts';

interface Answer {
  readonly admitted: boolean;
  /** How long to wait, in whole seconds. */
  readonly wait: number;
  readonly rest: number;
}

/** The account of one key and one limit in a limiter of others. */
interface TokenStore {
  /** Takes an amount if there is room for it. */
  readonly take: (amount: number) => Promise<Answer>;
  /** Returns whether there is room for anything. */
  readonly look: () => Promise<Answer>;
  /** Charges an amount, or gives it back if it is negative; returns what it did. */
  readonly add: (amount: number) => Promise<number>;
}

interface StoreShape {
  readonly limit: number;
  readonly window: number;
  /** The name of the account. */
  readonly scope: string;
  /** For how many ms a refusal blocks the key; 0 for not at all. */
  readonly block: number;
}

/** What rate-limiter-flexible says of a key. */
interface FlexibleResult {
  readonly remainingPoints: number;
  readonly msBeforeNext: number;
}

interface FlexibleModule {
  readonly RateLimiterMemory: new (options: {
    points: number;
    duration: number;
    blockDuration: number;
  }) => {
    consume: (key: string, points: number) => Promise<FlexibleResult>;
    get: (key: string) => Promise<FlexibleResult | null>;
    penalty: (key: string, points: number) => Promise<FlexibleResult>;
    reward: (key: string, points: number) => Promise<FlexibleResult>;
  };
}

/** The limiter rate-limiter-flexible of npm, in this process: a fixed window from the first charge. */
const flexibleStore = ({ limit, window, scope, block }: StoreShape): TokenStore => {
  const { RateLimiterMemory } = load('rate-limiter-flexible') as FlexibleModule;
  const limiter = new RateLimiterMemory({
    points: limit,
    duration: window / 1000,
    blockDuration: block / 1000,
  });
  const answer = (admitted: boolean, result: FlexibleResult | null): Answer => ({
    admitted,
    wait: Math.ceil((result?.msBeforeNext ?? 0) / 1000),
    rest: result?.remainingPoints ?? limit,
  });
  return {
    take: (amount) =>
      limiter.consume(scope, amount).then(
        (result) => answer(true, result),
        async (result: unknown) => {
          // It counts what it refused, which a gateway of tokens gives back.
          if (block === 0) await limiter.reward(scope, amount);
          return answer(false, result as FlexibleResult);
        },
      ),
    look: async () => {
      const result = await limiter.get(scope);
      return answer((result?.remainingPoints ?? limit) > 0, result);
    },
    add: async (amount) => {
      if (amount < 0) await limiter.reward(scope, -amount);
      else await limiter.penalty(scope, amount);
      return amount;
    },
  };
};

/** A store in a separate process, which speaks HTTP. */
const remoteStore = ({ limit, window, scope }: StoreShape): TokenStore => {
  const ask = async (action: string, amount: number): Promise<Answer> => {
    const query = `scope=${scope}&limit=${limit}&window=${window}&amount=${amount}`;
    const response = await fetch(`${textOf('store')}/${action}?${query}`);
    return (await response.json()) as Answer;
  };
  return {
    take: (amount) => ask('take', amount),
    look: () => ask('look', 0),
    add: async (amount) => ((await ask('add', amount)).admitted ? amount : 0),
  };
};

export const openStore = async (shape: StoreShape): Promise<TokenStore> => {
  const store = textOf('store') === 'flexible' ? flexibleStore(shape) : remoteStore(shape);
  await store.look();
  return store;
};
