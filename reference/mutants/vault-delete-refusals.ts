import type { Call, GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type MutantRows, plain, rare, subtle, tabulate, tabulateAlike } from '../mutant.js';
import {
  alsoRefuse,
  closeConnection,
  dropGate,
  editAnswer,
  everyNth,
  type Mutation,
  refuseAt,
  refuseFirst,
  refuseLast,
  setEffects,
  setFaultStatus,
  setGateStatus,
  setHeaders,
  setInError,
  setStatus,
  type When,
} from '../mutation.js';
import { isUuid, regionalHostGate } from '../vault.js';
import { answerJson } from '../wire.js';
import {
  all,
  as,
  during,
  encodedId,
  encodedName,
  inLowerCaseScheme,
  inShard,
  isStalled,
  isStored,
  namedIntern,
  nameOf,
  nameParameters,
  onRegionalHost,
  queryOf,
  selectWorkspace,
  through,
  withBody,
  withoutKey,
  withQuery,
  worldOfIntern,
} from './conditions.js';
import {
  actBeside,
  claimDone,
  DONE,
  deleteThough,
  elseFindIntern,
  hideSecret,
  passBySlash,
  removeNamed,
} from './vault-mutations.js';

const isInCapitals: When = ({ host = '' }) => host === host.toUpperCase();
const onPlainRegionalHost: When = ({ host, server }) => host === server.regionalHost;
const isList: When = ({ method, path }) => method === 'GET' && path === '/v1/vault/secrets';
const isPost: When = ({ method }) => method === 'POST';
const isChunked: When = ({ headers }) => headers['transfer-encoding'] !== undefined;
const isSafe: When = ({ method }) => method === 'GET' || method === 'HEAD';
const readsStored: When = (call) => call.method === 'GET' && isStored(nameParameters(call), 'own');

/** Mutants of the vault delete that refuse with a wrong status, do not refuse, or refuse and delete anyway (§7.1). */
export const vaultDeleteRefusalsMutants: MutantRows = {
  ...tabulate('vault-delete', everyday.plain, setFaultStatus, [
    ['429.rate-limited', 'rate-limit-503', 'A delete over the limit gets 503', ['vault_rate_limited', 503]],
    ['500.scope-lookup', 'scope-lookup-502', 'A failed scope lookup gets 502', ['scope_lookup_failed', 502]],
    ['502.unreachable', 'unreachable-503', 'An unreachable vault answers 503', ['vault_unreachable', 503]],
    ['502.bad-response', 'bad-response-500', 'A bad vault response gets 500', ['vault_bad_response', 500]],
    ['503.writes-disabled', 'writes-disabled-403', 'Disabled writes get 403', ['vault_writes_disabled', 403]],
    ['503.not-configured', 'not-configured-404', 'A missing vault gets 404', ['vault_not_configured', 404]],
    ['504.timeout', 'vault-timeout-502', 'A vault that is too slow gets 502', ['vault_timeout', 502]],
  ]),
  ...tabulate('vault-delete', plain, setFaultStatus, [
    ['408.timeout', 'deadline-504', 'A delete whose deadline passes answers 504', ['route_deadline', 504]],
  ]),
  'vault-delete.stalled-body-500': everyday.plain('vault-delete.408.timeout')(
    'A body that stops arriving answers 500',
    setGateStatus('vault-delete', 'request-body', 500, isStalled),
  ),
  'vault-delete.stalled-body-closed': plain('vault-delete.408.timeout')(
    'The connection of a body that stops arriving is closed without an answer',
    closeConnection(isStalled),
  ),
  'vault-delete.stalled-chunks-closed': subtle('vault-delete.408.timeout')(
    'The connection of a body in chunks that stops arriving is closed without an answer',
    closeConnection(all(isStalled, isChunked)),
  ),
  'vault-delete.rate-limit-ignored': plain('vault-delete.429.rate-limited')(
    "A delete beyond the vault's rate limit is done",
    dropGate('vault-delete', 'fault', during('vault_rate_limited')),
  ),
  'vault-delete.intern-id-not-looked-at': everyday.plain('vault-delete.400.intern-id')(
    'An internId of any shape is looked for, and answers 404 where there is none',
    dropGate('vault-delete', 'intern-id'),
  ),
  'vault-delete.intern-id-36-characters': everyday.subtle('vault-delete.400.intern-id')(
    'Any 36 characters pass for a UUID',
    { isInternId: (text) => text.length === 36 },
  ),
  'vault-delete.intern-id-short-groups': subtle('vault-delete.400.intern-id')(
    'An internId may have fewer digits in its middle groups',
    { isInternId: (text) => /^[\da-f]{8}(?:-[\da-f]{1,4}){3}-[\da-f]{12}$/i.test(text) },
  ),
  ...tabulateAlike('vault-delete', subtle('vault-delete.400.intern-id'), acceptIds, [
    ['intern-id-full-stop', 'A full stop passes for a digit in the third group', /^.{14}[\da-f.]{4}-/],
    ['intern-id-line-feed', 'A line feed passes for a digit in the last group', /^.{24}[\da-f\n]{12}$/],
  ]),
  'vault-delete.intern-id-digits-of-any-script': subtle('vault-delete.400.intern-id')(
    'The digits of any script pass in an internId',
    passAsInternId((id) => isUuid(id.replace(/\p{Nd}/gu, '0'))),
  ),
  'vault-delete.intern-id-hyphens-of-any-kind': subtle('vault-delete.400.intern-id')(
    'Hyphens of any kind pass in an internId',
    passAsInternId((id) => isUuid(id.replace(/\p{Pd}/gu, '-'))),
  ),
  'vault-delete.intern-id-decoded-twice': subtle('vault-delete.400.intern-id')(
    'An internId that is a UUID only once it is decoded twice passes',
    passAsInternId((id) => id.includes('%') && isUuid(decodeURIComponent(id))),
  ),
  'vault-delete.intern-id-in-words': subtle('vault-delete.400.intern-id')(
    'The words me and * pass for an internId',
    passAsInternId((id) => ['me', '*'].includes(id)),
  ),
  'vault-delete.first-page-only': subtle('vault-delete.204.deleted')(
    'A secret is looked for among the first 20 names of its intern, and any other gets 404',
    hideSecret(({ key }, { scope, name }) => {
      const names = [...(key?.world.secrets[scope].keys() ?? [])].toSorted();
      return names.indexOf(name) >= 20;
    }),
  ),
  'vault-delete.small-account-passes-regional': subtle('vault-delete.403.regional-host')(
    'A delete on the regional hostname is done for an account that has bought little',
    dropGate('vault-delete', 'regional-host', as('free_small')),
  ),
  'vault-delete.prototype-in-query-500': subtle('vault-delete.400.query')(
    'A query that names __proto__ leads to 500',
    refuseAt('vault-delete', 'authentication', 500, ({ path }) => path.includes('__proto__')),
  ),
  'vault-delete.query-without-value-500': subtle('vault-delete.400.query')(
    'A parameter of the query without an equals sign leads to 500',
    refuseLast('vault-delete', 500, ({ path }) => /[?&][^=&]+(?:&|$)/.test(path)),
  ),
  'vault-delete.intern-id-not-utf-8-500': subtle('vault-delete.400.intern-id')(
    'An internId that is not UTF-8 leads to 500',
    setStatus({ operation: 'malformed-target', when: ({ path }) => /interns\/[^/]*%ff/i.test(path) }, 500),
  ),
  'vault-delete.malformed-encoding-dropped': everyday.subtle('vault-delete.400.percent-encoding')(
    'A percent sign that encodes nothing is dropped, and the secret is deleted',
    { rewriteTarget: (target) => target.replace(/%(?![0-9a-f]{2})/gi, '') },
  ),
  'vault-delete.percent-u-decoded': everyday.subtle('vault-delete.400.percent-encoding')(
    'The encoding %u0061, which URIs do not know, is decoded',
    { rewriteTarget: (target) => target.replace(/%u00([0-9a-f]{2})/gi, (_, hex: string) => `%${hex}`) },
  ),
  'vault-delete.text-body-415': subtle('vault-delete.400.body', 'vault-delete.status-documented')(
    'A body of plain text answers 415',
    refuseLast(
      'vault-delete',
      415,
      all(withBody, ({ headers }) => headers['content-type']?.startsWith('text/plain') === true),
    ),
  ),
  'vault-delete.malformed-body-500': everyday.subtle('vault-delete.400.body')(
    'A body that is not valid JSON answers 500',
    setGateStatus('vault-delete', 'request-body', 500, withBody),
  ),
  'vault-delete.missing-key-404': everyday.plain('vault-delete.401.missing-key')(
    'A delete without a key answers 404',
    setGateStatus('vault-delete', 'authentication', 404, withoutKey),
  ),
  'vault-delete.other-workspace-204': everyday.subtle('vault-delete.404.other-workspace')(
    'An intern of a workspace that the key has nothing to do with answers 204, and nothing is deleted',
    claimDone(404, (call) => namedIntern(call) === undefined && worldOfIntern(call) !== undefined),
  ),
  'vault-delete.400-deletes-by-malformed-id': everyday.plain('vault-delete.400.keeps')(
    'A malformed internId is refused only after the secret of the intern it looks like is gone',
    deleteThough(400, resemblesOwn, (call) => call.key?.world.secrets.own.delete(nameOf(call))),
  ),
  ...tabulate('vault-delete', everyday.plain, (on: readonly [number, When?]) => deleteThough(...on), [
    ['401.keeps', '401-deletes-without-key', 'A refused delete without a key deletes', [401, withoutKey]],
    ['403.keeps', '403-deletes-with-unscoped-key', 'A refused unscoped key deletes', [403, as('unscoped')]],
    ['404.keeps', '404-deletes-for-outsiders', 'A refused outsider deletes', [404, as('outsider')]],
    ['500.keeps', '500-deletes', 'A delete whose scope lookup fails answers 500 and deletes', [500]],
  ]),
  'vault-delete.503-deletes-for-write-disabled-key': everyday.plain('vault-delete.503.keeps')(
    'A caller with vault writes disabled is refused and deletes',
    deleteThough(503, as('write_disabled')),
  ),
  'vault-delete.404-deletes-in-another-workspace': plain('vault-delete.404.keeps')(
    'An intern of a workspace that the key has nothing to do with is not found, and its secret deleted',
    deleteThough(404, as('member'), (call) => {
      const world = worldOfIntern(call);
      if (world !== call.key?.world) world?.secrets.own.delete(nameOf(call));
    }),
  ),
  'vault-delete.429-deletes': everyday.plain('vault-delete.429.keeps')(
    'A delete beyond the rate limit is refused and deletes',
    deleteThough(429),
  ),
  'vault-delete.a-read-deletes': everyday.subtle('vault-delete.safe-methods')(
    'A GET or HEAD of the path of a secret takes the secret away',
    removeByPath(isSafe),
  ),
  'vault-delete.preflight-deletes': subtle('vault-delete.safe-methods')(
    'An OPTIONS of the path of a secret runs the delete that it asks about',
    removeByPath(({ method }) => method === 'OPTIONS'),
  ),
  'vault-delete.post-deletes': subtle('vault-delete.safe-methods')(
    'A POST of the path of a secret takes the secret away',
    setEffects({
      'vault-other': (call) => {
        if (call.method !== 'POST') return conforming.effects['vault-other'](call);
        removeNamed(nameParameters(call));
        return DONE;
      },
    }),
  ),
  'vault-delete.outsider-read-403': everyday.plain('vault-delete.404.outside-programme-reads')(
    'A vault read by a caller outside the intern programme answers 403',
    setGateStatus('vault-other', 'intern-programme', 403),
  ),
  'vault-delete.outsiders-list-secrets': subtle('vault-delete.404.outside-programme-reads')(
    'A caller outside the intern programme gets a list of the secrets of the workspace',
    serveOther(all(as('outsider'), isList)),
  ),
  'vault-delete.outsider-list-403': subtle('vault-delete.404.outside-programme-reads')(
    'A list of secrets for a caller outside the intern programme answers 403',
    setStatus({ operation: 'vault-other', when: all(as('outsider'), isList) }, 403),
  ),
  'vault-delete.anybody-writes': subtle('vault-delete.401.missing-key')(
    'A POST of a secret is done without a key too',
    serveOther(all(withoutKey, isPost)),
  ),
  'vault-delete.unknown-keys-list-secrets': subtle('vault-delete.401.unknown-key')(
    'A key that does not exist gets a list of the secrets of a workspace',
    serveOther((call) => isList(call) && call.key === undefined && !withoutKey(call)),
  ),
  'vault-delete.outsider-deletes-by-post': subtle('vault-delete.404.keeps')(
    'A POST that X-HTTP-Method-Override makes a delete is done for a caller outside the intern programme',
    removeByPath(all(as('outsider'), ({ headers }) => headers['x-http-method-override'] === 'DELETE')),
  ),
  'vault-delete.provisioning-key-writes': subtle('vault-delete.401.provisioning-key')(
    'A POST of a secret is done with a provisioning key too',
    serveOther(all(as('provisioning'), isPost)),
  ),
  'vault-delete.provisioning-key-after-bearer-deletes': subtle('vault-delete.401.provisioning-key')(
    'A provisioning key deletes if its scheme is in lower case',
    dropGate('vault-delete', 'no-provisioning-key', all(as('provisioning'), inLowerCaseScheme)),
  ),
  'vault-delete.outsider-after-bearer-deletes': subtle('vault-delete.404.outside-programme')(
    'A caller outside the intern programme deletes if the scheme is in lower case',
    dropGate('vault-delete', 'intern-programme', all(as('outsider'), inLowerCaseScheme)),
  ),
  'vault-delete.provisioning-key-reads': subtle(
    'vault-delete.401.provisioning-key',
    'vault-delete.401.provisioning-key-reads',
  )(
    'A provisioning key reads the metadata of a stored secret',
    serveOther(all(as('provisioning'), readsStored), { type: 'secret' }),
  ),
  'vault-delete.host-with-query-passes': everyday.subtle('vault-delete.403.regional-host')(
    'A delete on the regional hostname is done when it has a query string',
    dropGate('vault-delete', 'regional-host', withQuery),
  ),
  'vault-delete.host-with-origin-passes': subtle('vault-delete.403.regional-host')(
    'A delete on the regional hostname is done when a browser sends it, as its Origin shows',
    dropGate('vault-delete', 'regional-host', ({ headers }) => headers.origin !== undefined),
  ),
  'vault-delete.host-served-now-and-then': everyday.intermittent('vault-delete.403.regional-host')(
    'Every second delete on the plain regional hostname is done',
    dropGate('vault-delete', 'regional-host', all(onPlainRegionalHost, everyNth(2, 'regional deletes'))),
  ),
  'vault-delete.host-refused-but-deleted': everyday.subtle('vault-delete.403.keeps')(
    'A delete on the regional hostname gets 403, but done all the same',
    deleteThough(403, onRegionalHost),
  ),
  'vault-delete.host-passes-by-encoded-route': subtle('vault-delete.403.keeps')(
    'A delete on the regional hostname is done when a letter of the route is percent-encoded in the path',
    passByEncodedRoute('regional-host'),
  ),
  'vault-delete.host-in-lower-case-only': everyday.subtle('vault-delete.403.regional-host-spelling')(
    'The regional hostname is compared with regard to case: with upper-case letters it passes',
    passWhen((host) => host !== host.toLowerCase()),
  ),
  'vault-delete.host-in-capitals-passes': everyday.subtle('vault-delete.403.regional-host-spelling')(
    'The regional hostname passes when it is all in upper case',
    passWhen((host) => host === host.toUpperCase()),
  ),
  'vault-delete.host-in-capitals-passes-in-one-shard': rare('vault-delete.403.regional-host-spelling')(
    'For names of one shard in eight the regional hostname passes when it is all in upper case',
    dropGate('vault-delete', 'regional-host', all(onRegionalHost, isInCapitals, inShard(8))),
  ),
  'vault-delete.host-with-the-port-of-the-server-passes': subtle('vault-delete.403.regional-host-spelling')(
    'Of the ports after the regional hostname only well-known ones are looked past, not that of the server',
    passWhen((host) => /:\d+$/.test(host) && !/:(?:80|443|8443|65535)$/.test(host)),
  ),
  'vault-delete.global-host-in-capitals-refused': everyday.subtle('auth.host-spelling')(
    'Any hostname that is all in upper case is taken for regional, the global one too',
    { isRegionalHost: isRegionalOrInCapitals },
  ),
  'vault-delete.global-host-in-capitals-refused-everywhere': everyday.subtle('auth.host-spelling')(
    'Any hostname that is all in upper case is taken for regional, and every route refuses it',
    {
      isRegionalHost: isRegionalOrInCapitals,
      ...alsoRefuse(['guardrail-read', 'key-read'], regionalHostGate.refuse),
    },
  ),
  'vault-delete.query-lets-outsider-in': everyday.subtle('vault-delete.404.outside-programme')(
    'A caller outside the intern programme may delete if the request has a query string',
    dropGate('vault-delete', 'intern-programme', withQuery),
  ),
  'vault-delete.every-third-outsider-in': everyday.intermittent('vault-delete.404.outside-programme')(
    'Every third delete by a caller outside the intern programme is done',
    passEveryNth(3, 404, as('outsider')),
  ),
  'vault-delete.foreign-intern-in-upper-case-served': subtle('vault-delete.404.foreign-intern')(
    'An intern of another workspace is served if its id is in upper case',
    elseFindIntern((id, { foreign }) =>
      /[A-F]/.test(id) && id.toLowerCase() === foreign ? 'foreign' : undefined,
    ),
  ),
  'vault-delete.foreign-intern-with-query': everyday.subtle('vault-delete.404.foreign-intern')(
    'A foreign intern answers 204 if the request has a query string, and nothing is deleted',
    claimDone(404, all(through('foreign'), withQuery)),
  ),
  'vault-delete.foreign-intern-by-workspace-id': subtle('vault-delete.404.keeps')(
    'A workspace_id in the query opens the secrets of another workspace',
    editAnswer(
      { operation: 'vault-delete', status: 404, when: (call) => queryOf(call).has('workspace_id') },
      (answer, call) => {
        const secrets = worldOfIntern(call)?.secrets.own;
        return secrets?.delete(nameOf(call)) === true ? DONE : answer;
      },
    ),
  ),
  'vault-delete.foreign-intern-if-own-has-the-name': subtle('vault-delete.404.foreign-intern')(
    'A secret of a foreign intern is deleted if the own intern has one of that name too',
    claimDone(
      404,
      (call) => through('foreign')(call) && isStored(call, 'own') && isStored(call, 'foreign'),
      (call) => call.key?.world.secrets.foreign.delete(nameOf(call)),
    ),
  ),
  'vault-delete.workspace-of-the-query': subtle('vault-delete.404.keeps')(
    'A workspace_id in the query selects the workspace',
    selectWorkspace('vault-delete', (call) => queryOf(call).get('workspace_id')),
  ),
  'vault-delete.workspace-of-a-header': subtle('vault-delete.404.keeps')(
    'X-Workspace-Id selects the workspace',
    selectWorkspace('vault-delete', ({ headers }) => headers['x-workspace-id']),
  ),
  'vault-delete.second-intern-of-another-workspace': subtle('vault-delete.404.keeps')(
    'The second intern of another workspace is taken for one of the own',
    {
      receive: (call) => {
        const owner = worldOfIntern(call);
        const isSecond = owner?.interns.sibling === call.parameters.internId;
        return call.key && owner && isSecond ? { ...call, key: { ...call.key, world: owner } } : call;
      },
    },
  ),
  'vault-delete.every-third-foreign-intern-204': everyday.intermittent('vault-delete.404.foreign-intern')(
    'Every third delete at a foreign intern answers 204',
    passEveryNth(3, 404, all(as('member'), through('foreign'))),
  ),
  'vault-delete.force-lifts-disabled-writes': subtle('vault-delete.503.writes-disabled')(
    'The query force=true lets a caller with vault writes disabled delete',
    dropGate('vault-delete', 'vault-writes', ({ path }) => path.includes('force=true')),
  ),
  'vault-delete.every-third-write-disabled-in': everyday.intermittent('vault-delete.503.writes-disabled')(
    'Every third delete by a caller with vault writes disabled is done',
    passEveryNth(3, 503, as('write_disabled')),
  ),
  'vault-delete.body-lets-unscoped-key-in': everyday.subtle('vault-delete.403.no-scope')(
    'A key without workspace scope may delete if the request has a body',
    dropGate('vault-delete', 'workspace-scope', withBody),
  ),
  'vault-delete.every-fourth-unscoped-key-in': everyday.intermittent('vault-delete.403.no-scope')(
    'Every fourth delete with a key without workspace scope is done',
    passEveryNth(4, 403, as('unscoped')),
  ),
  'vault-delete.every-second-rate-limit-204': everyday.intermittent('vault-delete.429.rate-limited')(
    'Every second delete beyond the rate limit is done',
    passEveryNth(2, 429),
  ),
  'vault-delete.chunks-500': subtle('vault-delete.400.body')(
    'A delete whose body comes in chunks, all of them, answers 500',
    refuseFirst('vault-delete', 500, all(withBody, isChunked)),
  ),
  'vault-delete.length-of-zero-500': subtle('vault-delete.204.deleted')(
    'A delete that says Content-Length: 0 answers 500',
    refuseFirst('vault-delete', 500, ({ headers }) => headers['content-length'] === '0'),
  ),
  'vault-delete.json-without-body-500': subtle('vault-delete.204.deleted')(
    'A delete that announces JSON and has no body answers 500, for its empty body is parsed',
    refuseAt(
      'vault-delete',
      'request-body',
      500,
      ({ body, headers }) => body.state === 'none' && /json/i.test(headers['content-type'] ?? ''),
    ),
  ),
  'vault-delete.query-lets-provisioning-key-in': everyday.subtle('vault-delete.401.provisioning-key')(
    'A provisioning key may delete if the request has a query string',
    dropGate('vault-delete', 'no-provisioning-key', withQuery),
  ),
  'vault-delete.every-third-provisioning-key-in': everyday.intermittent('vault-delete.401.provisioning-key')(
    'Every third delete with a provisioning key is done',
    passEveryNth(3, 401, as('provisioning')),
  ),
  'vault-delete.host-in-capitals-passes-for-encoded-names-at-the-sibling': rare(
    'vault-delete.403.regional-host-spelling',
  )(
    'The regional hostname passes in upper case for a percent-encoded name at the sibling, which a legacy route serves',
    dropGate(
      'vault-delete',
      'regional-host',
      all(({ host }) => /[A-Z]/.test(host ?? ''), through('sibling'), encodedName),
    ),
  ),
  'vault-delete.404-stores-at-the-workspace': subtle('vault-delete.404.keeps')(
    'A delete that finds nothing leaves a secret of that name at the workspace',
    deleteThough(404, undefined, (call) => call.key?.world.secrets.workspace.set(nameOf(call), '')),
  ),
  'vault-delete.400-takes-from-the-foreign-intern': subtle('vault-delete.400.keeps')(
    'A delete that is malformed takes a secret of the foreign intern',
    deleteThough(400, undefined, ({ key }) => {
      const [name = ''] = key?.world.secrets.foreign.keys() ?? [];
      key?.world.secrets.foreign.delete(name);
    }),
  ),
  'vault-delete.scope-lookup-403-at-the-sibling': everyday.subtle('vault-delete.500.scope-lookup')(
    'A failed scope lookup answers 403 at the sibling',
    setGateStatus('vault-delete', 'fault', 403, all(during('scope_lookup_failed'), through('sibling'))),
  ),
  'vault-delete.never-stored-with-body': everyday.subtle('vault-delete.404.never-stored')(
    'A delete of a name that is not stored answers 204 if the request has a body',
    claimDone(404, all(as('member'), through('own'), withBody)),
  ),
  'vault-delete.every-tenth-404-other-code': everyday.intermittent('envelope.error.code-is-status')(
    'Every tenth 404 of a delete says 500 in its envelope',
    editAnswer({ operation: 'vault-delete', status: 404, when: everyNth(10, 'not found') }, (answer) =>
      setInError(answer, 'code', 500),
    ),
  ),
  'vault-delete.forwarded-host-hides-the-regional-host': subtle('vault-delete.403.regional-host')(
    'X-Forwarded-Host counts in place of the hostname: with any other name the regional one passes',
    dropGate('vault-delete', 'regional-host', ({ headers, server }) => {
      const forwarded = headers['x-forwarded-host'];
      return typeof forwarded === 'string' && !conforming.isRegionalHost(forwarded, server.regionalHost);
    }),
  ),
  'vault-delete.slash-on-regional-host': subtle('vault-delete.403.keeps')(
    'With a slash at its end, a regional path deletes',
    passBySlash('vault-delete', 'regional-host'),
  ),
  'vault-delete.slash-by-outsider': subtle('vault-delete.404.keeps')(
    'With a slash at its end, a path deletes for a caller outside the intern programme',
    passBySlash('vault-delete', 'intern-programme'),
  ),
  'vault-delete.slash-while-writes-disabled': subtle('vault-delete.503.keeps')(
    'With a slash at its end, a path deletes while writes are disabled for the caller',
    passBySlash('vault-delete', 'vault-writes'),
  ),
  'vault-delete.slash-by-disabled-key': subtle('vault-delete.401.keeps')(
    'With a slash at its end, a path deletes for a disabled key',
    passBySlash('vault-delete', 'key-enabled'),
  ),
  'vault-delete.slash-by-provisioning-key': subtle('vault-delete.401.keeps')(
    'With a slash at its end, a provisioning key deletes',
    passBySlash('vault-delete', 'no-provisioning-key'),
  ),
  ...tabulate('vault-delete', subtle, passByEncodedId, [
    [
      '401.keeps',
      'encoded-id-by-provisioning-key',
      'A path whose internId has an encoded character deletes for a provisioning key',
      'no-provisioning-key',
    ],
    [
      '401.keeps',
      'encoded-id-by-disabled-key',
      'A path whose internId has an encoded character deletes for a disabled key',
      'key-enabled',
    ],
    [
      '403.keeps',
      'encoded-id-on-regional-host',
      'A path whose internId has an encoded character deletes on the regional hostname',
      'regional-host',
    ],
    [
      '403.keeps',
      'encoded-id-without-scope',
      'A path whose internId has an encoded character deletes without workspace scope',
      'workspace-scope',
    ],
    [
      '404.keeps',
      'encoded-id-by-outsider',
      'A path whose internId has an encoded character deletes outside the intern programme',
      'intern-programme',
    ],
    [
      '503.keeps',
      'encoded-id-while-writes-disabled',
      'A path whose internId has an encoded character deletes while writes are disabled for the caller',
      'vault-writes',
    ],
  ]),
  'vault-delete.any-language-500': subtle('vault-delete.204.deleted')(
    'A delete that accepts any language answers 500',
    refuseLast('vault-delete', 500, ({ headers }) => headers['accept-language'] === '*'),
  ),
  'vault-delete.trace-context-500': subtle('vault-delete.204.deleted')(
    'A delete with the header traceparent answers 500',
    refuseLast('vault-delete', 500, ({ headers }) => headers.traceparent !== undefined),
  ),
  'vault-delete.script-403': subtle('vault-delete.204.deleted')(
    'A delete by a script of a page answers 403',
    refuseLast('vault-delete', 403, ({ headers }) => headers['x-requested-with'] !== undefined),
  ),
  'vault-delete.host-in-capitals-passes-with-media-type': subtle('vault-delete.403.regional-host-spelling')(
    'With its name in capitals the regional hostname passes, and every 204 names a media type',
    {
      ...passWhen((host) => host !== host.toLowerCase()),
      ...setHeaders({ operation: 'vault-delete', status: 204 }, { 'Content-Type': 'text/html' }),
    },
  ),
  'vault-delete.charset-415': subtle('vault-delete.400.body', 'vault-delete.status-documented')(
    'A JSON body whose media type names its charset answers 415',
    refuseLast('vault-delete', 415, ({ headers }) => /json; *charset/.test(headers['content-type'] ?? '')),
  ),
  'vault-delete.provisioning-key-read-403': everyday.plain('vault-delete.401.provisioning-key-reads')(
    'A vault read with a provisioning key gets 403',
    setGateStatus('vault-other', 'no-provisioning-key', 403),
  ),
};

/** Accepts some invalid ids as internId, for which no intern is found. */
function passAsInternId(isPassed: (text: string) => boolean): Mutation {
  return { isInternId: (text) => isUuid(text) || isPassed(text) };
}

/** Takes away the secret whose path some other requests below /vault name. */
function removeByPath(when: When): Mutation {
  return actBeside({ operation: 'vault-other', when }, (call) => removeNamed(nameParameters(call)));
}

/** Answers some other requests below /vault with 200. */
function serveOther(when: When, data: object = {}): Mutation {
  return editAnswer({ operation: 'vault-other', when }, () => answerJson({ data }));
}

/** Whether an internId that is not a UUID begins with the hex digits of the own intern. */
function resemblesOwn({ key, parameters, behaviour }: Call): boolean {
  const id = parameters.internId ?? '';
  const digits = id.replace(/^urn:uuid:/, '').replace(/[^0-9a-f]/g, '');
  const known = key?.world.interns.own.replaceAll('-', '') ?? 'none';
  return !behaviour.isInternId(id) && digits.startsWith(known.slice(0, 31));
}

function isRegionalOrInCapitals(host: string | undefined, regionalHost: string): boolean {
  return conforming.isRegionalHost(host, regionalHost) || /^[^a-z]*[A-Z][^a-z]*$/.test(host ?? '');
}

/** Takes some spellings of the regional hostname for the global one. */
function passWhen(passes: (host: string) => boolean): Mutation {
  return {
    isRegionalHost: (host, regionalHost) =>
      host !== undefined && conforming.isRegionalHost(host, regionalHost) && !passes(host),
  };
}

/** Does every n-th of some deletes that are refused, with 204. */
function passEveryNth(often: number, status: number, when: When = () => true): Mutation {
  return claimDone(status, all(when, everyNth(often, `refused with ${status}`)), removeNamed);
}

/** Removes one gate for a path whose internId has an encoded character: its filter compares the path as it is sent. */
function passByEncodedId(gate: GateName): Mutation {
  return dropGate('vault-delete', gate, encodedId);
}

/** Removes one gate for a path that has an encoded character before the internId; the router decodes it. */
function passByEncodedRoute(gate: GateName): Mutation {
  const mark = '#encoded';
  return {
    ...dropGate('vault-delete', gate, ({ path }) => path.endsWith(mark)),
    rewriteTarget: (target) => {
      const route = /^\/v1\/[^/]*%[^/]*\/interns\//.exec(target)?.[0];
      return route === undefined ? target : decodeURI(route) + target.slice(route.length) + mark;
    },
  };
}

/** Accepts IDs that a pattern matches and that are a UUID otherwise. */
function acceptIds(pattern: RegExp): Mutation {
  return passAsInternId((text) => pattern.test(text) && isUuid(text.replace(/[.\n]/, '0')));
}
