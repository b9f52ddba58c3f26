import fullFormats from 'ajv-formats/dist/formats.js';
import { describe, expect, test } from 'vitest';
import { harAddress } from '../../reports/har-address.js';
import { everyHostileText, hostileTexts } from './hostile-report.js';

const { uri } = fullFormats.fullFormats;
const isUri = (text: string): boolean => typeof uri === 'function' && uri(text);

describe('an address of HAR', () => {
  test.each([
    'http://127.0.0.1:4010/v1/key',
    'https://user@[::1]:8443/v1/vault/interns/own/secrets/a.b~c?a=b&c=%C3%A9',
    'http://example.com?x',
    'http://example.com',
    'http://127.0.0.1:4010/v1/a//../%2e/;x=1',
  ])('is as it was sent where that is a URI: %s', (sent) => {
    expect(harAddress(sent)).toMatchObject({ url: sent, sent: null });
    expect(isUri(sent)).toBe(true);
  });

  test.each([
    ['http://h/%ZZ/%4/%', 'http://h/%25ZZ/%254/%25'],
    ['http://h/é 😀|[x]#y', 'http://h/%C3%A9%20%F0%9F%98%80%7C%5Bx%5D%23y'],
    ['http://h/a\u0000\r\n\\"<', 'http://h/a%00%0D%0A%5C%22%3C'],
    ['http://h/\ud800', 'http://h/%EF%BF%BD'],
    ['http://h ost/x', 'about:invalid'],
    ['/v1/key', 'about:invalid'],
    ['javascript:alert(1)', 'about:invalid'],
    ['', 'about:invalid'],
  ])('is a URI where what was sent is none: %j', (sent, url) => {
    expect(harAddress(sent)).toMatchObject({ url, sent });
    expect(isUri(url)).toBe(true);
  });

  test('is a URI whatever the text', () => {
    for (const text of [everyHostileText, ...Object.values(hostileTexts)])
      for (const sent of [
        text,
        `http://${text}/`,
        `http://h/${text}`,
        `http://h?${text}`,
        `http://h:${text}`,
      ])
        expect(isUri(harAddress(sent).url), sent).toBe(true);
  });

  test('has its query in pairs, decoded where that can be done', () => {
    expect(harAddress('http://h/p?a=b%20c&a=&=x&flag&&e=f=g&bad=%ZZ&%C3%A9=+').query).toEqual([
      { name: 'a', value: 'b c' },
      { name: 'a', value: '' },
      { name: '', value: 'x' },
      { name: 'flag', value: '' },
      { name: 'e', value: 'f=g' },
      { name: 'bad', value: '%ZZ' },
      { name: 'é', value: '+' },
    ]);
    expect(harAddress('http://h/p').query).toEqual([]);
    expect(harAddress('http://h/p?').query).toEqual([]);
  });
});
