import tls from 'node:tls';

/** HTTP/2 frames by hand (RFC 9113, section 6), for answers that no library would send. */
const frame = (type: number, flags: number, stream: number, payload: Buffer): Buffer => {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};

const types = { data: 0, headers: 1, reset: 3, settings: 4 } as const;
const endHeaders = 4;
/** `:status: 200`, an entry of the static table of HPACK (RFC 7541, appendix A). */
const status200 = Buffer.from([0x88]);

export const answerFrames = {
  headers: (stream: number): Buffer => frame(types.headers, endHeaders, stream, status200),
  data: (stream: number, text: string): Buffer => frame(types.data, 0, stream, Buffer.from(text)),
  reset: (stream: number, code: number): Buffer => {
    const payload = Buffer.alloc(4);
    payload.writeUInt32BE(code);
    return frame(types.reset, 0, stream, payload);
  },
};

const prefaceLength = 24;

/**
 * Starts a TLS server that speaks just enough HTTP/2 to answer each request with the frames of `answer`. `streams`
 * lists the requests.
 */
export const rawHttp2Server = (
  certificate: { readonly key: string; readonly cert: string },
  answer: (stream: number) => readonly Buffer[],
): { readonly server: tls.Server; readonly streams: readonly number[] } => {
  const streams: number[] = [];
  const server = tls.createServer({ ...certificate, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => undefined);
    socket.write(frame(types.settings, 0, 0, Buffer.alloc(0)));
    let waiting = Buffer.alloc(0);
    let hasPreface = false;
    socket.on('data', (bytes: Buffer) => {
      waiting = Buffer.concat([waiting, bytes]);
      if (!hasPreface && waiting.length >= prefaceLength) {
        hasPreface = true;
        waiting = waiting.subarray(prefaceLength);
      }
      if (!hasPreface) return;
      while (waiting.length >= 9) {
        const length = 9 + waiting.readUIntBE(0, 3);
        if (waiting.length < length) return;
        const type = waiting[3];
        const stream = waiting.readUInt32BE(5);
        waiting = waiting.subarray(length);
        if (type !== types.headers) continue;
        streams.push(stream);
        for (const each of answer(stream)) socket.write(each);
      }
    });
  });
  return { server, streams };
};
