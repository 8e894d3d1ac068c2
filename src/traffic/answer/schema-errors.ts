/** The issues of a failed schema. */
export interface SchemaError {
  readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
}

const maxShown = 3;

/** The first issues of a failed schema with their paths, for example `choices.0.message: expected object`. */
export const describeSchemaErrors = ({ issues }: SchemaError): string => {
  const sentences = issues
    .slice(0, maxShown)
    .map(({ path, message }) => `${path.length === 0 ? 'the body' : path.join('.')}: ${message}`);
  const left = issues.length - sentences.length;
  return sentences.join('; ') + (left > 0 ? `; and ${left} more` : '');
};
