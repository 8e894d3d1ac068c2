/** The input and output tokens of an answer, and how many of the input came from a cache. */
interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

/** What a limit of tokens counts. */
interface TokenUnitRow {
  readonly words: string;
  /** The units under which limit headers report it. */
  readonly headers: readonly string[];
  /** The tokens of an answer that it counts, as if they were all of the input. */
  readonly counted: (usage: Usage) => Usage;
  /** Whether it counts the answer and not the prompt, so that answers are made long. */
  readonly isOfAnswers: boolean;
}

/** Limits of tokens, which Azure, Anthropic and Bedrock have apart for input and output. */
export const tokenUnits = {
  tokens: {
    words: 'tokens',
    headers: ['tokens'],
    counted: (usage) => usage,
    isOfAnswers: false,
  },
  'input-tokens': {
    words: 'input tokens',
    headers: ['input-tokens', 'tokens-prompt'],
    counted: (usage) => ({ ...usage, output: 0 }),
    isOfAnswers: false,
  },
  'output-tokens': {
    words: 'output tokens',
    headers: ['output-tokens', 'tokens-generated'],
    counted: ({ output }) => ({ input: output, output: 0 }),
    isOfAnswers: true,
  },
} as const satisfies Record<string, TokenUnitRow>;
export type TokenUnit = keyof typeof tokenUnits;

export const wordsOfUnit = ({ unit = 'tokens' }: { readonly unit?: TokenUnit }): string =>
  tokenUnits[unit].words;
