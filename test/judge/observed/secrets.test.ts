import { expect, it } from 'vitest';
import { envelope, keyData, observed, readKey, type Told } from './recorded.js';

const secrets = {
  Authorization: 'sk-or-v1-9d8c7b6a5e4f',
  'x-api-key': 'ak_7d6e5f4c3b2a1098',
  Cookie: 's3ss10n-0f-s0mebody',
  'proxy-authorization': Buffer.from('user:pa55word-of-proxy').toString('base64'),
  'X-Amz-Security-Token': 'tok-0a1b2c3d4e5f6a7b',
};
const carried: Readonly<Record<string, string>> = {
  ...secrets,
  Authorization: `Bearer ${secrets.Authorization}`,
  Cookie: `theme=dark; session=${secrets.Cookie}; other=1`,
  'proxy-authorization': `Basic ${secrets['proxy-authorization']}`,
};
const repeated = [...Object.values(secrets), 'pa55word-of-proxy'].join(' ');

/** An exchange with a violation, whose answer repeats what some request carried. */
const wrong = (told: Told = {}): Told =>
  readKey({
    status: 401,
    body: envelope(400, { user_id: repeated }, { message: encodeURIComponent(repeated) }),
    headers: { 'Set-Cookie': 'id=s3ss10n-0f-s0mebody; Path=/', 'X-Echo': repeated, 'Retry-After': repeated },
    ...told,
  });

it.each([
  ['in its own exchange', [wrong({ requestHeaders: carried })]],
  [
    'before the exchange that shows it to be one',
    [wrong(), readKey({ requestHeaders: carried, body: keyData() })],
  ],
])('no secret of a recording is told %s', async (_, told) => {
  const { report, failures } = await observed(told);
  expect(failures.map(({ requirement: id }) => id)).toContain('envelope.error.code-is-status');
  const text = JSON.stringify(report);
  for (const secret of [...Object.values(secrets), 'pa55word-of-proxy']) expect(text).not.toContain(secret);
  expect(text).toContain('$PLUMBLINE_KEY_OBSERVED');
});

it('a password and a key in an address are not told', async () => {
  const path = 'https://me:pa55word@api.example.test/v1/key?api_key=k3y-in-the-query&x=1';
  const { failures } = await observed([wrong({ path, requestHeaders: carried })]);
  const [failure] = failures;
  expect(JSON.stringify(failures)).not.toMatch(/pa55word@|k3y-in-the-query/);
  expect(failure?.reproduce.curl).toContain('https://api.example.test/v1/key?api_key=<redacted>&x=1');
  expect(failure?.reproduce.curl).toContain('"Authorization: Bearer $PLUMBLINE_KEY_OBSERVED"');
});
