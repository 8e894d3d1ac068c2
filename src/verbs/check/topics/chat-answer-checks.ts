import type { CheckAnswer } from '../reading/check-answer.ts';
import {
  type Check,
  type CheckCase,
  checksOf,
  deviation,
  type Judged,
  pass,
  unchecked,
  violation,
} from '../reading/check-case.ts';
import {
  field,
  fieldChecks,
  fieldText,
  judgeAcceptedJson,
  judgeContentType,
  judgeEncoding,
  oneOf,
  placesAt,
  valueAt,
} from '../reading/judge-answer.ts';
import { chatTokens, chatWith } from './check-requests.ts';

/** This file checks chat completions (interface, sections 2.3, 2.4 and 4.1). */

const { caseOf, checkOf, checkAcross } = checksOf('chat-answers');

/** The maximum number of answer tokens. The limit cuts the answer off, since a complete answer needs more tokens. */
const maxTokens = 16;

const chat: CheckCase = caseOf(
  {
    id: 'chat',
    rows: ['4.1.response', '2.3.role', '2.3.content', '4.1.messages', '7.200'],
    expected: '200 for a chat with system, user and assistant messages',
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

const fields = fieldChecks('chat-answers', 'chat', {
  id: ['2.4.id', 'id', field.filledString],
  object: ['2.4.object', 'object', oneOf('chat.completion')],
  created: ['2.4.created', 'created', field.timestamp],
  model: ['2.4.model', 'model', field.filledString],
  choices: ['2.4.choices', 'choices', field.array],
  index: ['2.4.index', 'choices.*.index', field.integer],
  message: ['2.4.message', 'choices.*.message', field.object],
  role: ['2.4.message', 'choices.*.message.role', oneOf('assistant')],
  content: ['2.4.message', 'choices.*.message.content', field.string],
  finish: ['2.4.finish_reason', 'choices.*.finish_reason', oneOf('stop', 'length', 'tool_calls')],
  usage: ['2.4.usage', 'usage', field.object],
  'prompt-tokens': ['2.4.usage', 'usage.prompt_tokens', field.count],
  'completion-tokens': ['2.4.usage', 'usage.completion_tokens', field.count],
  'total-tokens': ['2.4.usage', 'usage.total_tokens', field.count],
});

const judgeSum = (answer: CheckAnswer): Judged => {
  const [prompt, completion, total] = ['prompt', 'completion', 'total'].map((name) =>
    valueAt(answer.json, `usage.${name}_tokens`),
  );
  if (typeof prompt !== 'number' || typeof completion !== 'number' || typeof total !== 'number')
    return unchecked('the usage has no three numbers');
  if (total === prompt + completion) return pass(`${prompt} + ${completion} = ${total}`);
  const observed = `${prompt} + ${completion}, but the total is ${total}`;
  // Some servers count the tokens of reasoning only in the total, so this is a known deviation.
  return total > prompt + completion ? deviation('hidden-tokens', observed) : violation(observed);
};

const judgeLength = (answer: CheckAnswer): Judged => {
  const completion = valueAt(answer.json, 'usage.completion_tokens');
  const finish = valueAt(answer.json, 'choices.*.finish_reason');
  if (typeof completion !== 'number') return unchecked('the usage has no completion_tokens');
  if (completion > maxTokens)
    return violation(`${completion} tokens were generated, ${maxTokens} were allowed`);
  if (completion === maxTokens || finish !== 'length') return pass(`${completion} tokens`);
  return deviation('early-length', `finish_reason is length after ${completion} tokens`);
};

/** Judges the finish reason of an answer that was cut off. The reason must not claim that the answer is complete. */
const judgeFinish = (answer: CheckAnswer): Judged => {
  const finish = valueAt(answer.json, 'choices.*.finish_reason');
  const completion = valueAt(answer.json, 'usage.completion_tokens');
  if (completion !== maxTokens) return unchecked('the model ended by itself');
  return finish === 'length'
    ? pass('length')
    : deviation('cut-without-length', `finish_reason is ${fieldText(answer, finish)}`);
};

export const chatAnswerCases: readonly CheckCase[] = [chat];

export const chatAnswerChecks: readonly Check[] = [
  chat.check,
  ...fields,
  checkOf(
    'chat.content-type',
    ['4.1.response'],
    'Content-Type is application/json',
    judgeContentType('application/json'),
  ),
  checkOf(
    'chat.compressed',
    ['4.1.response'],
    'the answer is not compressed, as none was asked for',
    judgeEncoding,
  ),
  checkOf(
    'chat.model-used',
    ['2.4.model'],
    'model is the requested one, or another of the catalogue',
    (answer, { chat: requested, listed }) => {
      const model = valueAt(answer.json, 'model');
      if (model === requested) return pass('the requested one');
      return typeof model === 'string' && listed.includes(model)
        ? pass('another of the catalogue')
        : deviation('other-model', `model is ${fieldText(answer, model)}`);
    },
  ),
  checkOf(
    'chat.positions',
    ['2.4.index', '2.4.choices'],
    'there is a choice, and each has its position as index',
    (answer) => {
      const indexes = placesAt(answer.json, 'choices.*.index').map(({ value }) => value);
      if (indexes.length === 0) return violation('there is no choice');
      return indexes.every((value, position) => value === position)
        ? pass(`${indexes.length} in order`)
        : violation('an index is not the position of its choice');
    },
  ),
  checkOf(
    'chat.total',
    ['2.4.usage'],
    'total_tokens is prompt_tokens + completion_tokens',
    judgeSum,
  ),
  checkOf(
    'chat.max-tokens',
    ['4.1.max_tokens'],
    `at most ${maxTokens} tokens were generated`,
    judgeLength,
  ),
  checkOf(
    'chat.cut',
    ['2.4.finish_reason', '4.1.max_tokens'],
    'finish_reason is length where max_tokens cut the answer off',
    judgeFinish,
  ),
  checkAcross(
    'chat.unique-id',
    ['2.4.id'],
    'two chats have different ids',
    (answers) => {
      const ids = ['chat', 'minimal'].map((id) => valueAt(answers.of(id)!.json, 'id'));
      return new Set(ids).size === 2 ? pass('different') : violation('both have the same id');
    },
    { needs: ['chat', 'minimal'] },
  ),
];
