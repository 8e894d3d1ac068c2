import type { WholeAnswer, WholeRequest } from './change-answers.fixture.ts';

/** Answers of servers that run tools themselves, whose results are among the tokens of the prompt. */

export interface ShownTool {
  readonly what: string;
  /** The field that shows it. */
  readonly field: string;
  readonly place: 'message' | 'usage' | 'top';
  readonly value: unknown;
}

const citation = { url: 'https://a.example', title: 'A', start_index: 0, end_index: 3 };

export const serverTools: readonly ShownTool[] = [
  {
    what: 'citations of a web search, as OpenAI and OpenRouter do',
    field: 'annotations',
    place: 'message',
    value: [{ type: 'url_citation', url_citation: citation }],
  },
  {
    what: 'the tools that it ran, as Groq does',
    field: 'executed_tools',
    place: 'message',
    value: [{ index: 0, type: 'search', arguments: '{}', output: 'a' }],
  },
  {
    what: 'the number of its searches in the usage, as Anthropic does',
    field: 'server_tool_use',
    place: 'usage',
    value: { web_search_requests: 2 },
  },
  {
    what: 'the number of its sources in the usage, as xAI does',
    field: 'num_sources_used',
    place: 'usage',
    value: 5,
  },
  {
    what: 'results of a search beside its choices, as Perplexity does',
    field: 'search_results',
    place: 'top',
    value: [{ title: 'A', url: 'https://a.example', date: null }],
  },
];

interface Chat {
  readonly usage?: Readonly<Record<string, number>> | null;
  readonly choices?: readonly Readonly<Record<string, object | undefined>>[];
}

/** Returns a layer that adds a tool to whole and streamed chats, and up to 900 tokens of its results to each prompt. */
export const showServerTool = ({ field, place, value }: ShownTool) => {
  let sent = 0;
  const changed = (chat: Chat): Chat => {
    const { usage, choices = [] } = chat;
    sent += 1;
    const added = {
      ...chat,
      ...(place === 'top' ? { [field]: value } : {}),
      choices: choices.map(({ message, delta, ...choice }) => {
        const more = place === 'message' ? { [field]: value } : {};
        const own = message === undefined ? { delta } : { message };
        return {
          ...choice,
          ...Object.fromEntries(
            Object.entries(own).map(([name, fields]) => [name, { ...fields, ...more }]),
          ),
        };
      }),
    };
    if (usage === null || usage === undefined) return added;
    const prompt = usage['prompt_tokens']! + 300 + ((sent * 131) % 600);
    const counts = {
      ...usage,
      prompt_tokens: prompt,
      total_tokens: prompt + usage['completion_tokens']!,
      ...(place === 'usage' ? { [field]: value } : {}),
    };
    return { ...added, usage: counts };
  };
  return (answer: WholeAnswer, { path, body }: WholeRequest): WholeAnswer => {
    if (!path.endsWith('/chat/completions') || answer.status !== 200) return answer;
    const rewrite = (json: string): string => JSON.stringify(changed(JSON.parse(json) as Chat));
    const whole = answer.body.toString();
    const isStream = body.includes('"stream":true');
    const written = isStream
      ? whole.replaceAll(/^data: (\{.*\})$/gm, (_, json: string) => `data: ${rewrite(json)}`)
      : rewrite(whole);
    return { ...answer, body: Buffer.from(written) };
  };
};
