import { beginCurl, reportExchange } from '../../judge/evidence.js';
import { listValues, type Replayed, type ReplayStep } from '../../judge/replay.js';
import { sanitizeLine } from '../../reports/sanitize.js';
import type { RawHeaders } from '../../targets/exchange.js';
import { keyVariable } from '../../targets/profile/given-values.js';
import { hideCredentials } from '../../targets/store-recipes.js';
import type { Target } from '../../targets/target.js';
import type { Outgoing } from '../../targets/transports.js';
import { NamedValues, type Piece, writeShellWord } from './named-values.js';

/** A request of a replay, as it is printed. */
export interface WrittenStep {
  readonly method: string;
  readonly url: readonly Piece[];
  readonly headers: readonly (readonly [name: string, value: readonly Piece[]])[];
  readonly body?: readonly Piece[] | undefined;
  readonly isStalled?: true | undefined;
  readonly isParallel?: true | undefined;
  /** What the request asks for or arranges. */
  readonly label: string;
  readonly expected?: string | undefined;
  /** The status, or why there is none. */
  readonly got: string;
  readonly answer: string;
  /** The number of the world that it opens, from 1. */
  readonly makes?: number;
}

/** A secret that is stored by a command of the profile. */
export interface StoredStep {
  readonly line: string;
}

/** Names the secrets and ids of a replay in printed steps; the user's own variables come first. */
export function nameValues({ worlds }: Replayed, target: Target, token: string | undefined) {
  // For curl lines.
  const secrets = new Map<string, string>();
  // With the ids of worlds, for scripts, which open worlds of their own.
  const all = new Map<string, string>();
  // The keys that the control protocol handed out, by variable.
  const ofWorlds = new Map<string, string>();
  const { profile } = target;
  for (const [name, value] of Object.entries(profile?.secrets ?? {})) secrets.set(value, name);
  for (const [role, key] of Object.entries(profile?.keys ?? {}))
    if (!secrets.has(key)) secrets.set(key, keyVariable(role));
  for (const [scope, { key = '' }] of Object.entries(profile?.store?.scopes ?? {}))
    if (key !== '' && !secrets.has(key)) secrets.set(key, keyVariable(scope));
  if (token !== undefined) secrets.set(token, 'PLUMBLINE_CONTROL_TOKEN');
  for (const [at, world] of (target.controlled ? worlds : []).entries()) {
    for (const [name, value] of listValues(world)) {
      const [what, role] = name.split('.');
      if (!all.has(value)) all.set(value, `world${at + 1}.${name}`);
      if (what !== 'keys' || role === undefined || secrets.has(value)) continue;
      const variable = `${keyVariable(role)}${at === 0 ? '' : `_${at + 1}`}`;
      secrets.set(value, variable);
      ofWorlds.set(variable, value);
    }
  }
  for (const [value, name] of secrets) if (!ofWorlds.has(name)) all.set(value, `env.${name}`);
  const isKey = (name: string) => /^env\.|\.keys\./.test(name);
  return { secrets: new NamedValues(secrets, () => true), all: new NamedValues(all, isKey), ofWorlds };
}

/** Converts steps for printing; omits listings of secrets unless the finding depends on them. */
export function writeSteps(
  steps: readonly ReplayStep[],
  target: Target,
  names: NamedValues,
  inspects: boolean,
): readonly (WrittenStep | StoredStep)[] {
  const number = { made: 0 };
  return steps
    .filter((step) => inspects || step.kind !== 'arranged' || step.outgoing.method !== 'GET')
    .map((step) => writeStep(step, target, names, number));
}

function writeStep(
  step: ReplayStep,
  target: Target,
  names: NamedValues,
  number: { made: number },
): WrittenStep | StoredStep {
  if (step.kind === 'stored') return { line: writeStoreLine(step, target, names) };
  const { mark } = target.canaries;
  const storedValue = new RegExp(`${mark}-(\\d+)-${mark}`, 'g');
  const split = (text: string) => names.split(text.replace(storedValue, 'stored-value-$1'));
  const headers = (raw: RawHeaders) =>
    raw.map(([name, value]) => {
      const pieces = split(value);
      // A header of the profile without a variable stays hidden.
      const isNamed = pieces.some((piece) => typeof piece !== 'string');
      return [name, isNamed ? pieces : [target.redactor.redactHeader(name, value)]] as const;
    });
  if (step.kind === 'asked') {
    const { exchange } = step;
    const { request, answer, lost, label, due, isStalled, isParallel } = exchange;
    const { response } = reportExchange(exchange, target.redactor);
    return {
      method: request.method,
      url: split(request.url),
      headers: headers(request.headers),
      body: request.body === undefined ? undefined : split(request.body),
      ...{ isStalled, isParallel, label },
      expected: due?.join(' or '),
      got: answer === undefined ? (lost ?? 'no answer') : String(answer.status),
      answer: response?.body ?? '',
    };
  }
  const { outgoing, received } = step;
  const isWorld = outgoing.method === 'POST' && outgoing.path.split('?')[0] === '/worlds';
  if (isWorld) number.made += 1;
  return {
    method: outgoing.method,
    url: split(`${outgoing.base}${outgoing.path}`),
    headers: headers(Object.entries(outgoing.headers)),
    body: outgoing.body === undefined ? undefined : split(outgoing.body),
    label: isWorld ? 'open a world' : explainArranging(outgoing),
    got: received.answer === undefined ? received.lost : String(received.answer.status),
    answer: '',
    ...(isWorld ? { makes: number.made } : {}),
  };
}

function explainArranging({ method, path }: Outgoing): string {
  const [, what = path] = /^\/worlds\/[^/]+\/([^?]*)/.exec(path) ?? [];
  const [, scope] = /^secrets\/(\w+)\//.exec(what) ?? [];
  if (scope !== undefined) return `store a secret (${scope})`;
  return method === 'GET' ? `list the ${what}` : `set ${what}`;
}

function writeStoreLine(
  { world, name }: Extract<ReplayStep, { kind: 'stored' }>,
  { redactor }: Target,
  names: NamedValues,
): string {
  const step = world.storeSteps?.findLast((one) => one.name === name)?.step;
  if (step === undefined || !('run' in step))
    return `# ${name} is stored already: store.names of the profile`;
  const set = Object.entries(step.environment).map(
    ([variable, value]) => `${variable}=${writeShellWord([value])}`,
  );
  const shown = hideCredentials(step.run.map((word) => redactor.redact(word)));
  const words = step.run.map((word, at) => {
    const hidden = shown[at] ?? '';
    return writeShellWord(hidden.includes('<redacted>') ? [hidden] : names.split(word));
  });
  return [...set, ...words].join(' ');
}

function writeCurlLine({ method, url, headers, body, isStalled }: WrittenStep): string {
  const fields = headers.map(([name, value]) => {
    const isEmpty = value.length === 0 || (value.length === 1 && value[0] === '');
    return `-H ${writeShellWord(isEmpty ? [`${name};`] : [`${name}: `, ...value])}`;
  });
  const curl = [beginCurl({ method, body }), ...fields];
  if (isStalled) return `(printf '{'; sleep 10) | ${[...curl, '-T -', writeShellWord(url)].join(' ')}`;
  return [
    ...curl,
    ...(body === undefined ? [] : [`--data-raw ${writeShellWord(body)}`]),
    writeShellWord(url),
  ].join(' ');
}

const answerShown = 600;

/** Renders a step: its curl line, what was expected and what was got. */
export function renderStep(step: WrittenStep | StoredStep, at: number): readonly string[] {
  if ('line' in step) return [`${at}. store a secret`, `   ${step.line}`, ''];
  const { label, expected, got, answer } = step;
  const shown = answer.length > answerShown ? `${answer.slice(0, answerShown)} …` : answer;
  return [
    `${at}. ${sanitizeLine(label)}`,
    `   ${sanitizeLine(writeCurlLine(step))}`,
    `   ${expected === undefined ? '' : `expected ${expected}, `}got ${sanitizeLine(got)}`,
    ...(shown === '' ? [] : [`   ${sanitizeLine(shown)}`]),
    '',
  ];
}
