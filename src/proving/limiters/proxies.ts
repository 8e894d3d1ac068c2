import {
  envoyActions,
  envoyBucket,
  envoyChatsOf,
  envoyRateLimit,
  startEnvoy,
} from '../harness/envoy.ts';
import { startHaproxy, startNginx } from '../harness/debian-proxies.ts';
import { provingKeys } from '../harness/server-process.ts';
import { startBeforeGateway } from '../harness/upstream.ts';
import type { LimiterCase } from './limiter-case.ts';

/** Proxies that limit requests before our own gateway without limits. */

/** nginx's limit_req; `burst` gives the words after the zone's name for a limit. */
export const nginxLimitReq =
  (burst: (limit: number) => string): LimiterCase['start'] =>
  (options) => {
    const { limit, window } = options;
    const perMinute = (limit * 60_000) / window;
    if (!Number.isInteger(perMinute))
      throw new Error(`nginx knows whole requests a minute only, not ${perMinute}`);
    return startBeforeGateway((gateway) =>
      startNginx(options, {
        gateway,
        http: `limit_req_zone $http_authorization zone=key:1m rate=${perMinute}r/m; limit_req_status 429;`,
        server: `proxy_buffering off;
    location / { proxy_pass http://gateway; }
    location /v1/chat/completions { limit_req zone=key ${burst(limit)}; proxy_pass http://gateway; }`,
      }),
    );
  };

/** HAProxy's http_req_rate of a stick table by key. */
export const haproxyRequestRate: LimiterCase['start'] = (options) => {
  const { limit, window } = options;
  const rules = `  stick-table type string len 64 size 1k expire ${2 * window}ms store http_req_rate(${window}ms)
  acl chat path /v1/chat/completions
  http-request track-sc0 req.hdr(authorization) if chat
  http-request deny deny_status 429 if chat { sc_http_req_rate(0) gt ${limit} }`;
  return startBeforeGateway((gateway) => startHaproxy(options, gateway, rules));
};

/** Envoy's local rate limit: a bucket for each key. */
export const envoyLocalRateLimit: LimiterCase['start'] = (options) => {
  const { limit, window } = options;
  const filter = envoyRateLimit({
    descriptors: provingKeys.map((key) => envoyChatsOf(key, envoyBucket(limit, window / 1000))),
    rate_limits: [{ actions: envoyActions() }],
  });
  return startBeforeGateway((gateway) => startEnvoy(options, { gateway, filters: [filter] }));
};
