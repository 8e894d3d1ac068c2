/** What a failed schema found. */
export interface ShapeError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

const shown = 3;

/** The first findings of a failed schema, each with its place, for example `choices.0.message: expected object`. */
export const shapeProblems = ({ issues }: ShapeError): string => {
  const sentences = issues
    .slice(0, shown)
    .map(({ path, message }) => `${path.length === 0 ? 'the body' : path.join('.')}: ${message}`);
  const left = issues.length - sentences.length;
  return sentences.join('; ') + (left > 0 ? `; and ${left} more` : '');
};
