/** What a first scenario is made of. */
export interface StarterScenario {
  /** A base address, or `mock`. */
  readonly target: string;
  /** The environment variable that holds the key. */
  readonly key: string;
  readonly chat: string;
  /** Models for audio, where the target lists some. */
  readonly speech: string | null;
  readonly transcription: string | null;
}

/** Any text is a YAML string in the form of JSON; a plain word could be null or yes. */
const quoted = (text: string): string =>
  /^[a-z]\w*[/-][\w./-]*$/i.test(text) ? text : JSON.stringify(text);

/** What the target can do beside chats; a small share each, since audio is paid for by its length. */
const audioEntries = ({ speech, transcription }: StarterScenario): readonly string[] => [
  ...(speech === null
    ? []
    : [
        '  - kind: speech',
        `    model: ${quoted(speech)}`,
        '    text: The gate is open.',
        '    weight: 0.2',
      ]),
  ...(transcription === null
    ? []
    : [
        '  - kind: transcription # of recordings that come with Weir',
        `    model: ${quoted(transcription)}`,
        '    weight: 0.2',
      ]),
];

const targetLines = ({ target, key }: StarterScenario): readonly string[] =>
  target === 'mock'
    ? ['# The reference gateway that comes with Weir: no key, no cost.', 'target: mock']
    : [
        `target: ${JSON.stringify(target)}`,
        '# Never the key itself: where it is.',
        `keys: '\${env:${key}}'`,
      ];

/**
 * The text of a commented scenario that is complete as it stands: fifty requests in fifty seconds,
 * below the sixty a minute that a key may make.
 */
export const starterScenarioText = (starter: StarterScenario, file: string): string =>
  `# A first load test, made by weir init. What it takes, and then the test itself:
#
#   weir plan ${file}
#   weir run ${file}

name: first
${targetLines(starter).join('\n')}

# What the requests ask for: a mix by weight. Made-up prompts of exactly so many tokens, each another,
# so that no cache helps; maxTokens bounds the time and the money of the answers.
traffic:
  - kind: chat-stream
    model: ${quoted(starter.chat)}
    prompt: { tokens: 200 }
    maxTokens: 100
  - kind: chat # the same, answered as a whole
    model: ${quoted(starter.chat)}
    prompt: { tokens: 200 }
    maxTokens: 100
    weight: 0.2
${audioEntries(starter)
  .map((line) => `${line}\n`)
  .join('')}  # - kind: models # the model list costs nothing

# What chat costs, in units of the currency for a million tokens. The service’s price list has the
# figures; with them, plan and report tell the money.
# prices:
#   ${quoted(starter.chat)}: { input: 0.15, output: 0.60 }

# One request a second, whether or not earlier answers have come. Other kinds: poisson, ramping,
# stairs, closed (users with a thinkTime), trace.
load: { kind: constant, rate: 1/s, duration: 50s }

# What the gateway declares for each key. A load above it is refused with 429, which is an outcome
# and not a mistake; \`pace: {}\` makes requests wait instead.
limits: { requestsPerMinute: 60, tokensPerMinute: 2000000 }

# The most that the run may spend. It is not begun where it may need more, and ended before it does.
budget: { requests: 100, tokens: 50000 }

# What the run is held to: exit 10 where it is broken. A median needs 20 samples, a p95 200.
objectives:
  - errorRate < 5%
  - ttft.p50 < 2s
`;
