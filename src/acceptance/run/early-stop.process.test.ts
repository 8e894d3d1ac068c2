import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { exitCode } from '../../run/output/exit-codes.ts';
import { resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

/** A server that knows no model. */
const openServer = async (): Promise<string> => {
  const server = http.createServer((request, response) => {
    if (request.method !== 'POST') return response.end('{"object":"list","data":[]}');
    request.resume();
    return request.on('end', () => {
      response.statusCode = 404;
      response.end('{"error":{"message":"No such model.","type":"t","code":"model_not_found"}}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
};

const runWith = async (...words: readonly string[]) => {
  const out = join(await tempFolder(), 'out');
  const load = ['--model', 'm', '--rate', '25/s', '--duration', '3s', '--out', out];
  const ended = await weir(['run', '--target', await openServer(), ...load, ...words], {
    WEIR_API_KEY: 'k',
  });
  return { ...ended, result: await resultIn(out) };
};

it('a run whose first twenty requests are refused alike ends, says why, and does not pass', async () => {
  const { code, stdout, stderr, result } = await runWith();
  expect(code).toBe(exitCode('incomplete'));
  expect(stderr).toContain(
    'ending: the first 20 requests were all refused with 404 model_not_found',
  );
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'since the first 20 requests were all refused with 404 model_not_found: No such model.; --no-early-stop sends the whole load',
  );
  expect(result.partial).toContain('No such model.');
});

it('--no-early-stop sends the whole load', async () => {
  const { code, result } = await runWith('--no-early-stop');
  expect(code).toBe(exitCode('empty'));
  expect(result.partial).toBeNull();
});
