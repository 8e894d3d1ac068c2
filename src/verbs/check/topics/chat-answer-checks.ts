import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Check,
  type CheckCase,
  caseOf,
  checkAcross,
  checkOf,
  deviation,
  type Judged,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import { chatTokens, chatWith } from './chat-requests.ts';
import {
  aCount,
  aFilledString,
  anArray,
  anInteger,
  anObject,
  aString,
  aTimestamp,
  fieldChecks,
  oneOf,
  placesAt,
  fieldText,
} from '../reading/json-fields.ts';
import { judgeAcceptedJson, judgeEncoding } from '../reading/judge-status.ts';

/** The chat completion (interface 2.3, 2.4, 4.1). */

const topic = 'chat-answers';
const request = 'chat';

/** Too few for the answer, so that the model is cut off there. */
const maxTokens = 16;

const chat: CheckCase = caseOf(
  {
    id: request,
    topic,
    rows: ['4.1.response', '2.3.role', '2.3.content', '4.1.messages', '7.200'],
    expected: '200 for a chat with system, user and assistant messages',
    title: 'chat with system, user and assistant messages',
    isSerial: true,
    cost: chatTokens(maxTokens, 60),
    build: chatWith({
      messages: [
        { role: 'system', content: 'You count.' },
        { role: 'user', content: 'Count from one to three in words.' },
        { role: 'assistant', content: 'one, two, three' },
        { role: 'user', content: 'Now count from one to two hundred in words.' },
      ],
      max_tokens: maxTokens,
    }),
  },
  judgeAcceptedJson,
);

const fields = fieldChecks(
  { topic, request },
  {
    id: { row: '2.4.id', path: 'id', ...aFilledString },
    object: { row: '2.4.object', path: 'object', ...oneOf('chat.completion') },
    created: { row: '2.4.created', path: 'created', ...aTimestamp },
    model: { row: '2.4.model', path: 'model', ...aFilledString },
    choices: { row: '2.4.choices', path: 'choices', ...anArray },
    index: { row: '2.4.index', path: 'choices.*.index', ...anInteger },
    message: { row: '2.4.message', path: 'choices.*.message', ...anObject },
    role: { row: '2.4.message', path: 'choices.*.message.role', ...oneOf('assistant') },
    content: { row: '2.4.message', path: 'choices.*.message.content', ...aString },
    finish: {
      row: '2.4.finish_reason',
      path: 'choices.*.finish_reason',
      ...oneOf('stop', 'length', 'tool_calls'),
    },
    usage: { row: '2.4.usage', path: 'usage', ...anObject },
    'prompt-tokens': { row: '2.4.usage', path: 'usage.prompt_tokens', ...aCount },
    'completion-tokens': { row: '2.4.usage', path: 'usage.completion_tokens', ...aCount },
    'total-tokens': { row: '2.4.usage', path: 'usage.total_tokens', ...aCount },
  },
);

const at = (answer: CheckAnswer, path: string): unknown => placesAt(answer.json, path)[0]?.value;

const judgeSum = (answer: CheckAnswer): Judged => {
  const [prompt, completion, total] = ['prompt', 'completion', 'total'].map((name) =>
    at(answer, `usage.${name}_tokens`),
  );
  if (typeof prompt !== 'number' || typeof completion !== 'number' || typeof total !== 'number')
    return unchecked('the usage has no three numbers');
  if (total === prompt + completion) return pass(`${prompt} + ${completion} = ${total}`);
  const observed = `${prompt} + ${completion}, but the total is ${total}`;
  // Some servers count reasoning only in the total.
  return total > prompt + completion ? deviation('hidden-tokens', observed) : violation(observed);
};

const judgeLength = (answer: CheckAnswer): Judged => {
  const completion = at(answer, 'usage.completion_tokens');
  const finish = at(answer, 'choices.*.finish_reason');
  if (typeof completion !== 'number') return unchecked('the usage has no completion_tokens');
  if (completion > maxTokens)
    return violation(`${completion} tokens were generated, ${maxTokens} were allowed`);
  if (completion === maxTokens || finish !== 'length') return pass(`${completion} tokens`);
  return deviation('early-length', `finish_reason is length after ${completion} tokens`);
};

/** The answer cannot be complete after so few tokens. */
const judgeFinish = (answer: CheckAnswer): Judged => {
  const finish = at(answer, 'choices.*.finish_reason');
  const completion = at(answer, 'usage.completion_tokens');
  if (completion !== maxTokens) return unchecked('the model ended by itself');
  return finish === 'length'
    ? pass('length')
    : deviation('cut-without-length', `finish_reason is ${fieldText(answer, finish)}`);
};

const across: readonly Check[] = [
  checkAcross(
    {
      id: 'chat.unique-id',
      topic,
      rows: ['2.4.id'],
      needs: ['chat', 'minimal'],
      expected: 'two chats have different ids',
    },
    (answers) => {
      const ids = ['chat', 'minimal'].map((id) => at(answers.of(id)!, 'id'));
      return new Set(ids).size === 2 ? pass('different') : violation('both have the same id');
    },
  ),
];

export const chatAnswerCases: readonly CheckCase[] = [chat];

export const chatAnswerChecks: readonly Check[] = [
  chat.check,
  ...fields,
  checkOf(
    {
      id: 'chat.content-type',
      topic,
      rows: ['4.1.response'],
      request,
      expected: 'Content-Type is application/json',
    },
    (answer) =>
      answer.contentType === 'application/json'
        ? pass(answer.contentType)
        : violation(`Content-Type is ${answer.quote(answer.contentType) || 'missing'}`),
  ),
  checkOf(
    {
      id: 'chat.compressed',
      topic,
      rows: ['4.1.response'],
      request,
      expected: 'the answer is not compressed, as none was asked for',
    },
    judgeEncoding,
  ),
  checkOf(
    {
      id: 'chat.model-used',
      topic,
      rows: ['2.4.model'],
      request,
      expected: 'model is the requested one, or another of the catalogue',
    },
    (answer, { chat: requested, listed }) => {
      const model = at(answer, 'model');
      if (model === requested) return pass('the requested one');
      return typeof model === 'string' && listed.includes(model)
        ? pass('another of the catalogue')
        : deviation('other-model', `model is ${fieldText(answer, model)}`);
    },
  ),
  checkOf(
    {
      id: 'chat.positions',
      topic,
      rows: ['2.4.index', '2.4.choices'],
      request,
      expected: 'there is a choice, and each has its position as index',
    },
    (answer) => {
      const indexes = placesAt(answer.json, 'choices.*.index').map(({ value }) => value);
      if (indexes.length === 0) return violation('there is no choice');
      return indexes.every((value, position) => value === position)
        ? pass(`${indexes.length} in order`)
        : violation('an index is not the position of its choice');
    },
  ),
  checkOf(
    {
      id: 'chat.total',
      topic,
      rows: ['2.4.usage'],
      request,
      expected: 'total_tokens is prompt_tokens + completion_tokens',
    },
    judgeSum,
  ),
  checkOf(
    {
      id: 'chat.max-tokens',
      topic,
      rows: ['4.1.max_tokens'],
      request,
      expected: `at most ${maxTokens} tokens were generated`,
    },
    judgeLength,
  ),
  checkOf(
    {
      id: 'chat.cut',
      topic,
      rows: ['2.4.finish_reason', '4.1.max_tokens'],
      request,
      expected: `finish_reason is length where max_tokens cut the answer off`,
    },
    judgeFinish,
  ),
  ...across,
];
