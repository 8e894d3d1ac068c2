import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Agent, request as dispatch } from 'undici';
import { realClock } from '../../mock/clock/real-clock.ts';
import { startMock } from '../../mock/gateway/start.ts';
import type { SettingsInput } from '../../mock/settings/settings.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { WholeAnswer, WholeRequest } from './change-answers.fixture.ts';
import type { SeededDefect } from './seeded-defect.fixture.ts';

const atOnce = milliseconds(0);

/** As fast as the mock can, with as many requests a minute as the checks send where something is refused. */
const quick: SettingsInput = {
  ttft: atOnce,
  gap: atOnce,
  speech: { base: atOnce, perCharacter: atOnce },
  transcription: { base: atOnce, perSecond: atOnce },
  limits: { requestsPerMinute: 90 },
};

/** Headers of one connection, which are never passed on, and those that the layer writes itself. */
const notPassedOn = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host'];

const plainHeaders = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || notPassedOn.includes(name) ? [] : [[name, String(value)]],
    ),
  );

export interface DefectiveGateway {
  /** The base address, ending in `/v1`. */
  readonly url: string;
  /** Shows a defect from now on, or `null` for none; its limits are full again. */
  readonly show: (defect: Pick<SeededDefect, 'ask' | 'answer'> | null) => Promise<void>;
  /** How many answers the defect that is shown has changed; a request that it changed counts, too. */
  readonly changed: () => number;
  readonly close: () => Promise<void>;
}

/** Starts the mock in this process, with a layer before it that shows one defect at a time. */
export const openDefectiveGateway = async (
  settings: SettingsInput = {},
): Promise<DefectiveGateway> => {
  const mock = await startMock({ ...quick, ...settings }, realClock());
  const agent = new Agent({ connections: 32 });
  const { origin } = new URL(mock.url);
  let shown: Pick<SeededDefect, 'ask' | 'answer'> | null = null;
  let changed = 0;
  const answerOf = async ({ method, path, headers, body }: WholeRequest): Promise<WholeAnswer> => {
    const response = await dispatch(`${origin}${path}`, {
      method: method as 'GET',
      headers,
      body: body.length === 0 ? null : body,
      dispatcher: agent,
    });
    const whole = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, headers: plainHeaders(response.headers), body: whole };
  };
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const defect = shown;
    const { method = 'GET', url = '/', headers } = incoming;
    const body = await buffer(incoming);
    const sent: WholeRequest = { method, path: url, headers: plainHeaders(headers), body };
    const heard = defect?.ask?.(sent) ?? sent;
    const before = await answerOf(heard);
    const after = defect?.answer?.(before, sent) ?? before;
    if (isChanged(sent, heard) || isAnswerChanged(before, after)) changed += 1;
    response.writeHead(after.status, {
      ...after.headers,
      'content-length': String(after.body.length),
    });
    response.end(after.body);
  };
  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      response.writeHead(599);
      response.end(`the layer before the mock failed: ${String(error)}`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    show: async (defect) => {
      shown = defect;
      changed = 0;
      await dispatch(`${mock.controlUrl}/reset`, { method: 'POST' });
    },
    changed: () => changed,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, agent.close(), mock.close()]);
    },
  };
};

const isChanged = (sent: WholeRequest, heard: WholeRequest): boolean =>
  sent.path !== heard.path ||
  JSON.stringify(sent.headers) !== JSON.stringify(heard.headers) ||
  !sent.body.equals(heard.body);

const isAnswerChanged = (before: WholeAnswer, after: WholeAnswer): boolean =>
  before.status !== after.status ||
  JSON.stringify(before.headers) !== JSON.stringify(after.headers) ||
  !before.body.equals(after.body);
