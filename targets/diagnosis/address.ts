import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '../agents.js';
import type { Received } from '../client.js';
import { lossOf } from '../connection-errors.js';
import { type Answer, header, isJsonMediaType, isObject, json } from '../exchange.js';
import type { Redactor } from '../redaction.js';
import type { Target } from '../target.js';
import { type Asker, type Finding, isTheService, outcome } from './probe-client.js';

/** Who answers at the address of a profile. */
export interface AddressExam {
  readonly findings: readonly Finding[];
  readonly answeredBy: 'the-service' | 'somebody-else' | 'nobody';
  /** The answer to the first request, and when its sending began, in milliseconds since 1970. */
  readonly answer?: Answer;
  readonly askedAt: number;
}

const what = 'target.base_url';

/** Asks for /key without a key: what answers is seen before it is told one. */
export async function examineAddress(asker: Asker, target: Target): Promise<AddressExam> {
  const askedAt = Date.now();
  const received = await asker.readKey();
  const around = surroundings(target);
  const { answer } = received;
  if (answer === undefined) {
    const findings = [unreachable(received, target), ...around];
    return { findings, answeredBy: 'nobody', askedAt };
  }
  const foreign = isForeign(answer) ? await foreignFinding(answer, asker, target) : undefined;
  return {
    findings: [foreign ?? served(answer, target.baseUrl), ...around],
    answeredBy: foreign === undefined ? 'the-service' : 'somebody-else',
    answer,
    askedAt,
  };
}

/** What is known of the way to the target, whoever answers. */
function surroundings({ client, baseUrl }: Target): readonly Finding[] {
  const findings: Finding[] = [];
  if (client.agents.isProxied(baseUrl)) {
    findings.push({
      what: 'proxy',
      state: 'note',
      text: `requests go through ${proxyHost(baseUrl)}, which the environment names; what needs the bare connection is not exercised`,
      todo: 'Add the host to NO_PROXY to go there directly',
    });
  }
  if (!isLoopback(baseUrl) && baseUrl.startsWith('http:')) {
    const text = 'keys and values go over the network in the clear';
    findings.push({ what, state: 'note', text, todo: 'Write https:// if the service has it' });
  }
  if (client.agents.isInsecure)
    findings.push({ what: 'tls.insecure', state: 'note', text: 'any certificate is accepted' });
  return findings;
}

/** The host of a proxy, without the password that its URL may hold. */
function proxyHost(baseUrl: string): string {
  const proxy = getProxyForUrl(baseUrl);
  return URL.canParse(proxy) ? `the proxy ${new URL(proxy).host}` : 'a proxy';
}

function unreachable(received: Received, { baseUrl, client }: Target): Finding {
  const { text, todo } = lossOf(received, baseUrl.startsWith('https:'));
  const through = client.agents.isProxied(baseUrl) ? ' (through the proxy)' : '';
  return { what, state: 'wrong', text: `${baseUrl} cannot be reached${through}: ${text}`, todo };
}

/** Whether what answered is certainly not the service's operation. */
function isForeign(answer: Answer): boolean {
  const { status } = answer;
  if (status >= 300 && status < 400) return true;
  if (!isObject(isJsonMediaType(answer) ? json(answer) : undefined)) return true;
  return status === 404 || (status < 300 && !isTheService(answer));
}

function served(answer: Answer, baseUrl: string): Finding {
  const told = `${baseUrl} answers GET /key without a key with ${answer.status}`;
  const { status } = answer;
  if (status >= 500 || status === 429)
    return { what, state: 'wrong', text: told, todo: 'Try again when the service is well' };
  if (status < 300)
    return { what, state: 'note', text: `${told}; the document asks for 401`, todo: 'A run will tell' };
  if (!isTheService(answer)) {
    const text = `${told} and a JSON body that is not the envelope of the service`;
    const todo =
      'If a gateway in front answers, give what it asks for under headers; if not, a run will tell';
    return { what, state: 'note', text, todo };
  }
  return { what, state: 'ok', text: `${told}, as the service does` };
}

async function foreignFinding(answer: Answer, asker: Asker, target: Target): Promise<Finding> {
  const { baseUrl } = target;
  if (!/\/v\d+$/.test(baseUrl)) {
    const versioned = `${baseUrl}/v1`;
    const { answer: there } = await asker.readKey({ base: versioned });
    if (there !== undefined && there.status !== 404 && isTheService(there)) {
      return {
        what,
        state: 'wrong',
        text: `${baseUrl} answers GET /key with ${answer.status}, and ${versioned} answers as the service does: the version segment is missing`,
        todo: `Write target.base_url: ${versioned}`,
      };
    }
  }
  return { what, state: 'wrong', ...foreignWords(answer, target) };
}

function foreignWords(
  received: Answer,
  { redactor, ...target }: Pick<Target, 'baseUrl' | 'redactor'>,
  baseUrl = target.baseUrl,
): Pick<Finding, 'text' | 'todo'> {
  const answer = redacted(received, redactor);
  const { status } = answer;
  const told = `${baseUrl} answers GET /key with ${status}`;
  if (status >= 300 && status < 400) return redirectWords(told, header(answer, 'location'), baseUrl);
  if (status === 407)
    return {
      text: `${told}: a proxy wants a password`,
      todo: 'Put it into the proxy that the environment names',
    };
  const body = isJsonMediaType(answer) ? json(answer) : undefined;
  if (!isObject(body)) {
    return {
      text: `${told} and ${describedBody(answer)} in place of JSON: an edge, a proxy or another server answers in place of the service`,
      todo:
        status >= 502 && status <= 504
          ? 'Check that the service behind it is up, and the address'
          : 'Check the address; if an edge wants a sign-in or a header, give the header under headers',
    };
  }
  if (status === 404) {
    return {
      text: `${told}: there is no such path below it`,
      todo: 'Check the path of target.base_url: paths are appended to it, and it ends with the version segment',
    };
  }
  return {
    text: `${told} and JSON without a data object: another server answers`,
    todo: 'Check the host and the path of target.base_url',
  };
}

/** An answer without secrets, so that parts of it can be told. */
function redacted(answer: Answer, redactor: Redactor): Answer {
  const headers = answer.headers.map(([name, value]) => [name, redactor.redact(value)] as const);
  return { ...answer, headers, text: redactor.redact(answer.text) };
}

function redirectWords(
  told: string,
  location: string | undefined,
  baseUrl: string,
): Pick<Finding, 'text' | 'todo'> {
  if (location === undefined || !URL.canParse(location, `${baseUrl}/key`)) {
    return { text: `${told}, a redirect that leads nowhere`, todo: 'Check the address with whoever runs it' };
  }
  // Neither a query nor a password of it is anybody's business.
  const { origin, pathname } = new URL(location, `${baseUrl}/key`);
  if (!/\/key\/?$/.test(pathname)) {
    return {
      text: `${told}, a redirect to ${origin}${shortened(pathname)}: an edge that asks for a sign-in, or another server`,
      todo: 'Give the address of the service itself, or what lets a program through under headers',
    };
  }
  const base = `${origin}${pathname.replace(/\/key\/?$/, '')}`;
  return {
    text: `${told}, a redirect to ${origin}; redirects are not followed, for a key must not go where nobody sent it`,
    todo:
      base === baseUrl ? 'Have it answer without a redirect' : `Write target.base_url: ${shortened(base)}`,
  };
}

/** What kind of body came: its title where it is a page, its media type elsewhere. */
function describedBody(answer: Answer): string {
  const title = /<title[^>]*>([^<]*)/i.exec(answer.text)?.[1]?.trim() ?? '';
  const server = header(answer, 'server');
  const by = server === undefined ? '' : ` (Server: ${shortened(server)})`;
  if (title !== '') return `a page titled "${shortened(title)}"${by}`;
  const type = header(answer, 'content-type')?.split(';')[0] ?? '';
  return `${type === '' ? 'no media type' : `the media type ${shortened(type)}`}${by}`;
}

function shortened(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** Whether a regional address of its own can be reached (§5.5); whether it is regional, the vault tells. */
export async function examineRegionalAddress(asker: Asker, target: Target): Promise<readonly Finding[]> {
  const { baseUrl } = target.regional;
  if (baseUrl === undefined) return [];
  const received = await asker.readKey({ base: baseUrl });
  const place = 'target.regional_base_url';
  if (received.answer === undefined) {
    const { text, todo } = lossOf(received, baseUrl.startsWith('https:'));
    return [{ what: place, state: 'wrong', text: `${baseUrl} cannot be reached: ${text}`, todo }];
  }
  if (isForeign(received.answer)) {
    return [{ what: place, state: 'wrong', ...foreignWords(received.answer, target, baseUrl) }];
  }
  return [{ what: place, state: 'ok', text: `${baseUrl} answers (${outcome(received)})` }];
}
