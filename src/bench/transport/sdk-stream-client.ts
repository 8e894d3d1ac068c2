import { readOptions } from '../harness/child-input.ts';
import { sdkCalls, type SdkName } from './sdk-calls.ts';

/** Users that stream chats one after the other by a widely used client, until the process is killed. */

export interface SdkStreamClientOptions {
  readonly client: SdkName;
  readonly url: string;
  readonly users: number;
  /** Users begin evenly over this time, in ms. */
  readonly rampUp: number;
}

const { client, url, users, rampUp } = await readOptions<SdkStreamClientOptions>();
const calls = sdkCalls[client](url);

const runUser = async (): Promise<never> => {
  for (;;) {
    const times = await calls.stream();
    if (times.length === 0) throw new Error('a stream had no token');
  }
};

for (let user = 0; user < users; user += 1)
  setTimeout(() => void runUser(), (user * rampUp) / users);
console.log('ready');
