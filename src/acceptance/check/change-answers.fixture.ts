/** The changes that seeded defects are made of. */

export interface WholeRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface WholeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Changes what the gateway hears of a request, so that it does something else than was asked. */
export type ChangeRequest = (request: WholeRequest) => WholeRequest;
export type ChangeAnswer = (answer: WholeAnswer, request: WholeRequest) => WholeAnswer;

/** A JSON object whose fields a defect sets or deletes. */
export type Fields = Record<string, unknown>;

type IsMeant = (answer: WholeAnswer, request: WholeRequest) => boolean;

const contentTypeOf = ({ headers }: WholeAnswer): string => headers['content-type'] ?? '';
const completed =
  (path: string): IsMeant =>
  (answer, request) =>
    answer.status === 200 && request.path.endsWith(path);
const completedChat = completed('/chat/completions');

/** Which answers a defect is about. */
export const answers = {
  all: () => true,
  completed: ({ status }) => status === 200,
  models: completed('/models'),
  chat: (answer, request) =>
    completedChat(answer, request) && contentTypeOf(answer).startsWith('application/json'),
  stream: (answer, request) =>
    completedChat(answer, request) && contentTypeOf(answer).startsWith('text/event-stream'),
  speech: completed('/audio/speech'),
  transcription: completed('/audio/transcriptions'),
  refused: ({ status }) => status >= 400,
  unauthorized: ({ status }) => status === 401,
} as const satisfies Record<string, IsMeant>;

/** The JSON of a body; an empty object for anything else. */
export const fieldsOf = (body: Buffer): Fields => {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Fields) : {};
  } catch {
    return {};
  }
};

export const withText = (answer: WholeAnswer, text: string): WholeAnswer => ({
  ...answer,
  body: Buffer.from(text),
});

export const withJson = (answer: WholeAnswer, status: number, value: unknown): WholeAnswer => ({
  status,
  headers: { ...answer.headers, 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify(value)),
});

/** Changes the answers that are meant. */
export const change =
  (isMeant: IsMeant, by: ChangeAnswer): ChangeAnswer =>
  (answer, request) =>
    isMeant(answer, request) ? by(answer, request) : answer;

/** Changes the JSON of the answers that are meant; others pass. */
export const changeJson = (
  isMeant: IsMeant,
  by: (fields: Fields, request: WholeRequest) => void,
): ChangeAnswer =>
  change(isMeant, (answer, request) => {
    if (!contentTypeOf(answer).startsWith('application/json')) return answer;
    const fields = fieldsOf(answer.body);
    by(fields, request);
    return withText(answer, JSON.stringify(fields));
  });

/** Changes the events of streams, each without its blank line; they are sent with one after each. */
export const changeStream = (by: (events: readonly string[]) => readonly string[]): ChangeAnswer =>
  change(answers.stream, (answer) => {
    const events = answer.body.toString().split('\n\n').slice(0, -1);
    return withText(answer, `${by(events).join('\n\n')}\n\n`);
  });

/** Changes each chunk of a stream, given its place; the end passes. */
export const changeChunks = (by: (chunk: Fields, index: number) => void): ChangeAnswer =>
  changeStream((events) =>
    events.map((event, index) => {
      if (event === 'data: [DONE]') return event;
      const chunk = JSON.parse(event.slice('data: '.length)) as Fields;
      by(chunk, index);
      return `data: ${JSON.stringify(chunk)}`;
    }),
  );

/** Sets, replaces and (with `null`) deletes headers. */
export const changeHeaders = (
  isMeant: IsMeant,
  headers: Readonly<Record<string, string | null>>,
): ChangeAnswer =>
  change(isMeant, (answer) => ({
    ...answer,
    headers: Object.fromEntries(
      Object.entries({ ...answer.headers, ...headers }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      ),
    ),
  }));

/** Changes the JSON that the gateway reads from requests to a path. */
const askWith =
  (path: string, by: (fields: Fields) => void): ChangeRequest =>
  (request) => {
    const isJson = (request.headers['content-type'] ?? '').startsWith('application/json');
    if (!request.path.endsWith(path) || !isJson) return request;
    const fields = fieldsOf(request.body);
    if (Object.keys(fields).length === 0) return request;
    by(fields);
    return { ...request, body: Buffer.from(JSON.stringify(fields)) };
  };

export const askChat = (by: (fields: Fields) => void): ChangeRequest =>
  askWith('/chat/completions', by);

export const askSpeech = (by: (fields: Fields) => void): ChangeRequest =>
  askWith('/audio/speech', by);

/** Takes one value of a chat's parameter for another. */
export const takeNumber = (
  name: string,
  isMeant: (value: number) => boolean,
  as: number,
): ChangeRequest =>
  askChat((fields) => {
    const value = fields[name];
    if (typeof value === 'number' && isMeant(value)) fields[name] = as;
  });
