import { createRequire } from 'node:module';
import type * as Undici from 'undici';

const require = createRequire(import.meta.url);

/** Loads undici only when it is first used, since most runs use Weir's own transport and undici has a hundred files. */
export const undici = (): typeof Undici => require('undici') as typeof Undici;
