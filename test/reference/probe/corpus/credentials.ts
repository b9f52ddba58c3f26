import { everyOperation, removal } from '../requests.js';
import type { HeaderLines, Script } from '../script.js';
import { eachOnToken, script, sent } from '../steps.js';

type Credential = (key: string) => HeaderLines | undefined;

const CREDENTIALS: readonly Credential[] = [
  () => undefined,
  () => 'Bearer sk-none',
  (key) => key,
  (key) => `bearer ${key}`,
  (key) => `Bearer  ${key}`,
  (key) => ` Bearer ${key} `,
  (key) => `Bearer${key}`,
  (key) => `Bearer: ${key}`,
  (key) => `Token ${key}`,
  (key) => `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
  (key) => `Basic ${Buffer.from(`user:${key}`).toString('base64')}`,
  (key) => `Bearer ${key.toUpperCase()}`,
  (key) => [`Bearer ${key}`, `Bearer ${key}`],
  (key) => ['Bearer sk-none', `Bearer ${key}`],
  (key) => `Bearer ${key}, Bearer sk-none`,
];
/** Keys written in every way that a server may be lenient about. */
export const credentialScripts: readonly Script[] = [
  script(
    'credentials',
    CREDENTIALS.flatMap((authorization) => [
      ...eachOnToken([removal('token', { authorization })]),
      ...sent(everyOperation({ authorization }).slice(1)),
    ]),
  ),
];
