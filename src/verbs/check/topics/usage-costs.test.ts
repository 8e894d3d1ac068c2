import { expect, it } from 'vitest';
import { outputLimits, toolWords, usageRequests, wordPrompts } from './usage-requests.ts';

it('each request of the audit has the tokens that it may cost, and says when it is sent', () => {
  expect(
    usageRequests.map(
      ({ id, cost, base, isSerial, isStream, onlyIfRefused }) =>
        `${id}: ${cost.inputTokens} + ${cost.outputTokens}, ${base}${isSerial ? ', alone' : ''}${isStream ? ', streamed' : ''}${onlyIfRefused === null ? '' : `, after ${onlyIfRefused}`}`,
    ),
  ).toMatchSnapshot('requests');
  expect(outputLimits).toMatchSnapshot('limits');
});

it('the words of a tool differ by a prime, as those of prompts do', () => {
  expect(toolWords['usage-tools-more'] - toolWords['usage-tools-short']).toBe(107);
  const times = Object.values(wordPrompts).map(([word, count]) => `${count} ${word}`);
  expect(times).toMatchInlineSnapshot(`
    [
      "1292 time",
      "1292 time",
      "126 government",
      "40 time",
      "154 in",
      "141 time",
      "57 in",
      "23 government",
    ]
  `);
});

it('a request asks for what its cost says', () => {
  const target = { chat: 'm', directChat: 'd', now: 5 } as never;
  const body = (id: string): unknown =>
    JSON.parse(
      Buffer.from(usageRequests.find((each) => each.id === id)!.build(target)!.body!).toString(),
    );
  expect(body('usage-yes')).toMatchObject({ model: 'm', max_tokens: 256 });
  expect(body('usage-yes-renamed')).toMatchObject({ max_completion_tokens: 256 });
  expect(body('usage-yes-renamed')).not.toHaveProperty('max_tokens');
  expect(body('direct-usage-yes')).toMatchObject({ model: 'd' });
  expect(body('usage-answer')).toMatchObject({ max_tokens: 64 });
  expect(body('usage-answer-stream')).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(body('usage-short')).toMatchObject({
    max_tokens: 16,
    messages: [{ role: 'user', content: `Note 5. Say yes.${' time'.repeat(40)}` }],
  });
  const [tool] = (body('usage-tools-short') as { tools: { function: { description: string } }[] })
    .tools;
  expect(tool!.function.description).toBe(`Tells the${' time'.repeat(20)}`);
});
