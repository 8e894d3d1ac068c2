import { expect, it } from 'vitest';
import { renderTemplate } from './manifest.ts';

const template = `#@ For readers of the template only.
#@let both = <first> and <second>
# a comment, <both>
#@if first
first
#@end
#@if nothing
never
#@end
#@each keys
key <key> of <second>
#@end
{{.Task.Slot}} <<'<second>'
`;

it('fills a template’s names, conditions and lists, and leaves the rest', () => {
  const values = { first: 1, second: 'two', nothing: '', keys: [{ key: 'a' }, { key: 'b' }] };
  expect(renderTemplate(template, values)).toBe(
    "# a comment, 1 and two\nfirst\nkey a of two\nkey b of two\n{{.Task.Slot}} <<'two'\n",
  );
});

it('takes what a value contains for text, whatever it looks like', () => {
  const text = '<name> $& $1\n#@if name\n#@ remark\n#@end\n';
  expect(renderTemplate('#@let own = <text>\n#@if text\n<own>\n#@end\n', { text, name: 'n' })).toBe(
    `${text}\n`,
  );
});

it('refuses a template that names what is unknown', () => {
  expect(() => renderTemplate('<other>', { name: 'a' })).toThrow('the unknown value other');
});
