import { expect, it } from 'vitest';
import { type Content, Fragment, h } from '../../../reports/html/markup.js';

const Greeting = ({ children }: { readonly children?: Content }) => h('b', null, 'hello ', children);

it.each([
  [
    'text is escaped',
    h('p', null, '<script>"&"</script>'),
    '<p>&lt;script&gt;&quot;&amp;&quot;&lt;/script&gt;</p>',
  ],
  ['an attribute is escaped', h('a', { title: '"><i>' }), '<a title="&quot;&gt;&lt;i&gt;"></a>'],
  ['markup within markup is escaped once', h('p', null, h('i', null, '&')), '<p><i>&amp;</i></p>'],
  ['lists are written without separators', h('p', null, [1, [h('br', null), 'two']]), '<p>1<br/>two</p>'],
  ['nothing is written for what is absent', h('p', null, false, null, undefined, true, 0), '<p>0</p>'],
  ['only what is set is an attribute', h('p', { id: undefined, open: true, hidden: false }), '<p open></p>'],
  [
    'what an aria attribute says is a word',
    h('p', { 'aria-hidden': true, 'data-row': false }),
    '<p aria-hidden="true" data-row="false"></p>',
  ],
  ['a fragment is its content', h('p', null, h(Fragment, null, 'a', 'b')), '<p>ab</p>'],
  ['a component gets its content', h(Greeting, null, '<you>'), '<b>hello &lt;you&gt;</b>'],
  [
    'raw content is not escaped',
    h('style', { dangerouslySetInnerHTML: { __html: 'a>b{}' } }),
    '<style>a>b{}</style>',
  ],
])('in the markup of a page %s', (_, markup, html) => {
  expect(markup.html).toBe(html);
});
