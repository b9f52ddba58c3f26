import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '../agents.js';
import type { Received } from '../client.js';
import { explainConnectionError } from '../connection-errors.js';
import { type Answer, describeOutcome, header, isTrouble } from '../exchange.js';
import type { Target } from '../target.js';
import {
  isOfService,
  type ProbeClient,
  type ProfileFinding,
  type ProfileProbes,
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

/** An address of the target, and the name by which messages call it. */
interface Address {
  readonly name: string;
  readonly url: string;
}

/** Names the base URL: a control may have given it, or a flag. */
const addressOf = ({ controlled, baseUrl }: Target): Address => ({
  name: controlled ? 'the base URL' : 'target.base_url',
  url: baseUrl,
});

/** Requests /key without a key: no key is sent before it is known what answers. */
export async function examineAddress(probes: ProbeClient): Promise<AddressExam> {
  const { target } = probes;
  const { baseUrl } = target;
  const address = addressOf(target);
  const askedAt = Date.now();
  const received = await probes.readKey();
  const { answer } = received;
  const exam = (answeredBy: AddressExam['answeredBy'], finding: ProfileFinding): AddressExam => ({
    findings: [finding, ...describeConnection(target)],
    answeredBy,
    ...(answer === undefined ? {} : { answer }),
    askedAt,
  });
  if (answer === undefined) return exam('nobody', reportUnreachable(address, received, target));
  if (!isForeign(answer)) return exam('the-service', describeService(answer, address));
  const meant = guessBaseUrl(baseUrl);
  const { answer: there } = meant === undefined ? {} : await probes.readKey({ base: meant.baseUrl });
  if (meant !== undefined && there !== undefined && there.status !== 404 && isOfService(there)) {
    const text = `${baseUrl} answers GET /key with ${answer.status}, and ${meant.baseUrl} answers as the service does: ${meant.fault}`;
    return exam('somebody-else', reportWrong(address.name, text, adviseToWrite(address, meant.baseUrl)));
  }
  return exam('somebody-else', describeForeign(answer, target, address));
}

/** Examines whether a separate regional address can be reached (§5.5); the vault shows whether it is regional. */
export async function examineRegionalAddress(probes: ProbeClient): Promise<readonly ProfileFinding[]> {
  const { target } = probes;
  const { baseUrl: url } = target.regional;
  if (url === undefined) return [];
  const address: Address = { name: 'target.regional_base_url', url };
  const received = await probes.readKey({ base: url });
  const { answer } = received;
  if (answer === undefined) return [reportUnreachable(address, received)];
  return isForeign(answer)
    ? [describeForeign(answer, target, address)]
    : [reportOk(address.name, `${url} answers (${describeOutcome(received)})`)];
}

/** Says what to write in place of a wrong address. */
const adviseToWrite = ({ name }: Address, url: string): string => `Write ${name}: ${url}`;

/** Guesses what was meant by a base URL without a version segment, or with a part of its path twice. */
function guessBaseUrl(baseUrl: string) {
  // What the end of the path repeats, such as `/v1` of `/v1/v1`.
  const [, doubled] = /((?:\/[^/]+)+)\1$/.exec(new URL(baseUrl).pathname) ?? [];
  if (doubled !== undefined)
    return {
      baseUrl: baseUrl.slice(0, -doubled.length),
      fault: `the path looks wrong, it has ${doubled} twice`,
    };
  if (/\/v\d+$/.test(baseUrl)) return undefined;
  return { baseUrl: `${baseUrl}/v1`, fault: 'the version segment is missing' };
}

/** Describes the connection to the target, whatever answers there. */
function describeConnection(target: Target): readonly ProfileFinding[] {
  const { client, baseUrl } = target;
  const findings: ProfileFinding[] = [];
  if (client.agents.isProxied(baseUrl)) {
    const text = `requests go through ${proxyHost(baseUrl)}, as the environment says; what needs a direct connection is not exercised`;
    findings.push(reportNote('proxy', text, 'Add the host to NO_PROXY to go there directly'));
  }
  if (!isLoopback(baseUrl) && baseUrl.startsWith('http:')) {
    const text = 'keys and values go over the network in the clear';
    findings.push(reportNote(addressOf(target).name, text, 'Write https:// if the service has it'));
  }
  if (client.agents.isInsecure) findings.push(reportNote('tls.insecure', 'any certificate is accepted'));
  return findings;
}

/** Names a proxy by its host: the URL may contain a password. */
function proxyHost(baseUrl: string): string {
  const proxy = getProxyForUrl(baseUrl);
  return URL.canParse(proxy) ? `the proxy ${new URL(proxy).host}` : 'a proxy';
}

function reportUnreachable({ name, url }: Address, received: Received, target?: Target): ProfileFinding {
  const isProxied = target?.client.agents.isProxied(url) === true;
  const { text, todo } = explainConnectionError(received, { isTls: url.startsWith('https:'), isProxied });
  return reportWrong(name, `${url} cannot be reached: ${text}`, todo);
}

/** Whether an answer is certainly not the service's. */
function isForeign(answer: Answer): boolean {
  const { status } = answer;
  if (status >= 300 && status < 400) return true;
  if (readJsonObject(answer) === undefined) return true;
  return status === 404 || (status < 300 && !isOfService(answer));
}

function describeService(answer: Answer, { name, url }: Address): ProfileFinding {
  const { status } = answer;
  const got = `${url} answers GET /key without a key with ${status}`;
  if (status >= 500 || status === 429)
    return reportWrong(name, got, 'Try again once the service is available');
  if (status < 300) return reportNote(name, `${got}; the document asks for 401`, 'A run will judge it');
  if (isOfService(answer)) return reportOk(name, `${got}, as the service does`);
  return reportNote(
    name,
    `${got} and a JSON body that is not the envelope of the service`,
    'If a gateway in front answers, give what it asks for under headers; if not, a run will judge it',
  );
}

/** Describes what answers at an address instead of the service, with every secret redacted. */
function describeForeign(received: Answer, { redactor }: Target, address: Address): ProfileFinding {
  const headers = received.headers.map(([name, value]) => [name, redactor.redact(value)] as const);
  const answer: Answer = { ...received, headers, text: redactor.redact(received.text) };
  const { status } = answer;
  const { name, url } = address;
  const got = `${url} answers GET /key with ${status}`;
  const report = (text: string, todo: string) => reportWrong(name, `${got}${text}`, todo);
  if (status >= 300 && status < 400) return report(...describeRedirect(header(answer, 'location'), address));
  if (status === 407)
    return report(': a proxy requires a password', 'Add it to the URL of the proxy in the environment');
  if (readJsonObject(answer) === undefined)
    return report(
      ` and ${describeBody(answer)} instead of JSON: an edge, a proxy or another server answers instead of the service`,
      status >= 502 && status <= 504
        ? 'Check that the service behind it is up, and the address'
        : 'Check the address; if an edge wants a sign-in or a header, give the header under headers',
    );
  if (status === 404) {
    const todo = `Check the path of ${name}: paths are appended to it, and it ends with the version segment`;
    return report(': there is no such path below it', todo);
  }
  const text = ' and JSON that is not Key information: another server answers';
  return report(text, `Check the host and the path of ${name}`);
}

/** Says where a redirect leads, and what to do. */
function describeRedirect(location: string | undefined, address: Address): readonly [string, string] {
  const { url } = address;
  if (location === undefined || !URL.canParse(location, `${url}/key`))
    return [', a redirect that leads nowhere', 'Check the address with whoever runs it'];
  // The query or the password may be a secret.
  const { origin, pathname } = new URL(location, `${url}/key`);
  if (!/\/key\/?$/.test(pathname))
    return [
      `, a redirect to ${origin}${shorten(pathname)}: an edge that asks for a sign-in, or another server`,
      'Give the address of the service itself, or what lets a program through under headers',
    ];
  const base = `${origin}${pathname.replace(/\/key\/?$/, '')}`;
  return [
    `, a redirect to ${origin}; redirects are not followed, since a key must not go elsewhere`,
    base === url ? 'Have it answer without a redirect' : adviseToWrite(address, shorten(base)),
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

/** Examines whether the inference route of a profile exists: sends the member key, and a free model if there is one. */
export async function examineInferenceRoute(probes: ProfileProbes): Promise<readonly ProfileFinding[]> {
  const { inference } = probes.target;
  const { member: key } = probes.profile.keys;
  const model = inference?.free_model === undefined ? 'paid' : 'free';
  const { answer } = (await probes.infer({ key }, model)) ?? {};
  if (inference === undefined || answer === undefined) return [];
  const text = `${inference.method} ${inference.path} for a ${model} model gets ${answer.status}`;
  if (answer.status === 200) return [reportOk('inference.path', `${text}, as it should`)];
  if ([400, 404, 405].includes(answer.status))
    return [reportWrong('inference.path', text, 'Check the method, the path and the models of inference')];
  if (!isTrouble({ answer })) return [];
  const todo = 'Try again later, or give another model';
  return [reportWrong('inference.path', `${text}: the model is down or limited`, todo)];
}
