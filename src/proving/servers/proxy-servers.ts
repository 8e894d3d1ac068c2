import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { startHaproxy, startNginx } from '../harness/debian-proxies.ts';
import { startEnvoy } from '../harness/envoy.ts';
import type { ServerOptions } from '../harness/server-process.ts';
import { measurableTimes, startBeforeGateway } from '../harness/upstream.ts';
import type { ServerCase, StartedServer } from './server-case.ts';

/** nginx, HAProxy and Envoy before our own gateway, in the ways in which they are used. */

/** How nginx is set up. */
interface NginxForm {
  readonly name: string;
  /** Words after the address of `listen`. */
  readonly listen?: string;
  /** Further lines of the server. */
  readonly server?: string;
  /** Whether nginx may gather what it passes on. */
  readonly isBuffered?: boolean;
  /** What comes before `/v1`. */
  readonly base?: string;
  readonly wire?: Readonly<Record<string, unknown>>;
}

export const certificateFor = async (folder: string): Promise<string> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'cert.pem'), cert);
  return `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
};

const startForm = (
  { listen = '', server = '', isBuffered = false, base = '' }: NginxForm,
  options: ServerOptions,
): Promise<StartedServer> =>
  startBeforeGateway(async (gateway) => {
    const running = await startNginx(options, {
      gateway,
      http: listen.includes('ssl') ? await certificateFor(options.folder) : '',
      listen,
      server: `proxy_buffering ${isBuffered ? 'on' : 'off'};
    ${server}
    location ${base}/v1/ { proxy_pass http://gateway/v1/; }`,
    });
    return { ...running, url: running.url.replace(/\/v1$/, `${base}/v1`) };
  }, measurableTimes);

const maxTokens = 20;

/** Streams for the timing, and the other kinds for the counts. */
const allKinds = [
  { kind: 'chat-stream', model: 'proving/small', prompt: 'hello there', maxTokens, weight: 6 },
  { kind: 'chat', model: 'proving/small', prompt: 'hello there', maxTokens, weight: 2 },
  { kind: 'speech', model: 'weir-tts', texts: ['The gate is open.'], weight: 1 },
  { kind: 'transcription', model: 'weir/whisper', weight: 1 },
  { kind: 'models', weight: 1 },
];

const proxyCase = (
  name: string,
  start: ServerCase['start'],
  wire: Readonly<Record<string, unknown>> = {},
): ServerCase => ({
  name,
  start,
  maxTokens,
  model: 'proving/small',
  hasLog: true,
  scenario: {
    traffic: allKinds,
    load: { kind: 'constant', rate: '12/s', duration: '8s' },
    wire: { proxy: 'none', ...wire },
  },
});

const nginxCase = (form: NginxForm): ServerCase =>
  proxyCase(`nginx, ${form.name}`, (options) => startForm(form, options), form.wire);

const haproxyCase = (name: string, frontend: string): ServerCase =>
  proxyCase(name, (options) =>
    startBeforeGateway((gateway) => startHaproxy(options, gateway, frontend), measurableTimes),
  );

const insecure = { verifyTls: false };

export const proxyServers: readonly ServerCase[] = [
  nginxCase({ name: 'unbuffered' }),
  nginxCase({ name: 'buffered', isBuffered: true }),
  nginxCase({ name: 'a connection for each request', server: 'keepalive_timeout 0;' }),
  nginxCase({ name: 'seven requests a connection', server: 'keepalive_requests 7;' }),
  nginxCase({
    name: 'gzip',
    server: 'gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;',
  }),
  nginxCase({ name: 'below a base path', base: '/gateway' }),
  nginxCase({ name: 'TLS', listen: 'ssl', wire: insecure }),
  nginxCase({ name: 'HTTP/2', listen: 'ssl http2', wire: { ...insecure, http2: true } }),
  haproxyCase('HAProxy', ''),
  haproxyCase('HAProxy, no delay', '  option http-no-delay'),
  proxyCase('Envoy', (options) =>
    startBeforeGateway((gateway) => startEnvoy(options, { gateway }), measurableTimes),
  ),
];
