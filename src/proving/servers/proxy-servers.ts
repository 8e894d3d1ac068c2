import { appendFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import type { Mock } from '../../mock/gateway/start.ts';
import { milliseconds } from '../../model/quantity.ts';
import { debianProgram, outputOf } from '../harness/installed.ts';
import { startServer } from '../harness/server-process.ts';
import { startUpstream } from '../harness/upstream.ts';
import type { ServerCase, ServerOptions, StartedServer } from './server-case.ts';

/** nginx and HAProxy before our own gateway, in the ways in which they are used. */

/** Times that other programs can measure well. */
const upstream = (): Promise<Mock> =>
  startUpstream({ ttft: milliseconds(80), gap: milliseconds(12) });

const stopBoth = (server: Pick<StartedServer, 'stop'>, gateway: Mock) => async () => {
  await server.stop();
  await gateway.close();
};

/** How nginx is set up. */
export interface NginxForm {
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

const certificateFor = async (folder: string): Promise<string> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
  await writeFile(join(folder, 'key.pem'), key);
  await writeFile(join(folder, 'cert.pem'), cert);
  return `ssl_certificate ${folder}/cert.pem; ssl_certificate_key ${folder}/key.pem;`;
};

const nginxConfig = async (
  { listen = '', server = '', isBuffered = false, base = '' }: NginxForm,
  { port, folder, log }: ServerOptions,
  gateway: string,
): Promise<string> => `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log crit;
events {}
http {
  log_format proving '$request_method $uri $status $http_x_request_id'; access_log ${log} proving;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; client_max_body_size 30m;
  ${listen.includes('ssl') ? await certificateFor(folder) : ''}
  upstream gateway { server ${gateway}; keepalive 16; }
  server {
    listen 127.0.0.1:${port} ${listen};
    proxy_http_version 1.1; proxy_set_header connection ''; proxy_buffering ${isBuffered ? 'on' : 'off'};
    ${server}
    location ${base}/v1/ { proxy_pass http://gateway/v1/; }
  }
}
`;

const startNginx = async (form: NginxForm, options: ServerOptions): Promise<StartedServer> => {
  const nginx = debianProgram('nginx');
  const gateway = await upstream();
  const { folder, port } = options;
  const config = join(folder, 'nginx.conf');
  await writeFile(config, await nginxConfig(form, options, new URL(gateway.url).host));
  const running = await startServer({
    command: [nginx, '-p', folder, '-c', config],
    port,
    scheme: form.listen?.includes('ssl') === true ? 'https' : 'http',
  });
  const version = (await outputOf(nginx, ['-v'])).replace(/^.*\//s, '');
  const url = running.url.replace(/\/v1$/, `${form.base ?? ''}/v1`);
  return { url, version, stop: stopBoth(running, gateway) };
};

/** Streams for the timing, and the other kinds for the counts. */
const allKinds = (maxTokens: number) => [
  { kind: 'chat-stream', model: 'proving/small', prompt: 'hello there', maxTokens, weight: 6 },
  { kind: 'chat', model: 'proving/small', prompt: 'hello there', maxTokens, weight: 2 },
  { kind: 'speech', model: 'weir-tts', texts: ['The gate is open.'], weight: 1 },
  { kind: 'transcription', model: 'weir/whisper', weight: 1 },
  { kind: 'models', weight: 1 },
];

const maxTokens = 20;

const proxyCase = (
  name: string,
  start: ServerCase['start'],
  wire: Readonly<Record<string, unknown>>,
): ServerCase => ({
  name,
  start,
  maxTokens,
  model: 'proving/small',
  hasLog: true,
  scenario: {
    traffic: allKinds(maxTokens),
    load: { kind: 'constant', rate: '12/s', duration: '8s' },
    wire: { proxy: 'none', ...wire },
  },
});

const nginxCase = (form: NginxForm): ServerCase =>
  proxyCase(`nginx, ${form.name}`, (options) => startNginx(form, options), form.wire ?? {});

const haproxyConfig = (port: number, gateway: string, option: string): string => `global
  log stdout format raw local0
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend proving
  ${option}
  bind 127.0.0.1:${port}
  log global
  log-format "%HM %HPO %ST %[capture.req.hdr(0)]"
  capture request header x-request-id len 64
  default_backend upstream
backend upstream
  server gateway ${gateway}
`;

const startHaproxy = async (
  { port, folder, log }: ServerOptions,
  option: string,
): Promise<StartedServer> => {
  const haproxy = debianProgram('haproxy');
  const gateway = await upstream();
  const config = join(folder, 'haproxy.cfg');
  await writeFile(config, haproxyConfig(port, new URL(gateway.url).host, option));
  const running = await startServer({
    command: [haproxy, '-db', '-f', config],
    port,
    onOutput: (text) => appendFileSync(log, text),
  });
  const [, version = ''] = /version (\S+)/.exec(await outputOf(haproxy, ['-v'])) ?? [];
  return { url: running.url, version, stop: stopBoth(running, gateway) };
};

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
  proxyCase('HAProxy', (options) => startHaproxy(options, ''), {}),
  proxyCase('HAProxy, no delay', (options) => startHaproxy(options, 'option http-no-delay'), {}),
];
