import { isRole, type MadeCredential, makeHeader } from '../generators/credential.js';
import type { DerivedId } from '../generators/ids.js';
import { hostSpellings, type PathSpelling } from '../generators/inputs.js';
import type { HostWord } from '../generators/situation.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { decodePart, type Intern, makePath, type Operation, type Role } from '../spec/vocabulary.js';
import type { ConnectionUse } from '../targets/agents.js';
import { makeInferenceBody } from '../targets/capabilities.js';
import type { InferenceRoute } from '../targets/control-client.js';
import type { Exchange } from '../targets/exchange.js';
import { keyVariable } from '../targets/profile/given-values.js';
import type { Target } from '../targets/target.js';
import { isFreshName, isLegalName, Unavailable, type World } from '../targets/world.js';
import { Call, plainRequests } from './call.js';
import { Disturbed, type PlainLabels } from './finding.js';
import type { Recorder } from './recorder.js';
import type { RequestDescription } from './request.js';
import { vaultRequestsPerWorld } from './run-limits.js';

/** An Authorization header that the catalogue does not contain. */
export interface Credential {
  readonly label: string;
  /** The value of the header; no header is sent where absent. */
  readonly header?: string;
  /** The name of the header; Authorization where absent. */
  readonly name?: string;
  /** The role whose key it carries, unless that is the role whose key is good. */
  readonly role?: Role;
}

export const noCredential: Credential = { label: 'no Authorization header' };

/** The hostname that a request is sent to, or a spelling of it that the catalogue does not contain. */
type RequestHost = HostWord | { readonly label: string; readonly host: string };

/** A part of a path that is sent as it is, not percent-encoded. */
export interface RawPart {
  readonly label: string;
  readonly raw: string;
}

export interface RequestOptions {
  /** The role whose key is sent, the way in which a good key is altered, or another header; `member` where absent. */
  readonly as?: Role | MadeCredential | Credential;
  readonly at?: RequestHost;
  /** Another spelling of the path, which need not reach the operation. */
  readonly spelling?: PathSpelling;
  readonly query?: string | undefined;
  readonly body?: { readonly text: string; readonly type: string };
  readonly method?: string | undefined;
  /** Headers that have nothing to do with the request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Over one kept from before where absent. */
  readonly connection?: ConnectionUse | undefined;
  /**
   * Whether the request surely reaches the operation; otherwise only its envelope is judged. Where absent, it does unless
   * the hostname is spelled differently, which may route it elsewhere.
   */
  readonly reaches?: Exchange['reaches'] | undefined;
}

/** A delete of an intern's secret (§4.1). */
export interface DeleteRequest extends RequestOptions {
  readonly intern?: Intern | RawPart | DerivedId;
  readonly name: string | RawPart;
}

/** A read of a guardrail (§4.2). */
export interface GuardrailRequest extends RequestOptions {
  /** The world's own guardrail where absent. */
  readonly id?: RawPart | DerivedId;
}

/** An inference request (§6 to §8). */
export interface InferenceRequest extends RequestOptions {
  readonly model?: 'free' | 'paid';
  readonly stream?: boolean;
  /** Members of its body that take the place of the usual ones. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** The media type of its body. */
  readonly bodyType?: string;
  /** The number, from 1, of a request that uses up a limit set by the check: a 429 to it shows no limit of the whole run. */
  readonly nth?: number;
}

/** The request line of an operation, and its labels; a plain one that is absent is the label itself. */
interface RequestLine extends Pick<InferenceRequest, 'model' | 'stream'>, Partial<PlainLabels> {
  readonly nth?: number | undefined;
  readonly wasThere?: boolean;
  readonly method: string;
  readonly path: string;
  readonly label: string;
}

// Encoded characters that firewalls of paths refuse, as that of Spring Security does: percent sign, semicolon, backslash.
const refusedByFirewalls = /%(?:25|3b|5c)|;/i;

/** Whether software in front of the service may refuse a path: no valid URI, or no text once decoded (RFC 3986, §2.1, §7.3). */
function mayBeIntercepted(path: string, query = ''): boolean {
  if (refusedByFirewalls.test(path) || decodePart(query) === undefined) return true;
  const decoded = path.includes('%') ? decodePart(path) : '';
  return decoded === undefined || /[\p{Cc}\p{Zl}\p{Zp}]/u.test(decoded);
}

// Some servers refuse an encoded sign or blank of ASCII, since it may hide a second layer of encoding.
const encodedReserved = /%(?:2[\da-cf]|3[a-f]|40|5[b-e]|60|7[b-d])/i;

/** Sends requests into one world. */
export class Api {
  #vaultRequests = 0;

  constructor(
    private readonly target: Target,
    private readonly world: World,
    private readonly recorder: Recorder,
    private readonly signal: AbortSignal,
  ) {}

  /** DELETE /vault/interns/{internId}/secrets/{name} (§4.1). */
  deleteSecret(request: DeleteRequest): Call {
    this.#vaultRequests += 1;
    if (this.#vaultRequests > vaultRequestsPerWorld)
      throw new RangeError(`a check sends more than ${vaultRequestsPerWorld} vault requests into one world`);
    const { intern: to = 'own', name: given } = request;
    const intern =
      typeof to === 'string'
        ? { label: to, raw: this.world.intern(to) }
        : resolvePart(to, () => this.world.intern('own'));
    const name =
      typeof given === 'string' ? { label: labelName(given), raw: encodeURIComponent(given) } : given;
    const text = typeof given === 'string' ? given : given.label;
    const kindOfLegal = text.length > longName ? 'a long name' : 'a name';
    const kind = isLegalName(text) ? kindOfLegal : name.label;
    return this.#call('vault-delete', request, {
      method: 'DELETE',
      path: makePath('vault-delete', intern.raw, name.raw),
      label: `${intern.label}/${name.label}`,
      plain: `${intern.label}/${kind}`,
      bare: `${intern.label === 'sibling' ? 'own' : intern.label}/${kind}`,
      wasThere: (to === 'own' || to === 'sibling') && this.world.state?.wasThere(to, text) === true,
    });
  }

  /** GET of a list of secrets. §4.1 says who may not use such routes, not whether they exist. */
  listSecrets(owner: Intern | 'workspace', request: RequestOptions = {}): Call {
    this.#vaultRequests += 1;
    const path = owner === 'workspace' ? '' : `/interns/${this.world.intern(owner)}`;
    const line = { method: 'GET', path: `/vault${path}/secrets`, label: `the secrets of ${owner}` };
    return this.#call('vault-delete', { ...request, reaches: 'perhaps' }, line);
  }

  /** GET /guardrails/{id} (§4.2). */
  readGuardrail(request: GuardrailRequest = {}): Call {
    const own = () => this.world.guardrailId();
    const id =
      request.id === undefined ? { label: 'own guardrail', raw: own() } : resolvePart(request.id, own);
    return this.#call(
      'guardrail-read',
      { as: 'management', ...request },
      { method: 'GET', path: makePath('guardrail-read', id.raw), label: id.label },
    );
  }

  /** GET /key (§4.3). */
  readKey(request: RequestOptions = {}): Call {
    return this.#call('key-info', request, { method: 'GET', path: makePath('key-info'), label: '/key' });
  }

  /** A request to the inference route that the target names. */
  infer(request: InferenceRequest = {}): Call {
    const route = this.target.inference;
    if (route === undefined) throw new Unavailable('inference');
    const model = request.model ?? this.#usualModel(route);
    const named = model === 'free' ? route.free_model : route.paid_model;
    if (named === undefined) throw new Unavailable(`inference:${model}`);
    const { stream = false, members = {}, bodyType = 'application/json', nth } = request;
    const body = { type: bodyType, text: makeInferenceBody(route.body, named, stream, members) };
    const { method, path } = route;
    const changed = Object.entries(members).map(([name, value]) => `, ${name} ${JSON.stringify(value)}`);
    const label = `${model} model${stream ? ', streamed' : ''}${changed.join('')}`;
    return this.#call('inference', { body, ...request }, { method, path, label, stream, model, nth });
  }

  /** The plain request of an operation, with options. A delete is of the given secret, or of one that is stored for it. */
  async makePlain(
    operation: Operation,
    options: RequestOptions & { readonly name?: string | undefined } = {},
  ): Promise<Call> {
    switch (operation) {
      case 'vault-delete':
        return this.deleteSecret({ ...options, name: options.name ?? (await this.world.store('own')) });
      case 'guardrail-read':
        return this.readGuardrail(options);
      case 'key-info':
        return this.readKey(options);
      case 'inference':
        return this.infer(options);
    }
  }

  /**
   * Asserts that a refused delete deleted nothing: the right one still gets 204. A 404 fails `keeps`. Says nothing of the
   * intern `foreign` where the target has no key for it.
   */
  async expectStillStored(
    secret: { readonly intern?: Intern; readonly name: string },
    keeps: RequirementId,
  ): Promise<void> {
    const { foreignKey } = this.world;
    const isForeign = secret.intern === 'foreign';
    if (isForeign && foreignKey === undefined) return;
    const as = { label: 'the key of its workspace', header: `Bearer ${foreignKey}` };
    const call = this.deleteSecret(isForeign ? { ...secret, as } : secret);
    const exchange = await call.send({ rule: keeps, statuses: [204] });
    if (exchange.answer?.status === 204) return this.recorder.pass(keeps);
    if (isForeign) {
      // The profile may give a wrong key: only one that deletes another secret there shows something.
      const another = { intern: 'foreign', name: await this.world.store('foreign'), as } as const;
      const { answer } = await this.deleteSecret(another).send('any');
      if (answer?.status !== 204) return;
    }
    if (exchange.answer?.status === 404) {
      this.recorder.fail(
        call.finding(keeps, exchange, {
          expected: '204',
          mismatch: { wrong: 'status', due: [204], secret: 'lost' },
          because: 'it was stored, and no delete of it has succeeded',
          conclusive: false,
        }),
      );
    }
    throw new Disturbed(`its positive control failed: ${call.describe(exchange)}`);
  }

  /** Whether something stands in front of the service, as its answers show. */
  get isBehindProxy(): boolean {
    return this.target.client.proxies.isInFront;
  }

  globalHost(): string {
    return new URL(this.target.baseUrl).host;
  }

  regionalHost(): string {
    if (this.target.regional.host === undefined) throw new Unavailable('regional-host');
    return this.target.regional.host;
  }

  blockedOrigin(): string {
    if (this.target.blockedOrigin === undefined) throw new Unavailable('blocked-origin');
    return this.target.blockedOrigin;
  }

  /** Free models cost nothing, but serve a shared account too few requests. */
  #usualModel({ free_model: free }: InferenceRoute): 'free' | 'paid' {
    if (free === undefined) return 'paid';
    const servesPaid = this.target.lacks('inference:paid') === undefined;
    return servesPaid && this.target.lacks('worlds') !== undefined ? 'paid' : 'free';
  }

  #call(operation: Operation, options: RequestOptions, line: RequestLine): Call {
    const { as = 'member', at = 'global', spelling, body, connection } = options;
    const { client } = this.target;
    const credential = this.#credential(as, plainRequests[operation].good);
    const { role } = credential;
    const place = this.#place(at);
    const isPlainHost = at === 'global' || at === 'regional';
    const path = spelling?.spell(line.path) ?? line.path;
    const { label, plain = label, bare = label } = line;
    const method = options.method ?? line.method;
    const spelled = spelling === undefined ? '' : ` with ${spelling.label}`;
    const withBody = body === undefined || operation === 'inference' ? '' : ' with a body';
    const labelled = (subject: string, query = options.query ?? '', end = spelled + withBody): string =>
      `${method} ${subject}${query} ${credential.label}${place.label}${end}`;
    const isOddPath = spelling !== undefined || mayBeIntercepted(line.path, options.query);
    // Software in front of the service may refuse a header that is not printable ASCII (RFC 9110, §5.5).
    const isUnprintable = Object.values(credential.headers).some((value) => /[^ -~]/.test(String(value)));
    const reachesUnrefused =
      options.reaches ?? (isPlainHost && spelling === undefined ? 'operation' : 'perhaps');
    const headers = client.identify({
      ...this.target.headers,
      ...options.headers,
      ...credential.headers,
      ...place.headers,
      ...(body === undefined ? {} : { 'Content-Type': body.type }),
    });
    const description: RequestDescription = {
      operation,
      reaches: isOddPath || isUnprintable ? 'perhaps' : reachesUnrefused,
      reachesUnrefused,
      isOddPath,
      mayBeRefusedBefore:
        encodedReserved.test(line.path) || options.headers?.['X-Forwarded-Host'] !== undefined,
      label: labelled(label),
      plainLabels: { plain: labelled(plain), bare: labelled(bare, '', '') },
      stream: line.stream ?? false,
      asked: {
        key: role ?? 'none',
        ...(at === 'global' ? {} : { host: 'other' }),
        ...(line.model === undefined ? {} : { model: line.model }),
      },
      claims: [
        ...(role === undefined || role === plainRequests[operation].good ? [] : [`role:${role}` as const]),
        ...(at === 'global' ? [] : ['regional' as const]),
        ...(line.model === 'free' ? ['inference:free' as const] : []),
      ],
      place: place.need,
      arranged: this.world.arranged,
      faults: this.world.faults,
      earlierFaults: this.world.earlierFaults,
      nth: line.nth,
      wasThere: line.wasThere === true,
      outgoing: {
        operation,
        method,
        base: place.base,
        path: `${path}${options.query ?? ''}`,
        headers,
        ...(body === undefined ? {} : { body: body.text }),
        ...(connection === undefined ? {} : { connection }),
      },
    };
    return new Call(description, this.target, this.recorder, this.signal);
  }

  /**
   * Finds who sends a request: its headers, and the role whose key they carry.
   * @param good the role whose key is good for the request
   */
  #credential(as: Role | MadeCredential | Credential, good: Role) {
    if (typeof as === 'string' && isRole(as)) {
      if (this.world.arranged !== '') this.world.assertOwnKey(as);
      return { label: `as ${as}`, role: as, headers: { Authorization: `Bearer ${this.world.key(as)}` } };
    }
    const make = (word: MadeCredential) => ({
      label: `the header ${word}`,
      header: makeHeader(word, this.world.key(good), (text) => this.world.isKey(text)),
      name: undefined,
      role: undefined,
    });
    const { label, header, name = 'Authorization', role } = typeof as === 'string' ? make(as) : as;
    // Made from a key, it may hold nearly all of it.
    for (const word of header?.split(/\s+/) ?? [])
      if (word.length >= shortestAltered)
        this.target.redactor.register(word, `$${keyVariable('member')}_ALTERED`);
    return { label: `with ${label}`, role, headers: header === undefined ? {} : { [name]: header } };
  }

  /** Finds where a request goes, and what the target must offer for it to arrive. */
  #place(place: RequestHost) {
    const base = this.target.baseUrl;
    if (place === 'global') return { label: '', base };
    if (place !== 'regional') {
      const { label, host } = typeof place === 'string' ? this.#spell(place) : place;
      const need = host.toLowerCase() === this.globalHost() ? ('host-name' as const) : ('regional' as const);
      return { label: ` on ${label}`, base, headers: { Host: host }, need };
    }
    const placed = { label: ' on the regional hostname', need: 'regional' } as const;
    const { host, baseUrl } = this.target.regional;
    if (host !== undefined) return { ...placed, base, headers: { Host: host } };
    if (baseUrl !== undefined) return { ...placed, base: baseUrl };
    throw new Unavailable('regional');
  }

  #spell(word: keyof typeof hostSpellings): Exclude<RequestHost, string> {
    if (word === 'global-spelled')
      return { label: 'the global hostname in upper case', host: hostSpellings[word](this.globalHost()) };
    const host = hostSpellings[word](this.regionalHost());
    return { label: `the host ${host}`, host };
  }
}

/** Makes the part of a path from the real id, where it is derived from one. */
function resolvePart(part: RawPart | DerivedId, real: () => string): RawPart {
  return 'of' in part ? { label: part.label, raw: part.of(real()) } : part;
}

const longName = 64;
// Longer than any scheme name, and shorter than the shortest key without its last character.
const shortestAltered = 10;

/** Labels a name. A fresh one differs each time and would make two attempts look different. */
function labelName(name: string): string {
  if (isFreshName(name)) return 'a fresh name';
  return name.length <= 40 ? name : `${name.slice(0, 20)}… (${name.length} characters)`;
}

/** What a check works with: a world of its own and requests into it. */
export interface CheckContext {
  readonly world: World;
  readonly api: Api;
  readonly signal: AbortSignal;
  offers(need: Need): boolean;
  /** Whether one of these requirements is to be decided; a replay leaves out what its finding does not need. */
  isWanted(ids: readonly RequirementId[]): boolean;
  /** Leases a second, unrelated world. */
  openWorld(): Promise<{ readonly world: World; readonly api: Api }>;
}
