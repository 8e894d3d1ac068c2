import type { ModelPrice } from '../../scenario/schema/prices-schema.ts';

export interface StarterPrices {
  readonly source: string;
  readonly currency: string | undefined;
  readonly models: readonly (readonly [model: string, price: ModelPrice])[];
}

/** The data from which `starterScenarioText` writes a first scenario. */
export interface StarterScenario {
  readonly target: string;
  readonly key: string;
  readonly chat: string;
  /** The model for speech; `null` if the target lists no such model. */
  readonly speech: string | null;
  readonly transcription: string | null;
  /** The limits per minute that the gateway declares; `null` for a limit that the gateway does not name. */
  readonly declared: Readonly<Record<'requests' | 'tokens', number | null>> & {
    /** The families of the headers that declare the limits; empty for the headers of the interface. */
    readonly families?: readonly string[];
    /** The limits whose headers name no period, for example `20 requests`. A period of a minute is assumed for them. */
    readonly assumed?: readonly string[];
  };
  /** The declared limits of windows longer than a minute, in words. */
  readonly longer?: readonly string[];
  /** Other chat models that the target lists. */
  readonly others?: readonly string[];
  /** The known prices; absent if no price is known. */
  readonly prices?: StarterPrices | undefined;
  /** The run must keep the median time to first token below this, such as `800ms`. */
  readonly firstToken?: string;
  /** The address at which an editor finds the schema of scenarios. The address contains no spaces. */
  readonly schema: string;
}

/**
 * The requests per minute that the interface allows (section 8). The load sends at most this many, even if the gateway
 * declares a higher limit or none.
 */
const usualRequests = 60;

/** The default of `firstToken`. */
export const usualFirstToken = '2s';

/** The scenario sends this many requests, enough to decide its objectives. */
const requestCount = 50;

const familiesText = (families: readonly string[] = []): string =>
  families.length === 0 ? '' : `${families.join(' and ')} `;

/** Says which option makes `weir check` read headers of a family other than the interface's. */
const familyHint = ([family]: readonly string[] = []): string =>
  family === undefined ? '' : ` (weir check --header-family ${family})`;

/** Returns the limits, their source, and a load that does not exceed the limit of requests. */
const limitsOf = ({ declared, longer = [] }: StarterScenario) => {
  const requests = declared.requests ?? usualRequests;
  const isDeclared = declared.requests !== null || declared.tokens !== null;
  // A limit below 60 requests a minute gives a rate of 80 % of the limit. A higher limit gives one request per second.
  const perMinute =
    requests < usualRequests ? Math.max(1, Math.floor(requests * 0.8)) : usualRequests;
  const duration = Math.ceil((requestCount * 60) / perMinute);
  const { assumed = [] } = declared;
  const units = ['requests', 'tokens'] as const;
  const unsaid = isDeclared ? units.filter((unit) => declared[unit] === null) : [];
  const more = [
    ...unsaid.map((unit) => `\n# It names no ${unit} per minute.`),
    ...(assumed.length === 0
      ? []
      : [`\n# The headers name no time for ${assumed.join(' and ')}: a minute is assumed.`]),
    ...(longer.length === 0 ? [] : [`\n# It also declares ${longer.join(', ')}.`]),
  ].join('');
  return {
    load: `rate: ${perMinute === 60 ? '1/s' : `${perMinute}/min`}, duration: ${duration}s`,
    source: isDeclared
      ? `The limits that the gateway declares for each key, by the ${familiesText(declared.families)}headers of its answer${familyHint(declared.families)}.${more}\n# It refuses a load above them with 429, which is a normal outcome; \`pace: {}\` makes requests wait instead.`
      : `The gateway’s answer declares no limits${longer.length === 0 ? '' : ' per minute'}. If a key has some, name them: { requestsPerMinute: 60, tokensPerMinute: 2000000 }.${more}`,
    fields: isDeclared
      ? `{ requestsPerMinute: ${declared.requests ?? 'none'}, tokensPerMinute: ${declared.tokens ?? 'none'} }`
      : 'none',
  };
};

/**
 * Quotes a text for YAML in the form of JSON. Without quotes, a word such as null or yes would have another meaning.
 */
const quote = (text: string): string =>
  /^[a-z]\w*[/-][\w./-]*$/i.test(text) ? text : JSON.stringify(text);

/** Returns the traffic entries for audio. Audio gets a small share of the requests, since longer audio costs more. */
const audioEntries = ({ speech, transcription }: StarterScenario): string => {
  const spoken = `  - kind: speech
    model: ${quote(speech ?? '')}
    text: The gate is open.
    weight: 0.2
`;
  const transcribed = `  - kind: transcription # of the recordings that come with Weir
    model: ${quote(transcription ?? '')}
    weight: 0.2
`;
  return `${speech === null ? '' : spoken}${transcription === null ? '' : transcribed}`;
};

const targetLines = ({ target, key }: StarterScenario): readonly string[] =>
  target === 'mock'
    ? ['# The reference gateway that comes with Weir: no key, no cost.', 'target: mock']
    : [
        `target: ${JSON.stringify(target)}`,
        '# A reference to the key, never the key itself.',
        `keys: '\${env:${key}}'`,
      ];

/** Writes an amount, which is in units of 10^−`decimals` of the currency, without an exponent. */
const amountText = (amount: number, decimals: number): string =>
  (amount / 10 ** decimals).toFixed(decimals).replace(/\.?0+$/, '');

const priceText = (price: ModelPrice): string => {
  const fields = Object.entries(price).flatMap(([name, amount]) => {
    if (amount === undefined) return [];
    if (name === 'roundUpTo') return [`${name}: ${amount}ms`];
    if (name === 'maxInput') return [`${name}: ${amount}`];
    return [`${name}: ${amountText(amount, name.startsWith('per') ? 12 : 6)}`];
  });
  return `{ ${fields.join(', ')} }`;
};

/** Returns the lines of the known prices, or else an example in comments. */
const priceLines = ({ chat, prices }: StarterScenario): string => {
  if (prices === undefined)
    return `# Prices of chat, in units of the currency for a million tokens, from the service’s price list. With
# them weir plan and the report show the cost.
# prices:
#   ${quote(chat)}: { input: 0.15, output: 0.60 }`;
  const { source, currency, models } = prices;
  const rows = models.map(([model, price]) => `  ${quote(model)}: ${priceText(price)}`);
  return `# Prices of a million tokens, ${source}: weir plan and the report show the cost.
prices:
${[...(currency === undefined ? [] : [`  currency: ${quote(currency)}`]), ...rows].join('\n')}`;
};

/** The maximum number of other models that a scenario names. */
const mostNamed = 5;

const otherModels = ({ others = [] }: StarterScenario): string => {
  const more = others.length > mostNamed ? ' …' : '';
  return others.length === 0
    ? ''
    : `\n# Other models that the gateway lists: ${others.slice(0, mostNamed).map(quote).join(', ')}${more}`;
};

/**
 * Returns the text of a complete scenario with comments: fifty requests, at most one per second, within a key's limit
 * of requests.
 */
export const starterScenarioText = (starter: StarterScenario, file: string): string => {
  const limits = limitsOf(starter);
  return `# yaml-language-server: $schema=${starter.schema}
#
# A first load test, written by weir init. First see what it will send, then run it:
#
#   weir plan ${file}
#   weir run ${file}

name: first
${targetLines(starter).join('\n')}

# The requests to send: a mix by weight. The prompts are generated with exactly this many tokens and all
# differ, so no cache helps; maxTokens limits the time and cost of the answers.${otherModels(starter)}
traffic:
  - kind: chat-stream
    model: ${quote(starter.chat)}
    prompt: { tokens: 200 }
    maxTokens: 100
  - kind: chat # the same, with whole answers
    model: ${quote(starter.chat)}
    prompt: { tokens: 200 }
    maxTokens: 100
    weight: 0.2
${audioEntries(starter)}  # - kind: models # the model list is free

${priceLines(starter)}

# An even rate, whether or not earlier answers have come. Other kinds: poisson, ramping,
# stairs, closed (users with a thinkTime), trace.
load: { kind: constant, ${limits.load} }

# ${limits.source}
limits: ${limits.fields}

# The most that the run may spend. Weir refuses a run that may need more, and ends a run before it
# spends more.
budget: { requests: 100, tokens: 50000 }

# The gate of the run: if one of these objectives is broken, the exit code is 10. A median needs 20 samples, a p95 200.
objectives:
  - errorRate < 5%
  - ttft.p50 < ${starter.firstToken ?? usualFirstToken}
`;
};
