import { directWire } from '../../platform/connection/connector.ts';
import type { ReadyTarget } from './prepare-target.ts';

/** Returns a checked target without keys. `changes` overrides fields. */
export const readyTarget = (baseUrl: string, changes: Partial<ReadyTarget> = {}): ReadyTarget => ({
  baseUrl,
  wire: directWire,
  certificates: null,
  credentials: [],
  auth: undefined,
  headers: {},
  secrets: [],
  renewableKeys: [],
  mock: null,
  notes: [],
  warnings: [],
  listing: 'answered',
  keysWereUsed: false,
  ...changes,
});
