import { caseOf, jsonRequest } from '../reading/check-case.ts';
import { judgeRefused } from '../reading/judge-status.ts';
import { chatWith } from './chat-requests.ts';

/** Chats that have to be refused (interface 4.1, 7): outside a range, of a wrong type, incomplete, no JSON. */

const topic = 'chat-parameters';

interface WrongChat {
  readonly rows: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly says: string;
}
/** The rows of section 8 that repeat a range. */
const limitRows: Readonly<Record<string, string>> = {
  temperature: '8.temperature',
  top_p: '8.top_p',
  presence_penalty: '8.penalties',
  frequency_penalty: '8.penalties',
  stop: '8.stop',
};

const range = (name: string, value: unknown): WrongChat => ({
  rows: [`4.1.${name}`, limitRows[name] ?? '', '7.400'],
  fields: { [name]: value },
  says: `${name} ${JSON.stringify(value)}`,
});
const typed = (name: string, value: unknown): WrongChat => ({
  rows: [`4.1.${name}`, '7.400'],
  fields: { [name]: value },
  says: `${name} ${JSON.stringify(value)}`,
});

/** Each has to be refused with 400. */
const wrongChats: Readonly<Record<string, WrongChat>> = {
  'temperature-below': range('temperature', -0.1),
  'temperature-above': range('temperature', 2.1),
  'top_p-below': range('top_p', -0.1),
  'top_p-above': range('top_p', 1.1),
  'presence_penalty-below': range('presence_penalty', -2.1),
  'presence_penalty-above': range('presence_penalty', 2.1),
  'frequency_penalty-below': range('frequency_penalty', -2.1),
  'frequency_penalty-above': range('frequency_penalty', 2.1),
  'stop-five': range('stop', ['a', 'b', 'c', 'd', 'f']),
  'stop-number': typed('stop', 7),
  'temperature-text': typed('temperature', 'warm'),
  'max_tokens-text': typed('max_tokens', 'many'),
  'top_k-fraction': typed('top_k', 1.5),
  'stream-text': typed('stream', 'perhaps'),
  'tools-text': typed('tools', 'hammer'),
  'messages-text': typed('messages', 'Say yes.'),
  'no-model': {
    rows: ['4.1.model', '7.400'],
    fields: { model: undefined },
    says: 'no model',
  },
  'no-messages': {
    rows: ['4.1.messages', '7.400'],
    fields: { messages: undefined },
    says: 'no messages',
  },
  'no-role': {
    rows: ['2.3.role', '7.400'],
    fields: { messages: [{ content: 'Say yes.' }] },
    says: 'a message without role',
  },
  'no-content': {
    rows: ['2.3.content', '7.400'],
    fields: { messages: [{ role: 'user' }] },
    says: 'a message without content',
  },
};

const refusedChats = Object.entries(wrongChats).map(([id, { rows, fields, says }]) =>
  caseOf(
    {
      id,
      topic,
      rows,
      expected: `400 for ${says}`,
      title: `chat with ${says}`,
      build: chatWith(fields),
    },
    judgeRefused(400),
  ),
);

const unknownModel = caseOf(
  {
    id: 'unknown-model',
    topic,
    rows: ['4.1.model', '7.400'],
    expected: '400 (or 404) for a model that is not in the catalogue',
    title: 'chat with an unknown model',
    build: () =>
      jsonRequest('chat', {
        model: 'weir/no-such-model',
        messages: [{ role: 'user', content: 'Say yes.' }],
        max_tokens: 1,
      }),
  },
  judgeRefused(400, 404),
);

const brokenJson = caseOf(
  {
    id: 'broken-json',
    topic,
    rows: ['4.json', '7.400'],
    expected: '400 for a body that is not JSON',
    title: 'chat with a body that ends in mid-JSON',
    build: ({ chat }) => jsonRequest('chat', `{"model":${JSON.stringify(chat)},"messages":[{"ro`),
  },
  judgeRefused(400),
);

export const refusedChatCases = [...refusedChats, unknownModel, brokenJson];
