import type { MockClock } from '../clock/mock-clock.ts';
import type { EventStream } from './event-stream.ts';

/** Gives each JSON event of a stream the instant at which it is handed over, as its first field. */
export const addSendTimestamps =
  (clock: MockClock) =>
  (stream: EventStream): EventStream => ({
    write: (events) =>
      stream.write(
        String(events).replaceAll(/^data: \{/gm, `data: {"x_weir_sent":${clock.now()},`),
      ),
    end: () => stream.end(),
  });
