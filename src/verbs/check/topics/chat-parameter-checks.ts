import {
  type Check,
  type CheckCase,
  caseOf,
  checkAcross,
  checkOf,
  deviation,
  open,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { boundCases, boundChecks } from './chat-bounds.ts';
import { chatTokens, chatWith, contentOf } from './chat-requests.ts';
import { refusedChatCases } from './refused-chats.ts';
import { anObject, placesAt, fieldText } from '../reading/json-fields.ts';
import { judgeAcceptedJson } from '../reading/judge-status.ts';

/** The parameters of a chat at their bounds and beyond (interface 4.1, 8). */

const topic = 'chat-parameters';

const minimal = caseOf(
  {
    id: 'minimal',
    topic,
    rows: ['4.1.messages', '4.1.max_tokens', '7.200'],
    expected: '200 with model and messages alone',
    title: 'chat with model and messages alone',
    isSerial: true,
    cost: chatTokens(100),
    build: chatWith({ max_tokens: undefined }),
  },
  judgeAcceptedJson,
);

const jsonMode = caseOf(
  {
    id: 'json-mode',
    topic,
    rows: ['4.1.response_format', '7.200'],
    expected: '200 with response_format {type: json_object}',
    title: 'chat with response_format json_object',
    cost: chatTokens(200),
    build: chatWith({
      messages: [
        { role: 'user', content: 'Answer with a JSON object that has the one field "river".' },
      ],
      max_tokens: 200,
      response_format: { type: 'json_object' },
    }),
  },
  judgeAcceptedJson,
);

const jsonAnswer = checkOf(
  {
    id: 'json-mode.valid',
    topic,
    rows: ['4.1.response_format'],
    request: 'json-mode',
    expected: 'the content is a JSON object',
  },
  (answer, target) => {
    const finish = placesAt(answer.json, 'choices.*.finish_reason')[0]?.value;
    if (finish === 'length') return unchecked('the answer was cut off at 200 tokens');
    try {
      const value: unknown = JSON.parse(contentOf(answer));
      return anObject.test(value, target)
        ? pass('a JSON object')
        : violation('the content is JSON, but no object');
    } catch {
      return /```/.test(contentOf(answer))
        ? deviation('fenced-json', 'the JSON stands in a fence of Markdown')
        : violation('the content is not JSON');
    }
  },
);

const isFinish = (reason: unknown): boolean =>
  ['stop', 'length', 'tool_calls'].includes(reason as string);

const weatherTool = {
  type: 'function',
  function: {
    name: 'read_weather',
    description: 'Reads the weather of a city.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'The name of the city' } },
      required: ['city'],
    },
  },
};

const tools = caseOf(
  {
    id: 'tools',
    topic,
    rows: ['4.1.tools', '2.6.type', '2.6.name', '2.6.description', '2.6.parameters', '7.200'],
    expected: '200 with a tool definition',
    title: 'chat with a tool',
    cost: chatTokens(100, 150),
    build: chatWith({
      messages: [{ role: 'user', content: 'Read the weather of Paris with the tool.' }],
      max_tokens: 100,
      tools: [weatherTool],
    }),
  },
  judgeAcceptedJson,
);

const toolCalls = checkOf(
  {
    id: 'tools.finish',
    topic,
    rows: ['4.1.tool_calls', '4.1.tool_shape'],
    request: 'tools',
    expected: 'finish_reason is tool_calls where the message calls a tool',
  },
  (answer) => {
    const finish = placesAt(answer.json, 'choices.*.finish_reason')[0]?.value;
    const calls = placesAt(answer.json, 'choices.*.message.tool_calls')[0]?.value;
    const hasCalls = Array.isArray(calls) && calls.length > 0;
    if (finish === 'tool_calls') {
      return hasCalls
        ? pass('finish_reason is tool_calls, with tool_calls in the message')
        : open('finish_reason is tool_calls; the message has no tool_calls');
    }
    return hasCalls && finish !== 'length'
      ? violation(`the message has tool_calls, but finish_reason is ${fieldText(answer, finish)}`)
      : unchecked('the model answered without the tool');
  },
);

/** Chats that may end in other ways than the one that is cut off. */
const manyChats = ['chat', 'minimal', 'bounds-low', 'bounds-high', 'json-mode', 'tools'];

const finishes = checkAcross(
  {
    id: 'chats.finish',
    topic: 'chat-answers',
    rows: ['2.4.finish_reason'],
    uses: manyChats,
    expected: 'every chat ends with stop, length or tool_calls',
  },
  (answers) => {
    const whole = manyChats
      .flatMap((id) => answers.of(id) ?? [])
      .filter((answer) => judgeAcceptedJson(answer).outcome === 'pass');
    const reasons = whole.map((answer) => ({
      answer,
      reason: placesAt(answer.json, 'choices.*.finish_reason')[0]?.value,
    }));
    const wrong = reasons.find(({ reason }) => !isFinish(reason));
    if (reasons.length === 0) return unchecked('no chat was answered');
    return wrong === undefined
      ? pass(`${reasons.length} chats`)
      : violation(
          `finish_reason of ${wrong.answer.requestId} is ${fieldText(wrong.answer, wrong.reason)}`,
        );
  },
);

export const chatParameterCases: readonly CheckCase[] = [
  minimal,
  ...boundCases,
  jsonMode,
  tools,
  ...refusedChatCases,
];

export const chatParameterChecks: readonly Check[] = [
  ...chatParameterCases.map(({ check }) => check),
  ...boundChecks,
  jsonAnswer,
  toolCalls,
  finishes,
];
