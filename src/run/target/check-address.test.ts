import { expect, it, onTestFinished } from 'vitest';
import { directWire } from '../../platform/connection/connector.ts';
import { type AnswerTo, oneModelList, startAnswering } from '../answering-server.fixture.ts';
import { rejectMisplaced, versionedAddress } from './check-address.ts';

it.each([
  ['https://host', 'https://host/v1'],
  ['https://host/api/', 'https://host/api/v1'],
  ['https://host/api/v1/v1/', 'https://host/api/v1'],
  ['https://host/v1beta', 'https://host/v1beta/v1'],
  ['https://host/v2/', 'https://host/v2'],
  ['https://host/openai?api-version=1', 'https://host/openai/v1?api-version=1'],
  ['unix:/run/gateway.sock', 'unix:/run/gateway.sock:/v1'],
  ['unix:/run/gateway.sock:/api', 'unix:/run/gateway.sock:/api/v1'],
])('the address %s has its version once as %s', (written, meant) => {
  expect(versionedAddress(written)).toBe(meant);
});

/** What is said of a target that answered 404 below `path`, with what the server was asked then. */
const misplaced = async (path: string, answerTo: AnswerTo, more: object = {}) => {
  const asked: string[] = [];
  const server = await startAnswering((request) => {
    asked.push(`${request.url} ${request.authorization ?? 'without a key'}`);
    return answerTo(request);
  });
  onTestFinished(server.close);
  const target = {
    baseUrl: `${server.origin}${path}`,
    wire: directWire,
    certificates: null,
    auth: undefined,
    credentials: [{ value: 'sk-own' }],
    headers: {},
    ...more,
  };
  const message = await rejectMisplaced(target as never).then(
    () => 'nothing',
    (error: unknown) => (error as Error).message.replaceAll(server.origin, 'ORIGIN'),
  );
  return { message, asked };
};
const withKey: AnswerTo = ({ authorization }) =>
  authorization === 'Bearer sk-own' ? [200, oneModelList] : [401, '"no key"'];

it('an address beside that of the gateway is refused, which is found with the key', async () => {
  expect(await misplaced('/api', withKey)).toEqual({
    message:
      'GET ORIGIN/api/models answered 404, and ORIGIN/api/v1 answers as a gateway does: write ORIGIN/api/v1.',
    asked: ['/api/v1/models Bearer sk-own'],
  });
  const atRoot: AnswerTo = ({ url }) => (url === '/v1/models' ? [200, oneModelList] : [404, '{}']);
  expect(await misplaced('/api', atRoot)).toEqual({
    message:
      'GET ORIGIN/api/models answered 404, and ORIGIN/v1 answers as a gateway does: write ORIGIN/v1.',
    asked: ['/api/v1/models Bearer sk-own', '/v1/models Bearer sk-own'],
  });
});

it('an address is kept if no other one answers as a gateway does, or if it has a query', async () => {
  // A refusal in JSON is one of a gateway only if it is an object.
  expect(await misplaced('/api', withKey, { credentials: [] })).toEqual({
    message: 'nothing',
    asked: ['/api/v1/models without a key', '/v1/models without a key'],
  });
  expect(await misplaced('/v1', withKey)).toEqual({ message: 'nothing', asked: [] });
  expect(await misplaced('/api?version=1', withKey)).toEqual({ message: 'nothing', asked: [] });
});
