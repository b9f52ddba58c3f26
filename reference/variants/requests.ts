import { setTimeout as wait } from 'node:timers/promises';
import type { Answer, Behaviour, Call, Effect } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { isStalled, nameParameters, withQuery, withTwoKeys } from '../mutants/conditions.js';
import {
  beforeSending,
  closeConnection,
  dropGate,
  editAnswer,
  type Mutation,
  refuseFirst,
  setEffects,
  setGateStatus,
  setHeaders,
  type When,
} from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { announcesBody, answerJson, parseBody } from '../wire.js';

const DOCUMENTED: readonly Operation[] = ['vault-delete', 'guardrail-read', 'key-read'];

const SECRET_METADATA: Answer = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: { data: { kind: 'secret', hosts: ['api.acme.test'] } },
};

/** Variants that refuse or ignore what a request need not have: a query, a body, an origin (§7.1, §7.3). */
export const requestsVariants: VariantRows = {
  'malformed-json-ignored': everyday('7.1')(
    'A body that is not valid JSON is ignored; a stalled one gets 408',
    dropGate('vault-delete', 'request-body', (call) => !isStalled(call)),
  ),
  'stalled-body-refused': everyday('7.1')(
    'A stalled body gets 400',
    setGateStatus('vault-delete', 'request-body', 400, isStalled),
  ),
  'query-refused': everyday('7.1')(
    'Any query string, an empty one too, gets 400, on the delete and on the reads',
    refuseMalformed(withQuery),
  ),
  'body-refused': everyday('4.1')(
    'Any body, a stalled one too, gets 400, on the delete and on the reads',
    refuseMalformed(announcesBody),
  ),
  'forwarded-host-refused': permitted('4.1')('X-Forwarded-Host gets a page with 403, on every route', {
    ...refuseFirst([...DOCUMENTED, 'inference'], 403, isForwarded),
    ...editAnswer({ when: isForwarded }, () => makePage(403)),
  }),
  'encoded-signs-refused': permitted('4.1')(
    'A percent-encoded sign in the path gets a page with 404',
    editAnswer({ when: ({ path }) => /^[^?]*%[2-7][\da-f]/i.test(path) && !hasEncodedWord(path) }, () =>
      makePage(404),
    ),
  ),
  'announced-body-refused': permitted('4.1')(
    'A Content-Type without a body gets 400, on the delete and on the reads',
    refuseMalformed(({ body, headers }) => body.state === 'none' && headers['content-type'] !== undefined),
  ),
  'two-authorization-headers-refused': permitted('7.1')(
    'Two Authorization headers are refused with 400, on every route',
    refuseMalformed(withTwoKeys, [...DOCUMENTED, 'inference']),
  ),
  'headers-beyond-ascii-refused': permitted('5.1')(
    'A key with a byte beyond ASCII gets a bare 400 of the HTTP server, on every route',
    {
      ...refuseMalformed(hasKeyBeyondAscii, [...DOCUMENTED, 'inference']),
      ...editAnswer({ status: 400, when: hasKeyBeyondAscii }, () => ({ status: 400, headers: {} })),
    },
  ),
  'rewriting-headers-refused': permitted('4.1')(
    'X-Original-URL and X-Rewrite-URL are refused with 400, on the delete and on the reads',
    refuseMalformed(({ headers }) => (headers['x-original-url'] ?? headers['x-rewrite-url']) !== undefined),
  ),
  'origin-refused': everyday('7.3')(
    'A request with an Origin is blocked by CORS with 400, on every route',
    refuseMalformed(
      ({ headers }) => headers.origin !== undefined,
      [...DOCUMENTED, 'inference', 'vault-other'],
    ),
  ),
  'bodies-ignored': permitted('4.1')(
    'Bodies are ignored, malformed and stalled ones too',
    dropGate('vault-delete', 'request-body'),
  ),
  'odd-paths-301': everyday('4.1')(
    'An encoded slash, a dot segment or an empty segment gets a 301 to the path without it',
    editAnswer({ when: hasOddPath }, (_answer, { path }) => ({
      ...makePage(301),
      headers: { Location: tidy(path) },
    })),
  ),
  'odd-paths-unanswered': permitted('4.1')(
    'An encoded slash, a dot segment or an empty segment loses its connection',
    closeConnection(hasOddPath),
  ),
  'paths-firewalled': everyday('4.1')(
    'A control character, a percent sign, a semicolon or a backslash in the path, or a malformed escape in the query, gets a page of a firewall with 400',
    { ...refuseMalformed(isFirewalled), ...editAnswer({ when: isFirewalled }, () => makePage(400)) },
  ),
  'paths-firewalled-403': permitted('4.1')(
    'The same gets a page of nginx with 403',
    {
      ...refuseMalformed(isFirewalled),
      ...editAnswer({ when: isFirewalled }, () => ({
        ...makePage(403),
        body: '<html><body><center><h1>403 Forbidden</h1></center><hr><center>nginx</center></body></html>',
      })),
    },
    // Its page in place of a refusal proves nothing.
    { mayEnd: 'incomplete' },
  ),
  'paths-tidied': permitted('4.1')(
    'Encoded slashes are decoded, dot segments resolved and empty segments left out before routing',
    { rewriteTarget: tidy },
  ),
  'unknown-routes-page': permitted('4.1')(
    'A route or a method that is not served gets a page of HTML',
    answerUnknownRoutes(makePage),
  ),
  'unknown-routes-json': permitted('4.1')(
    'A route or a method that is not served gets the error of a framework in JSON, whoever asks',
    answerUnknownRoutes((status) => ({ ...answerJson({ detail: 'Not served' }), status })),
  ),
  'unknown-routes-redirected': permitted('4.1')(
    'A route or a method that is not served gets a 302 to the start page, whoever asks',
    answerUnknownRoutes(() => ({ status: 302, headers: { Location: '/' } })),
  ),
  'unknown-routes-start-page': permitted('4.1')(
    'A GET that is not served gets the start page of the application with 200, whoever asks',
    answerUnknownRoutes((status) => makePage(status === 404 ? 200 : status)),
  ),
  'vault-reads-403': permitted('4.1')(
    'Any other request below /vault gets 403, whoever asks: the filter for keys runs again on the way to the error',
    refuseOtherVaultRoutes(403),
  ),
  'vault-reads-405': permitted('4.1')(
    'Any other request below /vault gets 405, outside the intern programme too',
    refuseOtherVaultRoutes(405),
  ),
  'vault-reads-501': permitted('4.1')(
    'Any other request below /vault gets 501, outside the intern programme too',
    refuseOtherVaultRoutes(501),
  ),
  'vault-reads-served': everyday('4.1')(
    'A caller in the intern programme may read the metadata of a secret',
    setEffects({
      'vault-other': (call) =>
        call.method === 'GET' ? SECRET_METADATA : conforming.effects['vault-other'](call),
    }),
  ),
  'vault-writes-served': permitted('4.1')(
    'A POST or PUT of a secret stores it, and a PATCH gives it the name in its body',
    setEffects({ 'vault-other': (call) => writeSecret(call) ?? conforming.effects['vault-other'](call) }),
  ),
  'stalled-body-answered-late': permitted('8.3')(
    'A stalled body gets its 408 after 6 s: the deadline is not shown',
    beforeSending(async (_response, _answer, call) => {
      if (isStalled(call)) await wait(6_000, undefined, { ref: false });
    }),
  ),
  'stalled-body-gateway-page': permitted('7.1')(
    'A stalled body gets a page of a gateway with 502, since its connection to the service was lost',
    editAnswer({ operation: 'vault-delete', when: isStalled }, () => makePage(502)),
  ),
  'stalled-body-refused-in-front': permitted('7.1')(
    'A delete with a stalled body is carried out, and what stands in front refuses the body with a bare 400',
    {
      ...dropGate('vault-delete', 'request-body', isStalled),
      ...editAnswer({ operation: 'vault-delete', when: isStalled }, () => ({ status: 400, headers: {} })),
    },
  ),
  'origin-allowed': permitted('7.3')(
    'Any origin is allowed, with the headers of CORS, and OPTIONS gets 204 everywhere',
    {
      ...setEffects({ 'wrong-method': allow('wrong-method'), 'no-route': allow('no-route') }),
      ...setHeaders(
        {},
        { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' },
      ),
    },
  ),
};

/** Everything that the document does not describe gets an answer, whoever asks. */
function answerUnknownRoutes(make: (status: 404 | 405) => Answer): Mutation {
  return answerOtherVaultRoutes(() => make(404), {
    'no-route': () => make(404),
    'wrong-method': () => make(405),
  });
}

/** Everything below /vault but the delete gets a status, whoever asks. */
function refuseOtherVaultRoutes(status: number): Mutation {
  return answerOtherVaultRoutes((call) => call.behaviour.refuse(call, { status, message: 'Delete only' }));
}

function answerOtherVaultRoutes(effect: Effect, others: Partial<Behaviour['effects']> = {}): Mutation {
  return {
    gates: { ...conforming.gates, 'vault-other': [] },
    ...setEffects({ 'vault-other': effect, ...others }),
  };
}

/** Refuses some calls with 400 before anything else. */
function refuseMalformed(when: When, operations = DOCUMENTED): Mutation {
  return refuseFirst(operations, 400, when);
}

/** Makes an operation answer OPTIONS as a preflight of CORS. */
function allow(operation: Operation): Effect {
  return (call) =>
    call.method === 'OPTIONS'
      ? { status: 204, headers: { Allow: 'GET, POST, DELETE' } }
      : conforming.effects[operation](call);
}

function isForwarded({ headers }: Call): boolean {
  return headers['x-forwarded-host'] !== undefined;
}

/** Whether a path encodes a character that needs no encoding: a letter, a digit, `-`, `.`, `_` or `~`. */
function hasEncodedWord(path: string): boolean {
  return /%(?:2[de]|3\d|4[1-9a-f]|5[\daf]|6[1-9a-f]|7[\dae])/i.test(path);
}

/** The HTTP server of .NET refuses such a header. */
function hasKeyBeyondAscii({ headers }: Call): boolean {
  return /[^\t -~]/.test(headers.authorization ?? '');
}

/** Whether a path has an encoded slash, a dot segment or an empty one. */
function hasOddPath({ path }: Call): boolean {
  const [route = ''] = path.split('?');
  return /%2f/i.test(route) || route.split('/').slice(1).some(isOddSegment);
}

/** Whether a firewall refuses the path, as that of Spring Security does, or the HTTP server the query, as that of the JDK does. */
function isFirewalled({ path }: Call): boolean {
  const [route = '', query = ''] = path.split('?');
  return /%(?:[01][\da-f]|7f|25|3b|5c)|;/i.test(route) || /%(?![\da-f]{2})/i.test(query);
}

function isOddSegment(segment: string): boolean {
  return /^(?:\.|%2e){0,2}$/i.test(segment);
}

/** Returns a target without odd segments. */
function tidy(target: string): string {
  const [route = '', ...query] = target.split('?');
  const kept: string[] = [];
  for (const segment of route.replace(/%2f/gi, '/').split('/')) {
    if (/^(?:\.|%2e){2}$/i.test(segment)) kept.pop();
    else if (!isOddSegment(segment)) kept.push(segment);
  }
  return [`/${kept.join('/')}`, ...query].join('?');
}

function makePage(status: number): Answer {
  const headers = { 'Content-Type': 'text/html; charset=utf-8' };
  return { status, headers, body: `<!doctype html><title>${status}</title><p>Nothing to see here.` };
}

/** Stores or renames the secret that the path names; undefined where the request asks for neither. */
function writeSecret(call: Call): Answer | undefined {
  const { method, key, body, parameters } = nameParameters(call);
  const { internId = '', name = '' } = parameters;
  const scope = key && conforming.findIntern(key.world, internId);
  const secrets = scope && key?.world.secrets[scope];
  if (secrets === undefined || !conforming.isSecretName(name)) return undefined;
  if (method === 'POST' || method === 'PUT') secrets.set(name, '');
  else if (method !== 'PATCH') return undefined;
  const newName = method === 'PATCH' ? parseBody(body)?.name : undefined;
  const value = secrets.get(name);
  if (typeof newName === 'string' && value !== undefined) {
    secrets.delete(name);
    secrets.set(newName, value);
  }
  return SECRET_METADATA;
}
