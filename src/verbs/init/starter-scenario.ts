/** What a first scenario contains of the target. */
export interface StarterScenario {
  readonly target: string;
  readonly key: string;
  readonly chat: string;
  /** The model for speech; `null` if the target lists none. */
  readonly speech: string | null;
  readonly transcription: string | null;
  /** The limits per minute that the gateway declares. A limit is `null` if the gateway does not name it. */
  readonly declared: Readonly<Record<'requests' | 'tokens', number | null>>;
  /** The address at which an editor finds the schema of scenarios. It contains no spaces. */
  readonly schema: string;
}

/** The limits of the interface (section 8). They are used if a gateway declares none. */
const usualLimits = { requests: 60, tokens: 2_000_000 } as const;

/** The number of requests. It is large enough to decide the objectives below. */
const requestCount = 50;

/** Returns the limits, where they come from, and a rate that stays below them. */
const limitsOf = ({ declared }: StarterScenario) => {
  const requests = declared.requests ?? usualLimits.requests;
  const tokens = declared.tokens ?? usualLimits.tokens;
  const isDeclared = declared.requests !== null || declared.tokens !== null;
  // The rate is slightly below the limit, and at most one request per second.
  const perMinute = requests < 60 ? Math.max(1, Math.floor(requests * 0.8)) : 60;
  const duration = Math.ceil((requestCount * 60) / perMinute);
  return {
    load: `rate: ${perMinute === 60 ? '1/s' : `${perMinute}/min`}, duration: ${duration}s`,
    source: isDeclared
      ? 'The limits that the gateway declares for each key, by the headers of its answer.'
      : 'The gateway’s answer declares no limits: these are the interface’s, for each key.',
    fields: `{ requestsPerMinute: ${requests}, tokensPerMinute: ${tokens} }`,
  };
};

/**
 * Quotes a text for YAML in the form of JSON. Without quotes, a word such as null or yes would have another meaning.
 */
const quote = (text: string): string =>
  /^[a-z]\w*[/-][\w./-]*$/i.test(text) ? text : JSON.stringify(text);

/**
 * Returns the traffic entries for audio. They get a small share of the requests, since audio costs more the longer it
 * is.
 */
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

/**
 * Returns the text of a complete scenario with comments: fifty requests, at most one per second, below the limits of a
 * key.
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
# differ, so no cache helps; maxTokens limits the time and cost of the answers.
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

# Prices of chat, in units of the currency for a million tokens, from the service’s price list. With
# them weir plan and the report show the cost.
# prices:
#   ${quote(starter.chat)}: { input: 0.15, output: 0.60 }

# An even rate, whether or not earlier answers have come. Other kinds: poisson, ramping,
# stairs, closed (users with a thinkTime), trace.
load: { kind: constant, ${limits.load} }

# ${limits.source}
# It refuses a load above them with 429, which is a normal outcome; \`pace: {}\` makes requests wait instead.
limits: ${limits.fields}

# The most that the run may spend. Weir refuses a run that may need more, and ends a run before it
# spends more.
budget: { requests: 100, tokens: 50000 }

# The objectives of the run: if one is broken, the exit code is 10. A median needs 20 samples, a p95 200.
objectives:
  - errorRate < 5%
  - ttft.p50 < 2s
`;
};
