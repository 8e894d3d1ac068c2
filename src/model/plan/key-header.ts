import type { Plan } from './plan.ts';

/**
 * Returns the header that carries a key. The default is `Authorization: Bearer KEY`. A header that the plan names
 * contains only the key.
 */
export const keyHeader = (auth: Plan['auth'], key: string): Readonly<Record<string, string>> => {
  const name = auth?.header ?? 'authorization';
  return { [name]: name === 'authorization' ? `Bearer ${key}` : key };
};
