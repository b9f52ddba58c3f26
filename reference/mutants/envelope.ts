import { everyday, type MutantRows, plain, subtle, tabulate, tabulateAlike } from '../mutant.js';
import {
  countUp,
  editAnswer,
  editEnvelope,
  type Mutation,
  setHeaders,
  setInError,
  setMember,
  type Where,
} from '../mutation.js';
import { isUuid } from '../vault.js';
import { acceptsHtml } from './conditions.js';

/** Mutants of the area envelope: a member of the envelope is missing or is not what §2.4 says. */
export const envelopeMutants: MutantRows = {
  'envelope.vault-404-without-message': everyday.plain('envelope.error.message')(
    'The 404 of the vault has no error.message',
    editEnvelope({ status: 404, when: ({ operation }) => operation.startsWith('vault-') }, () => ({
      error: { code: 404 },
    })),
  ),
  'envelope.vault-504-service-metadata-as-string': everyday.plain('envelope.service_metadata')(
    'service_metadata is a string on the 504 of a vault delete',
    setVaultMember([504, 'service_metadata', 'vault-eu-1']),
  ),
  ...tabulate('envelope', everyday.plain, setVaultMember, [
    ['error', 'vault-408-error-as-string', 'error is a string in a vault 408', [408, 'error', 'timed out']],
    ['user_id', 'vault-500-user-id-as-number', 'user_id is a number in a vault 500', [500, 'user_id', 4711]],
  ]),
  'envelope.every-third-error-without-error': everyday.intermittent('envelope.error')(
    'Every third error has a message alone, without error around it',
    rewriteEveryNthError(3, {}, () => '{"message":"Something went wrong"}'),
  ),
  ...tabulate('envelope', everyday.plain, setVaultErrorMember, [
    ['error.code', 'vault-400-code-as-string', 'error.code is a string in a vault 400', [400, 'code', '400']],
    ['error.code-is-status', 'vault-401-code-403', 'error.code is 403 in a vault 401', [401, 'code', 403]],
  ]),
  'envelope.vault-502-metadata-as-string': everyday.plain('envelope.error.metadata')(
    'error.metadata is a string on the 502 of a vault delete',
    setVaultErrorMember([502, 'metadata', 'vault']),
  ),
  'envelope.every-fourth-401-code-as-string': everyday.intermittent('envelope.error.code')(
    'error.code is a string on every fourth 401',
    rewriteEveryNthError(4, { status: 401 }, (text) => text.replace('"code":401', '"code":"401"')),
  ),
  'envelope.vault-503-array': everyday.plain('envelope.json-object')(
    'The 503 of a vault delete is an array with the envelope in it',
    rewriteBody(vault(503), (text) => `[${text}]`),
  ),
  'envelope.page-for-browsers': subtle('envelope.json-object')(
    'Who accepts HTML gets errors as a page',
    answerBrowsersWithPage({ when: (_call, { status }) => status >= 400 }),
  ),
  ...tabulateAlike('envelope', subtle('envelope.json-object'), answerBrowsersWithPage, [
    [
      'page-for-browsers-of-malformed-name',
      'Who accepts HTML gets a page for a malformed name',
      { operation: 'vault-delete', status: 400, when: ({ parameters }) => isUuid(parameters.internId ?? '') },
    ],
    ['page-for-browsers-of-vault-404', 'Who accepts HTML gets a page with a 404 of the vault', vault(404)],
    ['page-for-browsers-of-vault-503', 'Who accepts HTML gets a page with a 503 of the vault', vault(503)],
    [
      'page-for-browsers-of-inference-402',
      'Who accepts HTML gets a page with a 402',
      { operation: 'inference', status: 402 },
    ],
  ]),
  'envelope.key-401-message-alone': plain('envelope.json-object')(
    'The body of the 401 of the key read is a JSON string with the message',
    rewriteBody({ operation: 'key-read', status: 401 }, () => '"Missing or unknown API key"'),
  ),
  'envelope.regional-403-empty': plain('envelope.json-object')(
    'The 403 of a vault delete has no body',
    rewriteBody(vault(403), () => ''),
  ),
  'envelope.vault-500-cut-short': plain('envelope.json-object')(
    'The JSON of the 500 of a vault delete lacks its last brace',
    rewriteBody(vault(500), (text) => text.slice(0, -1)),
  ),
  'envelope.inference-503-byte-order-mark': plain('envelope.json-object')(
    'The body of the 503 of inference begins with a byte order mark, which JSON forbids',
    rewriteBody({ operation: 'inference', status: 503 }, (text) => `\u{feff}${text}`),
  ),
  ...tabulateAlike('envelope', subtle('envelope.json-object'), repeatNameUnescaped, [
    ['quote-in-name-unescaped', 'The 400 for a name with a quotation mark repeats it unescaped', /"/],
    ['line-end-in-name-unescaped', 'The 400 for a name with a line end repeats it unescaped', /\n/],
  ]),
  'envelope.every-fifth-404-array': everyday.intermittent('envelope.json-object')(
    'Every fifth 404 of a vault delete is an array with the envelope in it',
    rewriteEveryNthError(5, vault(404), (text) => `[${text}]`),
  ),
  'envelope.guardrail-401-text-plain': everyday.plain('envelope.media-type')(
    'The 401 of the guardrail read is announced as text/plain',
    setHeaders({ operation: 'guardrail-read', status: 401 }, { 'Content-Type': 'text/plain; charset=utf-8' }),
  ),
  'envelope.all-as-html-by-nginx': plain('envelope.media-type')(
    'Whatever is JSON says that it is HTML, from a service that runs within nginx',
    setHeaders(
      { when: (_call, { status }) => status !== 204 },
      { 'Content-Type': 'text/html', Server: 'nginx/1.22.1' },
    ),
  ),
  'envelope.key-401-unannounced': plain('envelope.media-type')(
    'The 401 of the key read has no Content-Type',
    setHeaders({ operation: 'key-read', status: 401 }, { 'Content-Type': undefined }),
  ),
};

function vault(status: number): Where {
  return { operation: 'vault-delete', status };
}

function setVaultMember([status, field, value]: readonly [number, string, unknown]): Mutation {
  return editEnvelope(vault(status), (body) => setMember(body, field, value));
}

function setVaultErrorMember([status, field, value]: readonly [number, string, unknown]): Mutation {
  return editAnswer(vault(status), (answer) => setInError(answer, field, value));
}

/** Replaces some answers to who accepts HTML by a page. */
function answerBrowsersWithPage({ when, ...where }: Where): Mutation {
  return editAnswer(
    { ...where, when: (call, answer) => acceptsHtml(call) && when?.(call, answer) !== false },
    ({ status }) => ({ status, headers: { 'Content-Type': 'text/html' }, body: `<h1>${status}</h1>` }),
  );
}

function rewriteBody(where: Where, rewrite: (text: string) => string): Mutation {
  return editAnswer(where, (answer) => ({ ...answer, body: rewrite(JSON.stringify(answer.body)) }));
}

function repeatNameUnescaped(sign: RegExp): Mutation {
  const when: Where['when'] = ({ parameters: { name = '' } }) => sign.test(name);
  return editAnswer({ ...vault(400), when }, (answer, { parameters: { name } }) => ({
    ...answer,
    body: `{"error":{"code":400,"message":"Invalid name: ${name}"}}`,
  }));
}

function rewriteEveryNthError(n: number, where: Where, rewrite: (text: string) => string): Mutation {
  const when: Where['when'] = (call, { status }) => status >= 400 && countUp(call, 'errors') % n === 0;
  return rewriteBody({ ...where, when }, rewrite);
}
