import { transportSuite } from '../connection/transport-suite.fixture.ts';
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
