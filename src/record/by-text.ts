/** The order of texts by their code units: equal on every machine, unlike that of a locale. */
export const byText = (a: string, b: string): number => {
  if (a === b) return 0;
  return a < b ? -1 : 1;
};
