import type { Plan } from './plan.ts';

/**
 * Returns the header that carries a key: `Authorization: Bearer KEY`, or the header that the plan names, which contains
 * the key alone.
 */
export const keyHeader = (auth: Plan['auth'], key: string): Readonly<Record<string, string>> => {
  const name = auth?.header ?? 'authorization';
  return { [name]: name === 'authorization' ? `Bearer ${key}` : key };
};
