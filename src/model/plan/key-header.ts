import type { Plan } from './plan.ts';

/** The header that carries a key: `Authorization: Bearer KEY`, or the key alone in the header that the plan names. */
export const keyHeader = (auth: Plan['auth'], key: string): Readonly<Record<string, string>> => {
  const name = auth?.header ?? 'authorization';
  return { [name]: name === 'authorization' ? `Bearer ${key}` : key };
};
