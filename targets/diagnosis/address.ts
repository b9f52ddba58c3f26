import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '../agents.js';
import type { Received } from '../client.js';
import { explainConnectionError } from '../connection-errors.js';
import { type Answer, describeOutcome, header } from '../exchange.js';
import type { Target } from '../target.js';
import {
  isOfService,
  type ProbeClient,
  type ProfileFinding,
  readJsonObject,
  reportNote,
  reportOk,
  reportWrong,
} from './probe-client.js';

/** What answers at the address of a profile. */
export interface AddressExam {
  readonly findings: readonly ProfileFinding[];
  readonly answeredBy: 'the-service' | 'somebody-else' | 'nobody';
  /** The answer to the first request, and when its sending began, in milliseconds since 1970. */
  readonly answer?: Answer;
  readonly askedAt: number;
}

const baseUrlMember = 'target.base_url';
const regionalMember = 'target.regional_base_url';

type Words = readonly [text: string, todo: string];

/** Requests /key without a key: no key is sent before it is known what answers. */
export async function examineAddress(probes: ProbeClient): Promise<AddressExam> {
  const { target } = probes;
  const { baseUrl } = target;
  const askedAt = Date.now();
  const received = await probes.readKey();
  const { answer } = received;
  const exam = (answeredBy: AddressExam['answeredBy'], finding: ProfileFinding): AddressExam => ({
    findings: [finding, ...describeConnection(target)],
    answeredBy,
    ...(answer === undefined ? {} : { answer }),
    askedAt,
  });
  if (answer === undefined)
    return exam('nobody', reportUnreachable(baseUrlMember, baseUrl, received, target));
  if (!isForeign(answer)) return exam('the-service', describeService(answer, baseUrl));
  const meant = guessBaseUrl(baseUrl);
  if (meant !== undefined && (await isServed(probes, meant.baseUrl))) {
    const text = `${baseUrl} answers GET /key with ${answer.status}, and ${meant.baseUrl} answers as the service does: ${meant.fault}`;
    return exam('somebody-else', reportWrong(baseUrlMember, text, `Write target.base_url: ${meant.baseUrl}`));
  }
  return exam('somebody-else', reportWrong(baseUrlMember, ...describeForeign(answer, target, baseUrl)));
}

/** Examines whether a separate regional address can be reached (§5.5); the vault shows whether it is regional. */
export async function examineRegionalAddress(probes: ProbeClient): Promise<readonly ProfileFinding[]> {
  const { target } = probes;
  const { baseUrl } = target.regional;
  if (baseUrl === undefined) return [];
  const received = await probes.readKey({ base: baseUrl });
  const { answer } = received;
  if (answer === undefined) return [reportUnreachable(regionalMember, baseUrl, received)];
  return isForeign(answer)
    ? [reportWrong(regionalMember, ...describeForeign(answer, target, baseUrl))]
    : [reportOk(regionalMember, `${baseUrl} answers (${describeOutcome(received)})`)];
}

/** Guesses what was meant by a base URL without a version segment, or with a part of its path twice. */
function guessBaseUrl(baseUrl: string) {
  const doubled = findDoubledPath(baseUrl);
  if (doubled !== undefined)
    return {
      baseUrl: baseUrl.slice(0, -doubled.length),
      fault: `the path looks wrong, it has ${doubled} twice`,
    };
  if (/\/v\d+$/.test(baseUrl)) return undefined;
  return { baseUrl: `${baseUrl}/v1`, fault: 'the version segment is missing' };
}

/** Returns what the end of a path repeats, such as `/v1` of `/v1/v1`. */
function findDoubledPath(baseUrl: string): string | undefined {
  return /((?:\/[^/]+)+)\1$/.exec(new URL(baseUrl).pathname)?.[1];
}

async function isServed(probes: ProbeClient, base: string): Promise<boolean> {
  const { answer } = await probes.readKey({ base });
  return answer !== undefined && answer.status !== 404 && isOfService(answer);
}

/** Describes the connection to the target, whatever answers there. */
function describeConnection({ client, baseUrl }: Target): readonly ProfileFinding[] {
  const findings: ProfileFinding[] = [];
  if (client.agents.isProxied(baseUrl)) {
    const text = `requests go through ${proxyHost(baseUrl)}, as the environment says; what needs a direct connection is not exercised`;
    findings.push(reportNote('proxy', text, 'Add the host to NO_PROXY to go there directly'));
  }
  if (!isLoopback(baseUrl) && baseUrl.startsWith('http:')) {
    const text = 'keys and values go over the network in the clear';
    findings.push(reportNote(baseUrlMember, text, 'Write https:// if the service has it'));
  }
  if (client.agents.isInsecure) findings.push(reportNote('tls.insecure', 'any certificate is accepted'));
  return findings;
}

/** Names a proxy by its host: the URL may contain a password. */
function proxyHost(baseUrl: string): string {
  const proxy = getProxyForUrl(baseUrl);
  return URL.canParse(proxy) ? `the proxy ${new URL(proxy).host}` : 'a proxy';
}

function reportUnreachable(what: string, url: string, received: Received, target?: Target): ProfileFinding {
  const isProxied = target?.client.agents.isProxied(url) === true;
  const { text, todo } = explainConnectionError(received, { isTls: url.startsWith('https:'), isProxied });
  return reportWrong(what, `${url} cannot be reached: ${text}`, todo);
}

/** Whether an answer is certainly not the service's. */
function isForeign(answer: Answer): boolean {
  const { status } = answer;
  if (status >= 300 && status < 400) return true;
  if (readJsonObject(answer) === undefined) return true;
  return status === 404 || (status < 300 && !isOfService(answer));
}

function describeService(answer: Answer, baseUrl: string): ProfileFinding {
  const { status } = answer;
  const got = `${baseUrl} answers GET /key without a key with ${status}`;
  if (status >= 500 || status === 429)
    return reportWrong(baseUrlMember, got, 'Try again once the service is available');
  if (status < 300)
    return reportNote(baseUrlMember, `${got}; the document asks for 401`, 'A run will judge it');
  if (isOfService(answer)) return reportOk(baseUrlMember, `${got}, as the service does`);
  return reportNote(
    baseUrlMember,
    `${got} and a JSON body that is not the envelope of the service`,
    'If a gateway in front answers, give what it asks for under headers; if not, a run will judge it',
  );
}

/** Describes what answers instead of the service, with every secret redacted. */
function describeForeign(received: Answer, { redactor }: Target, baseUrl: string): Words {
  const headers = received.headers.map(([name, value]) => [name, redactor.redact(value)] as const);
  const answer: Answer = { ...received, headers, text: redactor.redact(received.text) };
  const { status } = answer;
  const got = `${baseUrl} answers GET /key with ${status}`;
  if (status >= 300 && status < 400) return describeRedirect(got, header(answer, 'location'), baseUrl);
  if (status === 407)
    return [`${got}: a proxy requires a password`, 'Add it to the URL of the proxy in the environment'];
  const isJson = readJsonObject(answer) !== undefined;
  const doubled = findDoubledPath(baseUrl);
  if (doubled !== undefined) {
    const what = isJson ? '' : ` and ${describeBody(answer)} instead of JSON`;
    return [
      `${got}${what}: the path looks wrong, it has ${doubled} twice`,
      `Check the path of ${baseUrlMember}`,
    ];
  }
  if (!isJson)
    return [
      `${got} and ${describeBody(answer)} instead of JSON: an edge, a proxy or another server answers instead of the service`,
      status >= 502 && status <= 504
        ? 'Check that the service behind it is up, and the address'
        : 'Check the address; if an edge wants a sign-in or a header, give the header under headers',
    ];
  if (status === 404) {
    const todo =
      'Check the path of target.base_url: paths are appended to it, and it ends with the version segment';
    return [`${got}: there is no such path below it`, todo];
  }
  const text = `${got} and JSON that is no Key information: another server answers`;
  return [text, 'Check the host and the path of target.base_url'];
}

function describeRedirect(got: string, location: string | undefined, baseUrl: string): Words {
  if (location === undefined || !URL.canParse(location, `${baseUrl}/key`))
    return [`${got}, a redirect that leads nowhere`, 'Check the address with whoever runs it'];
  // The query or the password may be a secret.
  const { origin, pathname } = new URL(location, `${baseUrl}/key`);
  if (!/\/key\/?$/.test(pathname))
    return [
      `${got}, a redirect to ${origin}${shorten(pathname)}: an edge that asks for a sign-in, or another server`,
      'Give the address of the service itself, or what lets a program through under headers',
    ];
  const base = `${origin}${pathname.replace(/\/key\/?$/, '')}`;
  return [
    `${got}, a redirect to ${origin}; redirects are not followed, since a key must not go elsewhere`,
    base === baseUrl ? 'Have it answer without a redirect' : `Write target.base_url: ${shorten(base)}`,
  ];
}

/** Names a body by its title where it is a page, else by its media type. */
function describeBody(answer: Answer): string {
  const title = /<title[^>]*>([^<]*)/i.exec(answer.text)?.[1]?.trim() ?? '';
  const server = header(answer, 'server');
  const by = server === undefined ? '' : ` (Server: ${shorten(server)})`;
  if (title !== '') return `a page titled "${shorten(title)}"${by}`;
  const type = header(answer, 'content-type')?.split(';')[0] ?? '';
  return `${type === '' ? 'no media type' : `the media type ${shorten(type)}`}${by}`;
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
