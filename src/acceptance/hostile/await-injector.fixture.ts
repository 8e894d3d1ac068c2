/**
 * Loaded before Weir (`node --import`): numbers the places of Weir's source at which an async function waits, in the
 * order in which they are reached, and sends this process `WEIR_FAULT`, a signal, at the place `WEIR_FAULT_PLACE`, when
 * it is reached first. Without a place it writes all places to `WEIR_FAULT_LOG`.
 */
import { createHook } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';

const target = process.env['WEIR_FAULT_PLACE'];
const fault = process.env['WEIR_FAULT'] ?? 'SIGKILL';
const log = process.env['WEIR_FAULT_LOG'];

const places = new Set<string>();
/** A frame of Weir's own source, as a path below `src` with line and column. */
const frame = /\/src\/((?!acceptance\/)[\w./-]+\.ts:\d+:\d+)/;

Error.stackTraceLimit = 12;

createHook({
  init: (_, type) => {
    if (type !== 'PROMISE') return;
    const [, place] = frame.exec(new Error().stack ?? '') ?? [];
    if (place === undefined || places.has(place)) return;
    places.add(place);
    if (log !== undefined) appendFileSync(log, `${place}\n`);
    if (place === target) process.kill(process.pid, fault);
  },
}).enable();
