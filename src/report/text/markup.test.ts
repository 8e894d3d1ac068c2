import { describe, expect, it } from 'vitest';
import { hostileText } from '../fixtures/sample-answers.fixture.ts';
import { markup, verbatim } from './markup.ts';

describe('markup', () => {
  it('escapes every value, in text and in attributes', () => {
    expect(markup`<p title="${hostileText}">${hostileText}</p>`.markup).toMatchInlineSnapshot(
      `"<p title="&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;␛[2J�&quot;quoted&quot; &amp; &#39;single&#39; &lt;b&gt;bold&lt;/b&gt;">&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;␛[2J�&quot;quoted&quot; &amp; &#39;single&#39; &lt;b&gt;bold&lt;/b&gt;</p>"`,
    );
  });

  it('keeps markup, joins lists, prints numbers and skips nothing', () => {
    const items = ['a&b', markup`<i>c</i>`, 3, null];
    expect(markup`<p>${items}</p>`.markup).toBe('<p>a&amp;b<i>c</i>3</p>');
  });

  it('refuses a script that would end its own element', () => {
    expect(() => verbatim('const a = "</SCRIPT>"')).toThrow('end its own element');
    expect(() => verbatim('<!-- x')).toThrow('end its own element');
    expect(verbatim('a < b && c').markup).toBe('a < b && c');
  });
});
