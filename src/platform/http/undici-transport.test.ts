// @gate 1 s
import { directWire } from '../connection/connector.ts';
import { transportSuite } from '../connection/transport-suite.fixture.ts';
import { undiciTransport } from './undici-transport.ts';

transportSuite('the undici transport', (url, clock, onDefect, wire) =>
  undiciTransport(
    {
      url,
      wire: { ...directWire, ...wire },
      certificates: null,
    },
    clock,
    onDefect,
  ),
);
