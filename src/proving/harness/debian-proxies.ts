import { appendFileSync, existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outputOf, Unavailable } from './program-output.ts';
import { type RunningServer, type ServerOptions, startServer } from './server-process.ts';

/** Proxies of Debian; each logs a line `METHOD PATH STATUS REQUEST-ID` for each request. */

interface StartedProxy extends RunningServer {
  readonly version: string;
}

/** The path of a program of Debian. Throws `Unavailable` if it is not installed. */
export const debianProgram = (name: string): string => {
  const places = ['/usr/sbin', '/usr/bin', '/usr/local/sbin'].map((folder) => join(folder, name));
  const found = places.find((path) => existsSync(path));
  if (found === undefined)
    throw new Unavailable(`${name} is not installed: run \`apt-get install ${name}\``);
  return found;
};

interface NginxConfig {
  /** The host and port that `http://gateway` stands for. */
  readonly gateway: string;
  /** Further lines of the block `http`. */
  readonly http?: string;
  /** Words after the address of `listen`. */
  readonly listen?: string;
  /** Further lines of the block `server`. */
  readonly server: string;
}

const nginxConfig = (
  { port, folder, log }: ServerOptions,
  { gateway, http = '', listen = '', server }: NginxConfig,
): string => `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log crit;
events {}
http {
  log_format proving '$request_method $uri $status $http_x_request_id'; access_log ${log} proving;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder}; client_max_body_size 30m;
  ${http}
  upstream gateway { server ${gateway}; keepalive 16; }
  server {
    listen 127.0.0.1:${port} ${listen};
    proxy_http_version 1.1; proxy_set_header connection '';
    ${server}
  }
}
`;

export const startNginx = async (
  options: ServerOptions,
  config: NginxConfig,
): Promise<StartedProxy> => {
  const nginx = debianProgram('nginx');
  const file = join(options.folder, 'nginx.conf');
  await writeFile(file, nginxConfig(options, config));
  const { stderr } = await outputOf(nginx, ['-v']);
  const running = await startServer({
    command: [nginx, '-p', options.folder, '-c', file],
    port: options.port,
    scheme: config.listen?.includes('ssl') === true ? 'https' : 'http',
  });
  return { ...running, version: stderr.trim().replace(/^.*\//s, '') };
};

const haproxyConfig = (port: number, gateway: string, frontend: string): string => `global
  log stdout format raw local0
defaults
  mode http
  timeout client 60s
  timeout server 60s
  timeout connect 5s
frontend proving
  bind 127.0.0.1:${port}
  log global
  log-format "%HM %HPO %ST %[capture.req.hdr(0)]"
  capture request header x-request-id len 64
${frontend}
  default_backend upstream
backend upstream
  server gateway ${gateway}
`;

/** Starts HAProxy before `gateway`, a host and port; `frontend` has further lines of its frontend. */
export const startHaproxy = async (
  { port, folder, log }: ServerOptions,
  gateway: string,
  frontend: string,
): Promise<StartedProxy> => {
  const haproxy = debianProgram('haproxy');
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, haproxyConfig(port, gateway, frontend));
  const { stdout } = await outputOf(haproxy, ['-v']);
  const running = await startServer({
    command: [haproxy, '-db', '-f', file],
    port,
    onOutput: (text) => appendFileSync(log, text),
  });
  const [, version = ''] = /version (\S+)/.exec(stdout) ?? [];
  return { ...running, version };
};
