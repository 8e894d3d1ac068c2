import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, it, onTestFinished } from 'vitest';
import { debianProgram } from '../../proving/harness/debian-proxies.ts';
import { freePort, startServer } from '../../proving/harness/server-process.ts';
import { exitOf, resultIn } from '../harness/run-files.fixture.ts';
import { weir } from '../harness/weir-command.fixture.ts';
import { cleanUpAfterEach, tempFolder } from '../harness/weir-process.fixture.ts';
import { chatBody } from '../harness/chat-body.fixture.ts';

cleanUpAfterEach();

/** Runs against nginx, and compares Weir's counts with the requests in nginx's access log. */

const chat = JSON.stringify(chatBody({ model: 'a/b', tokens: [3, 1] }));

/** Starts nginx on a free port; each connection ends after seven requests. */
const startNginx = async (tls: string) => {
  const folder = await tempFolder();
  const port = await freePort();
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'cert.pem'), cert);
  const log = join(folder, 'access.log');
  await writeFile(
    join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {}
    http { access_log ${log}; default_type application/json; keepalive_requests 7;
      client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
      uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
      ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;
      server { listen 127.0.0.1:${port} ${tls};
        location /v1/models { return 200 '{"object":"list","data":[]}'; }
        location /v1/chat/completions { return 200 '${chat}'; } } }`,
  );
  const command = [debianProgram('nginx'), '-p', folder, '-c', join(folder, 'nginx.conf')] as const;
  const { stop } = await startServer({ command, port });
  onTestFinished(stop);
  /** How many chats nginx has answered, by its own log. */
  const answered = async (): Promise<number> =>
    (await readFile(log, 'utf8')).split('POST /v1/chat/completions').length - 1;
  return { port, answered };
};

it.each([
  { name: 'saturate', scheme: 'http', tls: '', load: 'kind: saturate, connections: 8', wire: '{}' },
  { name: 'socket', scheme: 'http', tls: '', load: 'kind: constant, rate: 200/s', wire: '{}' },
  {
    name: 'HTTP/2',
    scheme: 'https',
    tls: 'ssl http2',
    load: 'kind: constant, rate: 200/s',
    wire: '{ http2: true, verifyTls: false }',
  },
])('$name counts what nginx counts, over connections that it ends', async (each) => {
  const { port, answered } = await startNginx(each.tls);
  const folder = await tempFolder();
  const scenario = join(folder, 'scenario.yaml');
  await writeFile(
    scenario,
    `target: ${each.scheme}://127.0.0.1:${port}/v1\nkeys: '\${env:WEIR_API_KEY}'\n` +
      `traffic: [{ kind: chat, model: a/b, messages: [{ role: user, content: hi }], maxTokens: 2 }]\n` +
      `load: { ${each.load}, duration: 1s }\nwire: ${each.wire}\n`,
  );
  const out = join(folder, 'out');
  const { code, stderr } = await weir(['run', scenario, '--out', out], { WEIR_API_KEY: 'sk-test' });
  const result = await resultIn(out);
  expect(code, stderr).toBe(exitOf(result, 0));
  const [group, ...others] = result.groups;
  expect(others).toEqual([]);
  const completed = await answered();
  expect(completed).toBeGreaterThan(100);
  expect(group?.outcomes).toEqual({
    completed,
    limited: 0,
    refused: 0,
    malformed: 0,
    cancelled: 0,
    broken: 0,
    dropped: 0,
  });
  const { new: opened = 0, ahead = 0 } = group?.connections ?? {};
  expect(opened + ahead).toBeGreaterThan(completed / 8);
});
