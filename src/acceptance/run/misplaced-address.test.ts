// @gate 1 s
import { expect, it, onTestFinished } from 'vitest';
import { oneModelList, startAnswering } from '../../run/answering-server.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';

cleanUpAfterEach();

const known = 'Bearer sk-a';

it.each([
  ['run', '--model', 'm', '--rate', '1/s', '--duration', '1s'],
  ['capacity', '--model', 'm', '--yes'],
  ['check', '--yes'],
  ['check', '--model', 'm', '--yes'],
  ['limits', '--yes'],
  ['limits', '--model', 'm', '--yes'],
  ['cache', '--model', 'm', '--yes'],
  ['init'],
])('weir %s names the address of a gateway that asks for a key everywhere', async (...words) => {
  const folder = await tempFolder();
  const server = await startAnswering(({ url, authorization }) =>
    authorization !== known
      ? [401, '{}']
      : url === '/v1/models'
        ? [200, oneModelList]
        : [404, '{}'],
  );
  onTestFinished(() => server.close());
  const [verb] = words;
  const where =
    verb === 'init' ? [`${server.origin}/openai`] : ['--target', `${server.origin}/openai`];
  const out = verb === 'init' ? `${folder}/weir.yaml` : folder;
  const { code, stderr } = await weir([...words, ...where, '--out', out], { WEIR_API_KEY: 'sk-a' });
  expect(stderr).toContain(`answers as a gateway does: write ${server.origin}/v1.`);
  expect(code).toBe(2);
});
