import type { CheckReport } from '../../verbs/check/model/check-report.ts';
import type { WholeAnswer, WholeRequest } from './change-answers.fixture.ts';

/** Gateways that report a wrong usage, and honest ones of odd kinds: each changes what the reference gateway reports. */

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly [name: string]: unknown;
}

export interface AuditedChat {
  readonly stream?: boolean;
  readonly max_tokens: number;
  readonly messages: readonly { readonly content: string }[];
  readonly tools?: readonly unknown[];
}

interface UsageOf {
  readonly chat: AuditedChat;
  readonly usage: Usage;
  /** Whether the same prompt was sent before. */
  readonly isRepeated: boolean;
  /** The usage of the request before. */
  readonly before: Usage | null;
}

export type UsageChange = (given: UsageOf) => Record<string, unknown>;

const withTotal = (usage: Record<string, unknown>): Record<string, unknown> => ({
  total_tokens: Number(usage['prompt_tokens']) + Number(usage['completion_tokens']),
  ...usage,
});

const jsonLine = /^data: (\{.*\})$/gm;

/** Returns a layer that changes the usage of whole and streamed chats; `text` replaces the text of whole ones. */
export const changeUsage = (change: UsageChange, text?: (chat: AuditedChat) => string | null) => {
  const known = new Set<string>();
  let before: Usage | null = null;
  return (answer: WholeAnswer, { path, body }: WholeRequest): WholeAnswer => {
    if (!path.endsWith('/chat/completions') || answer.status !== 200) return answer;
    const chat = JSON.parse(body.toString()) as AuditedChat;
    const isRepeated = known.has(body.toString());
    known.add(body.toString());
    const changed = (document: Record<string, unknown>): Record<string, unknown> => {
      const usage = document['usage'] as Usage | null | undefined;
      if (usage === undefined || usage === null) return document;
      const { total_tokens: _, ...counts } = usage;
      const given = { chat, usage: counts as Usage, isRepeated, before };
      const reported = withTotal(change(given));
      before = usage;
      const own = text?.(chat) ?? null;
      const message = { role: 'assistant', content: own };
      const logprobs = { content: Array.from({ length: 40 }, () => ({ token: 'a' })) };
      const choices = [{ index: 0, message, logprobs, finish_reason: 'stop' }];
      return { ...document, ...(own === null ? {} : { choices }), usage: reported };
    };
    const whole = answer.body.toString();
    const rewritten =
      chat.stream === true
        ? whole.replaceAll(
            jsonLine,
            (_, json: string) =>
              `data: ${JSON.stringify(changed(JSON.parse(json) as Record<string, unknown>))}`,
          )
        : JSON.stringify(changed(JSON.parse(whole) as Record<string, unknown>));
    return { ...answer, body: Buffer.from(rewritten) };
  };
};

const scale =
  (input: number, output: number): UsageChange =>
  ({ usage }) => ({
    prompt_tokens: Math.round(usage.prompt_tokens * input),
    completion_tokens: Math.round(usage.completion_tokens * output),
  });
export const add =
  (input: number): UsageChange =>
  ({ usage }) => ({
    ...usage,
    prompt_tokens: usage.prompt_tokens + input,
  });
export const onlyIf =
  (isMeant: (given: UsageOf) => boolean, change: UsageChange): UsageChange =>
  (given) =>
    isMeant(given) ? change(given) : { ...given.usage };

const isStreamed = ({ chat }: UsageOf): boolean => chat.stream === true;
export const contentOf = ({ messages }: AuditedChat): string =>
  messages.map(({ content }) => content).join('');

const toolTokens = ({ tools = [] }: AuditedChat): number =>
  tools.length === 0 ? 0 : (JSON.stringify(tools).match(/[a-z]+|[^a-z\s]/gi) ?? []).length;
export const withTools =
  (times: number): UsageChange =>
  ({ chat, usage }) => ({
    ...usage,
    prompt_tokens: usage.prompt_tokens + times * toolTokens(chat),
  });

/** Costs of 1 for a prompt token, 0.1 for a cached one, and 4 for an output token, in millionths. */
export const withCosts =
  (cachedPrice: number): UsageChange =>
  ({ usage, isRepeated }) => {
    const { prompt_tokens: prompt, completion_tokens: output } = usage;
    const cached = isRepeated ? 1024 : 0;
    const cost = (prompt - cached + cached * cachedPrice + output * 4) / 1e6;
    return { ...usage, prompt_tokens_details: { cached_tokens: cached }, cost };
  };

export const isShort = (chat: AuditedChat): boolean => contentOf(chat) === 'Say yes.';

export interface OddUsage {
  readonly what: string;
  readonly change: UsageChange;
  readonly text?: (chat: AuditedChat) => string | null;
}

/** A lie, the check that has to find it, and its sentence. */
export interface UsageLie extends OddUsage {
  readonly check: string;
  readonly observed: string;
}

export const usageLies: readonly UsageLie[] = [
  {
    what: '4 % more prompt tokens',
    change: scale(1.04, 1),
    check: 'growth',
    observed:
      'reported 105 prompt tokens more for 101 times “time” more: +101 or +202 are possible',
  },
  {
    what: '30 % more prompt tokens',
    change: scale(1.3, 1),
    check: 'growth',
    observed:
      'reported 131 prompt tokens more for 101 times “time” more: +101 or +202 are possible',
  },
  {
    what: '4 % more of prompts of more than 1,000 tokens',
    change: onlyIf(({ usage }) => usage.prompt_tokens > 1000, scale(1.04, 1)),
    check: 'growth',
    observed: 'reported 1203 prompt tokens more for 1151 times “time” more: only +1151 is possible',
  },
  {
    what: '4 % more output tokens',
    change: scale(1, 1.04),
    check: 'limit',
    observed: 'reported 266 output tokens: at most 256 were asked for',
  },
  {
    what: '25 % more output tokens',
    change: scale(1, 1.25),
    check: 'listed',
    observed: 'reported 320 output tokens, and lists 256: at most 258 are possible',
  },
  {
    what: 'hidden reasoning',
    change: onlyIf(
      ({ chat }) => isShort(chat),
      ({ usage }) => ({ ...usage, completion_tokens: 182 }),
    ),
    text: (chat) => (isShort(chat) ? 'Yes.' : null),
    check: 'text',
    observed:
      'usage-yes: reported 182 output tokens for 4 bytes of text, and no reasoning is declared: at most 20 are possible',
  },
  {
    what: 'thinking that is only in the total',
    change: ({ usage }) => ({
      ...usage,
      total_tokens: usage.prompt_tokens + usage.completion_tokens + 300,
    }),
    check: 'total',
    observed: 'the total is not 1301 + 16 tokens, nor with any part beside',
  },
  {
    what: 'hidden thinking until the limit, with an empty answer',
    change: onlyIf(
      ({ chat }) => isShort(chat),
      ({ usage, chat }) => ({ ...usage, completion_tokens: chat.max_tokens }),
    ),
    text: (chat) => (isShort(chat) ? '' : null),
    check: 'text',
    observed: 'usage-yes: reported 256 output tokens for 0 bytes of text',
  },
  {
    what: '10 % more output tokens, but never more than were asked for',
    change: ({ usage, chat }) => ({
      ...usage,
      completion_tokens: Math.min(
        chat.max_tokens,
        chat.max_tokens === 256 && !isShort(chat) ? 44 : usage.completion_tokens,
      ),
    }),
    text: (chat) =>
      chat.max_tokens === 256 && !isShort(chat) && chat.stream !== true ? 'forty words' : null,
    check: 'listed',
    observed: 'usage-listed: reported 44 output tokens, and lists 40: at most 42 are possible',
  },
  {
    what: 'prompts of streams counted twice',
    change: onlyIf(isStreamed, scale(2, 1)),
    check: 'streamed',
    observed: 'the same prompt has 49 prompt tokens, and 98 streamed: they must be equal',
  },
  {
    what: 'answers of streams counted twice',
    change: onlyIf(isStreamed, scale(1, 2)),
    check: 'limit',
    observed: 'usage-listed-stream: reported 512 output tokens: at most 256 were asked for',
  },
  {
    what: 'three tokens more in streams',
    change: onlyIf(isStreamed, add(3)),
    check: 'streamed',
    observed: 'the same prompt has 49 prompt tokens, and 52 streamed: they must be equal',
  },
  {
    what: 'tools counted twice in streams',
    change: (given) => withTools(isStreamed(given) ? 2 : 1)(given),
    check: 'tools-streamed',
    observed: 'they must be equal',
  },
  {
    what: 'tools counted twice',
    change: withTools(2),
    check: 'tools',
    observed:
      'reported 214 prompt tokens more for 107 words more in a tool: only +107 is possible if the tool is in the prompt once',
  },
  {
    what: 'cached tokens billed as others',
    change: withCosts(1),
    check: 'cached',
    observed:
      '1024 of 1301 prompt tokens were reported as cached after 0, and the cost is 0.001365 after 0.001365',
  },
  {
    what: 'cached tokens counted once more',
    change: ({ usage, isRepeated }) => ({
      ...usage,
      prompt_tokens: usage.prompt_tokens + (isRepeated ? 1024 : 0),
    }),
    check: 'repeated',
    observed: 'the same prompt has 1301 prompt tokens, and 2325 when it was sent again',
  },
  {
    what: 'a constant of 700 added',
    change: add(700),
    check: 'template',
    observed: 'prompt tokens are not of the text; chat templates add at most 512',
  },
  {
    what: 'counts rounded up to 10',
    change: ({ usage }) => ({
      prompt_tokens: Math.ceil(usage.prompt_tokens / 10) * 10,
      completion_tokens: usage.completion_tokens,
    }),
    check: 'growth',
    observed:
      'reported 100 prompt tokens more for 101 times “time” more: only +101 is possible; every count is a multiple of 10',
  },
  {
    what: 'a total that is not the sum',
    change: ({ usage }) => ({
      ...usage,
      total_tokens: usage.prompt_tokens + usage.completion_tokens + 9,
    }),
    check: 'total',
    observed: 'the total is not 1301 + 16 tokens',
  },
  {
    what: 'the usage of the request before',
    change: ({ usage, before }) => ({ ...(before ?? usage), total_tokens: undefined }),
    check: 'growth',
    observed: 'as if it were of another request',
  },
  {
    what: 'the same usage for all',
    change: () => ({ prompt_tokens: 500, completion_tokens: 16 }),
    check: 'growth',
    observed: 'reported 0 prompt tokens more for 101 times “time” more',
  },
  {
    what: 'one token more in every second prompt',
    change: onlyIf(({ chat }) => contentOf(chat).length % 2 === 0, add(1)),
    check: 'growth',
    observed:
      'reported 102 prompt tokens more for 101 times “time” more: +101 or +202 are possible',
  },
  {
    what: 'an estimate of four characters for a token',
    change: ({ usage, chat }) => ({
      ...usage,
      prompt_tokens: Math.ceil(contentOf(chat).length / 4),
    }),
    check: 'growth',
    observed: 'are possible',
  },
  {
    what: 'every token counted twice',
    change: scale(2, 1),
    check: 'words',
    observed: '2 for “time”, 2 for “in”, 2 for “government”; in every common vocabulary it is 1',
  },
];

/** The findings of a report, as `check: what was seen`. */
export const auditFindings = ({ rows }: CheckReport): readonly string[] =>
  rows
    .filter(({ outcome }) => outcome === 'violation' || outcome === 'deviation')
    .map(({ id, observed }) => `${id}: ${observed}`);
