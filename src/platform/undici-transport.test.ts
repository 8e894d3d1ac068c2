import { transportSuite } from './transport-suite.ts';
import { undiciTransport } from './undici-transport.ts';

transportSuite('the undici transport', (url, clock, onDefect) =>
  undiciTransport(
    {
      url,
      wire: { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true },
      certificates: null,
    },
    clock,
    onDefect,
  ),
);
