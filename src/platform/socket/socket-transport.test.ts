import { transportSuite } from '../transport-suite.ts';
import { socketTransport } from './socket-transport.ts';

transportSuite('the socket transport', (url, clock, onDefect) =>
  socketTransport(
    {
      url,
      wire: { http2: false, proxy: { kind: 'none' }, caFile: null, verifyTls: true },
      certificates: null,
    },
    clock,
    onDefect,
  ),
);
