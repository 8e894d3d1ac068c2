import { describe, expect, it } from 'vitest';
import type { CheckAnswer } from '../reading/check-answer.ts';
import { reply, said } from './judged.fixture.ts';
import { wordPrompts } from './usage-requests.ts';

interface Used {
  readonly cached?: number;
  readonly total?: number;
  readonly output?: number;
  readonly cost?: unknown;
  readonly more?: object;
  readonly message?: object;
  readonly model?: string;
}

/** An answer to a request of the audit that reports these prompt tokens. */
const used = (
  id: string,
  prompt: number,
  { cached, output = 3, total = prompt + output, cost, more, message, model = 'm' }: Used = {},
): CheckAnswer =>
  reply(id, {
    model,
    choices: [{ index: 0, message: { content: 'Yes.', ...message }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: prompt,
      completion_tokens: output,
      total_tokens: total,
      ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
      ...(cost === undefined ? {} : { cost }),
    },
    ...more,
  });

/** All prompts of words, with so many tokens as `tokensOf` says. */
const prompts = (tokensOf: (words: number, word: string) => number): readonly CheckAnswer[] =>
  Object.entries(wordPrompts).map(([id, [word, count]]) => used(id, tokensOf(count, word)));
const usual = prompts((words) => words + 12);
const without = (answers: readonly CheckAnswer[], ...ids: readonly string[]) =>
  answers.filter(({ requestId }) => !ids.includes(requestId));
const refused = (id: string) => reply(id, { message: 'no' }, { status: 400 });

const words = { tokenizer: { count: (text: string) => text.split(' ').length - 1, sha256: null } };
const joining = {
  tokenizer: { count: (text: string) => Math.ceil((text.split(' ').length - 1) / 2), sha256: null },
};

describe('the growth of prompts', () => {
  it('is the same for each word, or cannot be known', () => {
    expect(said('usage.growth', usual)).toBe(
      'pass: 1 for “time”, 1 for “in”, 1 for “government” each time',
    );
    expect(said('usage.growth', [])).toBe('unchecked: usage-government-more was not sent');
    expect(said('usage.growth', [refused('usage-short'), used('usage-more', 153)])).toMatch(
      /^unchecked: /,
    );
    expect(
      said(
        'usage.growth',
        prompts((count, word) => count * word.length + 3),
      ),
    ).toBe('pass: 4 for “time”, 2 for “in”, 10 for “government” each time');
  });

  it('cannot be of a part of a word', () => {
    expect(
      said(
        'usage.growth',
        prompts((count) => Math.round(count * 1.04) + 12),
      ),
    ).toMatch(
      /^violation: reported 105 prompt tokens more for 101 times “time” more: \+101 or \+202 are possible; results of a tool/,
    );
    const later = without(usual, 'usage-more');
    expect(said('usage.growth', [...later, used('usage-more', 140)])).toMatch(
      /^violation: reported 88 prompt tokens more for 101 times “time” more: only \+101 is possible$/,
    );
  });

  it('may be that of a vocabulary that joins words, which a tokenizer decides', () => {
    const joined = prompts((count) => Math.ceil(count / 2) + 12);
    expect(said('usage.growth', joined)).toBe(
      'unchecked: 51 prompt tokens more for 103 times “government” more: only a vocabulary that joins words has so few, and --tokenizer would decide',
    );
    expect(said('usage.growth', joined, joining)).toMatch(
      /^(pass: “time” as the tokenizer joins it|violation)/,
    );
    expect(said('usage.growth', usual, joining)).toMatch(
      /^violation: reported \d+ prompt tokens for \d+ times “time”, and \d+ by the tokenizer$/,
    );
    expect(said('usage.growth', usual, words)).toMatch(/^pass: 1 for “time”/);
  });
});

describe('the tokens of a word', () => {
  const several = prompts((count) => 2 * count + 12);
  it.each([
    ['one each', usual, {}, 'pass: 1 for “time”, 1 for “in”, 1 for “government”'],
    [
      'two each',
      several,
      {},
      'deviation (several-tokens-per-word): 2 for “time”, 2 for “in”, 2 for “government”; in every common vocabulary it is 1',
    ],
    [
      'different ones',
      prompts((count, word) => count * word.length),
      {},
      'unchecked: 4 for “time”, 2 for “in”, 10 for “government”: no common vocabulary, so that --tokenizer is needed',
    ],
    ['as by the tokenizer', usual, words, 'pass: 1 for “time”, 1 for “in”, 1 for “government”'],
    [
      'others than by the tokenizer',
      several,
      words,
      'violation: 2 for “time”, 2 for “in”, 2 for “government”; by the tokenizer 1 for “time”',
    ],
    [
      'joined ones',
      several,
      joining,
      'unchecked: 2 for “time”, 2 for “in”, 2 for “government”; the tokenizer joins words',
    ],
    [
      'an odd growth',
      prompts((count) => Math.round(count * 1.04)),
      {},
      'unchecked: the tokens of a word are unknown (usage.growth)',
    ],
  ])('are judged: %s', (_, answers, target, expected) => {
    expect(said('usage.words', answers, target)).toBe(expected);
  });
});

describe('a prompt that is sent twice', () => {
  const twice = (again: number, how: Used = {}) => [
    used('usage-long', 1304),
    used('usage-again', again, how),
  ];
  it.each([
    [twice(1304), 'pass: 1304 in both'],
    [
      twice(1310),
      'violation: the same prompt has 1304 prompt tokens, and 1310 when it was sent again: they must be equal, since both ask for one model; only a name that stands for several models explains it',
    ],
    [twice(1304, { cached: 1280 }), 'pass: 1304 in both'],
    [
      twice(24, { cached: 1280 }),
      'deviation (cached-left-out): the same prompt has 1304 prompt tokens, and 24 when it was sent again: the 1280 cached ones are left out',
    ],
    [
      twice(652),
      'deviation (cached-left-out): the same prompt has 1304 prompt tokens, and 652 when it was sent again: so few that tokens from a cache must be left out, which are not reported',
    ],
    [twice(653), /^violation: the same prompt has 1304 prompt tokens, and 653/],
    [twice(1304, { model: 'n' }), 'unchecked: m and n answered, whose tokens cannot be compared'],
    [[refused('usage-again')], 'unchecked: usage-long was not sent'],
    [[used('usage-long', 9)], 'unchecked: usage-again was not sent'],
  ])('has the same tokens', (answers, expected) => {
    if (typeof expected === 'string') expect(said('usage.repeated', answers)).toBe(expected);
    else expect(said('usage.repeated', answers)).toMatch(expected);
  });

  it('is read by the other name of its limit where the first one was refused', () => {
    expect(
      said('usage.repeated', [
        used('usage-long', 1304),
        refused('usage-again'),
        used('usage-again-renamed', 1305),
      ]),
    ).toMatch(/^violation: .* 1304 prompt tokens, and 1305/);
    expect(
      said('usage.repeated', [
        used('usage-long', 1304),
        refused('usage-again'),
        refused('usage-again-renamed'),
      ]),
    ).toBe('unchecked: usage-again: status 400: no');
  });

  it('counts with the tokens of a cache where the server leaves them out', () => {
    const leftOut = twice(24, { cached: 1280 });
    const pair = [used('usage-short', 52), used('usage-stream-short', 50, { cached: 2 })];
    expect(said('usage.streamed', [...leftOut, ...pair])).toBe('pass: 52 in both');
    expect(said('usage.streamed', [...twice(1304), ...pair])).toMatch(/^violation/);
    expect(said('usage.streamed', [...twice(652), ...pair])).toBe(
      'unchecked: the prompt tokens leave out those from a cache, which are not reported (usage.repeated)',
    );
  });
});

describe('a prompt with a tool', () => {
  const tooled = (more: number, how: Used = {}) => [
    ...usual,
    used('usage-tools-short', 150),
    used('usage-tools-more', 150 + more, how),
  ];
  it.each([
    [tooled(107), 'pass: reported 107 prompt tokens more for 107 words more in a tool'],
    [tooled(0), 'open: the words of a tool do not count'],
    [
      tooled(214),
      'violation: reported 214 prompt tokens more for 107 words more in a tool: only +107 is possible if the tool is in the prompt once',
    ],
    [tooled(-1), /^violation: reported -1 prompt tokens more/],
    [usual, 'unchecked: usage-tools-short was not sent'],
    [[], /^unchecked: /],
  ])('counts the words of the tool once', (answers, expected) => {
    if (typeof expected === 'string') expect(said('usage.tools', answers)).toBe(expected);
    else expect(said('usage.tools', answers)).toMatch(expected);
  });

  it('says nothing of an answer in which the server ran a tool itself', () => {
    const ran = { message: { executed_tools: [{ type: 'search' }] } };
    expect(said('usage.tools', tooled(107, ran))).toMatch(
      /^unchecked: usage-tools-more: the server ran a tool \(.*\), whose calls and results/,
    );
  });
});

describe('what a chat template adds', () => {
  // “Note 1000000. Say yes.” has 22 bytes, or 4 words by the tokenizer less one; the prompt has 40 words.
  const short = (tokens: number) => [...without(usual, 'usage-short'), used('usage-short', tokens)];
  const growing = (added: number) => prompts((count) => count + added);
  it.each([
    [
      growing(12),
      {},
      'pass: at least 0 of 52 prompt tokens are not of the text; chat templates add up to 512',
    ],
    [
      growing(22 + 512),
      {},
      'pass: at least 512 of 574 prompt tokens are not of the text; chat templates add up to 512',
    ],
    [
      growing(22 + 513),
      {},
      /^deviation \(tokens-not-sent\): at least 513 of 575 prompt tokens are not of the text; chat templates add at most 512; results/,
    ],
    [growing(3 + 512), words, /^pass: at least 512 of 555/],
    [growing(3 + 513), words, /^deviation \(tokens-not-sent\): at least 513 of 556/],
    [short(99), {}, /^unchecked: /],
  ])('is bounded', (answers, target, expected) => {
    if (typeof expected === 'string')
      expect(said('usage.template', answers, target)).toBe(expected);
    else expect(said('usage.template', answers, target)).toMatch(expected);
  });
});

describe('the counts of each answer', () => {
  it('add up, and the worst deviation is reported', () => {
    expect(said('usage.total', [])).toBe('unchecked: no request was sent');
    expect(said('usage.total', [refused('usage-yes')])).toBe(
      'unchecked: usage-yes: status 400: no',
    );
    expect(said('usage.total', [used('usage-yes', 9), used('usage-short', 52)])).toBe(
      'pass: 2 answers',
    );
    expect(said('usage.total', [used('usage-yes', 9), used('usage-short', 52, { total: 9 })])).toBe(
      'violation: usage-short: the total is not 52 + 3 tokens, nor with any part beside',
    );
    expect(said('usage.total', [reply('usage-yes', { choices: [] })])).toBe(
      'unchecked: usage-yes: no usage is reported',
    );
  });

  it('keep the requested limit; the count that exceeds it most is reported', () => {
    const limited = (...outputs: readonly number[]) =>
      said(
        'usage.limit',
        ['usage-yes', 'usage-listed', 'usage-answer'].flatMap((id, at) =>
          outputs[at] === undefined ? [] : [used(id, 9, { output: outputs[at] })],
        ),
      );
    expect(limited(256, 256, 64)).toBe('pass: 3 answers');
    expect(limited(257, 259, 66)).toBe(
      'violation: usage-listed: reported 259 output tokens: at most 256 were asked for',
    );
    expect(limited(256, 256, 65)).toBe(
      'violation: usage-answer: reported 65 output tokens: at most 64 were asked for',
    );
  });

  it('are those of the text and of the list', () => {
    expect(said('usage.text', [used('usage-yes', 9, { output: 20 })])).toBe('pass: 1 answers');
    expect(said('usage.text', [used('usage-yes', 9, { output: 21 })])).toMatch(
      /^violation: usage-yes: reported 21 output tokens for 4 bytes of text/,
    );
    expect(said('usage.text', [used('usage-tools-more', 9, { output: 21 })])).toBe(
      'unchecked: no request was sent',
    );
    const listing = (count: number, output: number) =>
      reply('usage-listed', {
        choices: [
          {
            message: { content: 'a' },
            logprobs: { content: Array.from({ length: count }, () => ({})) },
          },
        ],
        usage: { prompt_tokens: 4, completion_tokens: output, total_tokens: 4 + output },
      });
    expect(said('usage.listed', [listing(5, 7)])).toBe('pass: 1 answers');
    expect(said('usage.listed', [listing(5, 8)])).toBe(
      'violation: usage-listed: reported 8 output tokens, and lists 5: at most 7 are possible',
    );
    expect(said('usage.listed', [used('usage-listed', 4)])).toBe(
      'unchecked: usage-listed: no tokens are listed',
    );
  });
});

describe('the cost of a prompt that is sent twice', () => {
  const costing = (first: unknown, again: unknown, how: Used = {}) => [
    used('usage-long', 1304, { cost: first }),
    used('usage-again', 1304, { cost: again, cached: 1280, ...how }),
  ];
  it.each([
    [
      costing(4, 1),
      'pass: 1280 of 1304 prompt tokens were reported as cached; the cost fell from 4 to 1',
    ],
    [costing({ total_cost: 4 }, { total_cost: 1 }), /fell from 4 to 1$/],
    [costing(4, 4), /^deviation \(cached-at-full-price\): .* after 0, and the cost is 4 after 4$/],
    [costing(4, 5, { output: 4 }), /^pass/],
    [costing(4, '5'), /and no cost is named$/],
    [costing(undefined, 5), /^open: 1280 of .*; the cost is 5$/],
    [[used('usage-long', 9)], 'unchecked: usage-again was not sent'],
  ])('falls with the tokens from a cache', (answers, expected) => {
    if (typeof expected === 'string') expect(said('usage.cached', answers)).toBe(expected);
    else expect(said('usage.cached', answers)).toMatch(expected);
  });
});

describe('the same requests without the gateway', () => {
  const both = (through: number, direct: number, how: Used = {}) => [
    used('usage-short', through),
    used('direct-usage-short', direct, how),
  ];
  it.each([
    [[], 'unchecked: no address of the model without the gateway is known (--direct URL)'],
    [[used('usage-short', 5)], /^unchecked: no address/],
    [[used('direct-usage-short', 5)], 'unchecked: usage-short was not sent'],
    [both(52, 52), 'pass: 52 on both ways'],
    [
      both(51, 52),
      'violation: usage-short: 51 prompt tokens through the gateway, and 52 without it',
    ],
    [both(53, 52), /^violation: .* 53 prompt tokens .* 52 without it; results of a tool/],
    [
      both(53, 52, { message: { executed_tools: [{ type: 'search' }] } }),
      /^unchecked: direct-usage-short: the server ran a tool/,
    ],
  ])('have the same tokens', (answers, expected) => {
    if (typeof expected === 'string') expect(said('usage.direct', answers)).toBe(expected);
    else expect(said('usage.direct', answers)).toMatch(expected);
  });

  it('have the same tokens from a cache, or another server answered', () => {
    const cached = (through: number | undefined, direct: number | undefined) =>
      said('usage.direct', [
        used('usage-again', 1304, through === undefined ? {} : { cached: through }),
        used('direct-usage-again', 1304, direct === undefined ? {} : { cached: direct }),
      ]);
    expect(cached(undefined, 1280)).toBe(
      'deviation (cached-not-passed-on): no cached tokens through the gateway, and 1280 without it',
    );
    expect(cached(64, 1280)).toBe(
      'open: 64 cached tokens through the gateway, and 1280 without it',
    );
    expect(cached(1280, 1280)).toBe('pass: 1304 on both ways');
    expect(cached(undefined, undefined)).toBe('pass: 1304 on both ways');
  });
});
