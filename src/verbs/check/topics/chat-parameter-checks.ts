import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Check,
  type CheckCase,
  checksOf,
  deviation,
  type Judged,
  open,
  pass,
  unchecked,
  unlessCutShort,
  violation,
} from '../reading/check-case.ts';
import {
  field,
  fieldText,
  judgeAcceptedJson,
  judgeRefused,
  oneOf,
  valueAt,
} from '../reading/judge-answer.ts';
import { chatTokens, chatWith, jsonRequest } from './check-requests.ts';

/**
 * This file checks the parameters of a chat, at the bounds of their ranges and beyond them (interface, sections 4.1, 7
 * and 8).
 */

const { caseOf, checkOf, checkAcross } = checksOf('chat-parameters');

const minimal = caseOf(
  {
    id: 'minimal',
    rows: ['4.1.messages', '4.1.max_tokens', '7.200'],
    expected: '200 with model and messages alone',
    isSerial: true,
    cost: chatTokens(100),
    build: chatWith({ max_tokens: undefined }),
  },
  judgeAcceptedJson,
);

/**
 * The ranges of parameters. One request carries all lower bounds together, and another all upper bounds. A single bound
 * is sent alone only if the request with all bounds of its side is refused.
 */
const bounds = {
  temperature: { rows: ['4.1.temperature', '8.temperature'], low: 0, high: 2 },
  top_p: { rows: ['4.1.top_p', '8.top_p'], low: 0, high: 1 },
  presence_penalty: { rows: ['4.1.presence_penalty', '8.penalties'], low: -2, high: 2 },
  frequency_penalty: { rows: ['4.1.frequency_penalty', '8.penalties'], low: -2, high: 2 },
  top_k: { rows: ['4.1.top_k'], low: 1, high: 100 },
  stop: { rows: ['4.1.stop', '8.stop'], low: 'e', high: ['e', 'a', 'o', 'i'] },
  stream: { rows: ['4.1.stream'], low: false },
} as const satisfies Readonly<Record<string, object>>;

type End = 'low' | 'high';

/** Both ends of every range, each with its value. */
const rangeEnds = Object.entries<{
  readonly rows: readonly string[];
  readonly low: unknown;
  readonly high?: unknown;
}>(bounds).flatMap(([name, { rows, ...range }]) =>
  (['low', 'high'] as const)
    .filter((end) => range[end] !== undefined)
    .map((end) => {
      const expected = `200 with ${name} ${JSON.stringify(range[end])}`;
      return { id: `${name}-${end}`, name, end, value: range[end], rows, expected };
    }),
);

const maxTokensAtBounds = 24;
const story = [{ role: 'user', content: 'Tell me in one sentence what a river is.' }];

const boundCase = (end: End): CheckCase =>
  caseOf(
    {
      id: `bounds-${end}`,
      rows: ['7.200'],
      expected: `200 with every parameter at its ${end === 'low' ? 'lower' : 'upper'} bound`,
      cost: chatTokens(maxTokensAtBounds),
      build: chatWith({
        messages: story,
        max_tokens: maxTokensAtBounds,
        ...Object.fromEntries(
          rangeEnds.filter((each) => each.end === end).map(({ name, value }) => [name, value]),
        ),
      }),
    },
    judgeAcceptedJson,
  );

/** The requests that are sent only after a refusal. Such requests have no separate rows in the report. */
export const boundRequests = rangeEnds.map(
  ({ id, name, end, value, rows, expected }) =>
    caseOf(
      {
        id,
        rows,
        expected,
        cost: chatTokens(8),
        onlyIfRefused: `bounds-${end}`,
        build: chatWith({ [name]: value }),
      },
      judgeAcceptedJson,
    ).request,
);

const boundChecks = rangeEnds.map(({ id, name, end, value, rows, expected }) =>
  checkAcross(
    `${name}.${end}`,
    rows,
    expected,
    (answers): Judged => {
      const whole = answers.of(`bounds-${end}`);
      if (whole === null) return unchecked('the request was not sent');
      if (judgeAcceptedJson(whole).outcome === 'pass')
        return pass(`accepted ${JSON.stringify(value)}`);
      const single = answers.of(id);
      return single === null
        ? unchecked(`the request with all bounds: ${whole.summary}`)
        : unlessCutShort(judgeAcceptedJson)(single);
    },
    { uses: [`bounds-${end}`, id] },
  ),
);

/** Returns the text of the first choice; empty if the choice has no text. */
const contentOf = (answer: CheckAnswer): string => {
  const content = valueAt(answer.json, 'choices.*.message.content');
  return typeof content === 'string' ? content : '';
};

const stopCheck = (end: End, stops: readonly string[]): Check =>
  checkOf(
    `stop.${end}-obeyed`,
    ['4.1.stop'],
    `the answer contains none of ${stops.length === 1 ? 'the one stop sequence' : `the ${stops.length} stop sequences`}`,
    (answer) => {
      const found = stops.filter((stop) => contentOf(answer).includes(stop));
      return found.length === 0
        ? pass('the answer contains none')
        : violation(`the answer contains ${found.map((stop) => JSON.stringify(stop)).join(', ')}`);
    },
    `bounds-${end}`,
  );

/**
 * Chats that must be refused. Each entry has the changes that make a valid chat wrong. If these changes are not clear
 * by themselves, the entry also has a description.
 */
const wrongChats: Readonly<
  Record<
    string,
    readonly [rows: readonly string[], fields: Readonly<Record<string, unknown>>, called?: string]
  >
> = {
  'temperature-below': [bounds.temperature.rows, { temperature: -0.1 }],
  'temperature-above': [bounds.temperature.rows, { temperature: 2.1 }],
  'top_p-below': [bounds.top_p.rows, { top_p: -0.1 }],
  'top_p-above': [bounds.top_p.rows, { top_p: 1.1 }],
  'presence_penalty-below': [bounds.presence_penalty.rows, { presence_penalty: -2.1 }],
  'presence_penalty-above': [bounds.presence_penalty.rows, { presence_penalty: 2.1 }],
  'frequency_penalty-below': [bounds.frequency_penalty.rows, { frequency_penalty: -2.1 }],
  'frequency_penalty-above': [bounds.frequency_penalty.rows, { frequency_penalty: 2.1 }],
  'stop-five': [bounds.stop.rows, { stop: ['a', 'b', 'c', 'd', 'f'] }],
  'stop-number': [['4.1.stop'], { stop: 7 }],
  'temperature-text': [['4.1.temperature'], { temperature: 'warm' }],
  'max_tokens-text': [['4.1.max_tokens'], { max_tokens: 'many' }],
  'top_k-fraction': [['4.1.top_k'], { top_k: 1.5 }],
  'stream-text': [['4.1.stream'], { stream: 'perhaps' }],
  'tools-text': [['4.1.tools'], { tools: 'hammer' }],
  'messages-text': [['4.1.messages'], { messages: 'Say yes.' }],
  'no-model': [['4.1.model'], { model: undefined }, 'no model'],
  'no-messages': [['4.1.messages'], { messages: undefined }, 'no messages'],
  'no-role': [['2.3.role'], { messages: [{ content: 'Say yes.' }] }, 'a message without role'],
  'no-content': [['2.3.content'], { messages: [{ role: 'user' }] }, 'a message without content'],
};

const refusedCases: readonly CheckCase[] = [
  ...Object.entries(wrongChats).map(([id, [rows, fields, called]]) => {
    const [name, value] = Object.entries(fields)[0]!;
    const expected = `400 for ${called ?? `${name} ${JSON.stringify(value)}`}`;
    return caseOf(
      { id, rows: [...rows, '7.400'], expected, build: chatWith(fields) },
      judgeRefused(400),
    );
  }),
  caseOf(
    {
      id: 'unknown-model',
      rows: ['4.1.model', '7.400'],
      expected: '400 (or 404) for a model that is not in the catalogue',
      build: () => chatWith({ max_tokens: 1 })({ chat: 'weir/no-such-model' }),
    },
    judgeRefused(400, 404),
  ),
  caseOf(
    {
      id: 'broken-json',
      rows: ['4.json', '7.400'],
      expected: '400 for a body that is not JSON',
      build: ({ chat }) => jsonRequest('chat', `{"model":${JSON.stringify(chat)},"messages":[{"ro`),
    },
    judgeRefused(400),
  ),
];

const jsonMode = caseOf(
  {
    id: 'json-mode',
    rows: ['4.1.response_format', '7.200'],
    expected: '200 with response_format {type: json_object}',
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

const finishOf = (answer: CheckAnswer): unknown => valueAt(answer.json, 'choices.*.finish_reason');

const jsonAnswer = checkOf(
  'json-mode.valid',
  ['4.1.response_format'],
  'the content is a JSON object',
  (answer) => {
    if (finishOf(answer) === 'length') return unchecked('the answer was cut off at 200 tokens');
    try {
      const value: unknown = JSON.parse(contentOf(answer));
      return field.object.test(value)
        ? pass('a JSON object')
        : violation('the content is JSON, but no object');
    } catch {
      return /```/.test(contentOf(answer))
        ? deviation('fenced-json', 'the JSON stands in a fence of Markdown')
        : violation('the content is not JSON');
    }
  },
);

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
    rows: ['4.1.tools', '2.6.type', '2.6.name', '2.6.description', '2.6.parameters', '7.200'],
    expected: '200 with a tool definition',
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
  'tools.finish',
  ['4.1.tool_calls', '4.1.tool_shape'],
  'finish_reason is tool_calls where the message calls a tool',
  (answer) => {
    const finish = finishOf(answer);
    const calls = valueAt(answer.json, 'choices.*.message.tool_calls');
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

/** The chats whose finish reasons are checked. */
const answeredChats = ['chat', 'minimal', 'bounds-low', 'bounds-high', 'json-mode', 'tools'];

const finishes = checksOf('chat-answers').checkAcross(
  'chats.finish',
  ['2.4.finish_reason'],
  'every chat ends with stop, length or tool_calls',
  (answers) => {
    const whole = answeredChats
      .flatMap((id) => answers.of(id) ?? [])
      .filter((answer) => judgeAcceptedJson(answer).outcome === 'pass');
    if (whole.length === 0) return unchecked('no chat was answered');
    const known = oneOf('stop', 'length', 'tool_calls');
    const wrong = whole.find((answer) => !known.test(finishOf(answer), answers.target));
    return wrong === undefined
      ? pass(`${whole.length} chats`)
      : violation(`finish_reason of ${wrong.requestId} is ${fieldText(wrong, finishOf(wrong))}`);
  },
  { uses: answeredChats },
);

export const chatParameterCases: readonly CheckCase[] = [
  minimal,
  boundCase('low'),
  boundCase('high'),
  jsonMode,
  tools,
  ...refusedCases,
];

export const chatParameterChecks: readonly Check[] = [
  ...chatParameterCases.map(({ check }) => check),
  ...boundChecks,
  stopCheck('low', ['e']),
  stopCheck('high', bounds.stop.high),
  jsonAnswer,
  toolCalls,
  finishes,
];
