import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Test support: a server on the loopback. It answers each request at once, as the test says. */

/** A whole answer to a chat, with the usage of ten tokens and two. */
export const chatAnswer = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
});

/** A list with the single model `m`. */
export const oneModelList = JSON.stringify({
  object: 'list',
  data: [{ id: 'm', object: 'model' }],
});

interface SeenRequest {
  readonly url: string;
  readonly authorization: string | undefined;
  /** The body of the request; empty if there is none. */
  readonly text: string;
}

export type AnswerTo = (
  request: SeenRequest,
) => readonly [status: number, json: string, headers?: Readonly<Record<string, string>>];

/** Listens until it is disposed. `origin` is its address without a path. */
export const startAnswering = async (answerTo: AnswerTo) => {
  const server = http.createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => (text += part.toString()));
    request.on('end', () => {
      const { url = '', headers } = request;
      const [status, json, more] = answerTo({ url, authorization: headers.authorization, text });
      response.writeHead(status, { 'content-type': 'application/json', ...more }).end(json);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: (): void => {
      server.closeAllConnections();
      server.close();
    },
  };
};
export type AnsweringServer = Awaited<ReturnType<typeof startAnswering>>;
