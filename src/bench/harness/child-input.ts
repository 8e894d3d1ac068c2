import type { AddressInfo, Server } from 'node:net';
import { createInterface } from 'node:readline';

/** How a child process of a bench reads its options and prints its port. */

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** The next line of standard input; `null` at its end. */
export const nextLine = async (): Promise<string | null> => {
  const { done, value } = await lines.next();
  return done === true ? null : value;
};

/** The options that the parent sends as the first line, in JSON. */
export const readOptions = async <Options>(): Promise<Options> =>
  JSON.parse((await nextLine()) ?? '') as Options;

/** Listens on a free port of the loopback interface and prints it. */
export const listenAndPrintPort = (server: Server): void => {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
    console.log(String((server.address() as AddressInfo).port)),
  );
};
