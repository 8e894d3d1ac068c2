import { appendFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianProgram, outputOf } from '../harness/installed.ts';
import { startServer } from '../harness/server-process.ts';
import { startUpstream } from '../harness/upstream.ts';
import type { GatewayOptions, LimiterCase } from './limiter-case.ts';

/** Proxies of Debian that limit requests before our own gateway without limits. */

/** How a proxy limits: `requests` words follow the zone's name in nginx. */
type NginxBurst = (limit: number) => string;

const nginxConfig = (
  { port, folder, log, limit, window }: GatewayOptions,
  upstream: string,
  burst: string,
): string => {
  const perMinute = (limit * 60_000) / window;
  if (!Number.isInteger(perMinute))
    throw new Error(`nginx knows whole requests a minute only, not ${perMinute}`);
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log crit;
events {}
http {
  log_format proving '$request_method $uri $status $http_x_request_id'; access_log ${log} proving;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  limit_req_zone $http_authorization zone=key:1m rate=${perMinute}r/m; limit_req_status 429;
  upstream gateway { server ${upstream}; keepalive 16; }
  server {
    listen 127.0.0.1:${port}; proxy_http_version 1.1; proxy_set_header connection ''; proxy_buffering off;
    location / { proxy_pass http://gateway; }
    location /v1/chat/completions { limit_req zone=key ${burst}; proxy_pass http://gateway; }
  }
}
`;
};

/** nginx's limit_req; `burst` gives its further words for a limit. */
export const nginxLimitReq =
  (burst: NginxBurst): LimiterCase['start'] =>
  async (options) => {
    const nginx = debianProgram('nginx');
    const upstream = await startUpstream();
    const { port, folder, limit } = options;
    const config = join(folder, 'nginx.conf');
    await writeFile(config, nginxConfig(options, new URL(upstream.url).host, burst(limit)));
    const running = await startServer({ command: [nginx, '-p', folder, '-c', config], port });
    const version = (await outputOf(nginx, ['-v'])).replace(/^.*\//s, '');
    const stop = async (): Promise<void> => {
      await running.stop();
      await upstream.close();
    };
    return { url: running.url, version, stop };
  };

const haproxyConfig = ({ port, limit, window }: GatewayOptions, upstream: string): string => `global
  log stdout format raw local0
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend gateway
  bind 127.0.0.1:${port}
  log global
  log-format "%HM %HPO %ST %[capture.req.hdr(0)]"
  capture request header x-request-id len 64
  stick-table type string len 64 size 1k expire ${2 * window}ms store http_req_rate(${window}ms)
  acl chat path /v1/chat/completions
  http-request track-sc0 req.hdr(authorization) if chat
  http-request deny deny_status 429 if chat { sc_http_req_rate(0) gt ${limit} }
  default_backend upstream
backend upstream
  server gateway ${upstream}
`;

/** HAProxy's http_req_rate of a stick table by key. */
export const haproxyRequestRate: LimiterCase['start'] = async (options) => {
  const haproxy = debianProgram('haproxy');
  const upstream = await startUpstream();
  const config = join(options.folder, 'haproxy.cfg');
  await writeFile(config, haproxyConfig(options, new URL(upstream.url).host));
  const running = await startServer({
    command: [haproxy, '-db', '-f', config],
    port: options.port,
    onOutput: (text) => appendFileSync(options.log, text),
  });
  const [, version = ''] = /version (\S+)/.exec(await outputOf(haproxy, ['-v'])) ?? [];
  const stop = async (): Promise<void> => {
    await running.stop();
    await upstream.close();
  };
  return { url: running.url, version, stop };
};
