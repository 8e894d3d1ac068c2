/** What a template may name: texts, numbers, conditions, and lists of what its `each` names. */
export interface TemplateValues {
  readonly [name: string]: string | number | boolean | readonly TemplateValues[];
}

/**
 * `#@ …` (a remark), `#@let NAME = TEXT`, `#@if NAME` or `#@each NAME` with the lines up to `#@end`, and `<NAME>`.
 * Blocks do not contain blocks.
 */
const marks =
  /^#@ .*\n|^#@let (?<own>\w+) = (?<text>.*)\n|^#@(?<kind>if|each) (?<list>\w+)\n(?<body>[^]*?)^#@end\n|<(?<name>\w+)>/gm;

const valueIn = (values: TemplateValues, name: string): TemplateValues[string] => {
  const value = values[name];
  if (value === undefined) throw new Error(`a template names the unknown value ${name}`);
  return value;
};

const textIn = (values: TemplateValues, name: string): string => {
  const value = valueIn(values, name);
  if (typeof value === 'object') throw new Error(`a template names the list ${name} in a line`);
  return String(value);
};

const scopesOf = (value: TemplateValues[string], kind: string): readonly TemplateValues[] => {
  if (kind === 'each' && typeof value === 'object') return value;
  const isThere = typeof value === 'object' ? value.length > 0 : Boolean(value);
  return isThere ? [{}] : [];
};

/** Renders a template. What a value contains is text, whatever it looks like. */
export const renderTemplate = (template: string, values: TemplateValues): string => {
  const known: Record<string, TemplateValues[string]> = { ...values };
  return template.replaceAll(marks, (...match) => {
    const {
      own,
      text = '',
      kind,
      list = '',
      body = '',
      name,
    } = match.at(-1) as Partial<Record<string, string>>;
    if (own !== undefined) known[own] = renderTemplate(text, known);
    if (kind !== undefined)
      return scopesOf(valueIn(known, list), kind)
        .map((scope) => renderTemplate(body, { ...known, ...scope }))
        .join('');
    return name === undefined ? '' : textIn(known, name);
  });
};
