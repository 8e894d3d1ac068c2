/**
 * Loaded before Weir (`node --import`): counts every call to the file system that a command waits for and
 * makes the one numbered `WEIR_FAULT_AT` fail with `WEIR_FAULT`, an error code, or sends this process that
 * signal there. Without a number it writes the names of all calls to `WEIR_FAULT_LOG`.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const faultAt = Number(process.env['WEIR_FAULT_AT'] ?? 0);
const fault = process.env['WEIR_FAULT'] ?? 'ENOSPC';
const log = process.env['WEIR_FAULT_LOG'];

type Callable = (...values: unknown[]) => unknown;

const { appendFileSync, promises } = fs;
let calls = 0;
let isReady = false;

/** The error of this call, if it is its turn to fail; signals if that is the fault. */
const strike = (name: string): Error | null => {
  if (!isReady) return null;
  calls += 1;
  if (log !== undefined) appendFileSync(log, `${calls} ${name}\n`);
  if (calls !== faultAt) return null;
  if (fault.startsWith('SIG')) {
    process.kill(process.pid, fault);
    return null;
  }
  return Object.assign(new Error(`${fault}: injected, ${name}`), { code: fault, syscall: name });
};

const wrap = (owner: Record<string, unknown>, name: string, label: string): void => {
  const original = owner[name] as Callable;
  owner[name] = function wrapped(this: unknown, ...values: unknown[]): unknown {
    const error = strike(label);
    return error === null ? original.apply(this, values) : Promise.reject(error);
  };
};

const files = promises as unknown as Record<string, unknown>;
for (const name of [
  'access',
  'appendFile',
  'mkdir',
  'open',
  'readFile',
  'readdir',
  'rename',
  'rm',
  'stat',
  'writeFile',
]) {
  wrap(files, name, name);
}

const probe = await promises.open('/dev/null');
const handle = Object.getPrototypeOf(probe) as Record<string, unknown>;
await probe.close();
for (const name of ['write', 'writev', 'close']) wrap(handle, name, `handle.${name}`);
syncBuiltinESMExports();
isReady = true;
