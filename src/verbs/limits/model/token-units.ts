/** The input and output tokens of an answer, and the number of input tokens from a cache. */
interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

/** The facts about a unit that a limit of tokens counts. */
interface TokenUnitRow {
  readonly words: string;
  /** The units under which limit headers report a limit of this unit. */
  readonly headers: readonly string[];
  /**
   * Returns the usage of an answer that the limit counts. For a limit of output tokens, `input` has the output tokens.
   */
  readonly counted: (usage: Usage) => Usage;
  /** Whether the unit counts only the answer, so that examinations ask for long answers. */
  readonly isOfAnswers: boolean;
}

/** The units of limits of tokens. Azure, Anthropic and Bedrock have separate limits for input and output. */
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
