import { requirement } from '../../spec/ledger.js';
import type { Failure } from '../../spec/report.js';
import { toolVersion } from '../../spec/version.js';
import type { Target } from '../../targets/target.js';
import type { Piece } from './named-values.js';
import type { StoredStep, WrittenStep } from './steps.js';

/** Marks a script as one that may be overwritten. */
export const scriptMark = 'Written by plumbline replay --script.';

/** Renders a Node script without dependencies that sends the steps of a violation again. */
export function renderScript(
  steps: readonly (WrittenStep | StoredStep)[],
  failure: Failure,
  { baseUrl }: Target,
): string {
  const { requirement: id, expected, actual, message } = failure;
  const { section, statement } = requirement(id);
  const due = listStatusesDue(failure);
  const about = { requirement: id, expected, actual, due };
  const comments = [
    `${id} (§${section}): ${statement}`,
    message,
    '',
    `${scriptMark} (${toolVersion}, against ${baseUrl})`,
    'Needs only Node 18 or later: node FILE. Reads keys that the server does not hand out from the environment.',
    due !== undefined
      ? 'Exits with 1 if the violation is reproduced, 0 if it is not, 3 if an earlier step fails.'
      : 'Exits with 1 if the last response has the status in the report (compare the bodies yourself), 0 if not, 3 if an earlier step fails.',
  ];
  return `#!/usr/bin/env node
${comments.map((line) => `// ${line.replace(/[\r\n\u2028\u2029]+/g, ' ')}`.trimEnd()).join('\n')}
const finding = ${JSON.stringify(about)};
const steps = ${JSON.stringify(steps.map(dropAnswer), null, 1)};

${scriptFunctions.map(String).join('\n\n')}

runScript(finding, steps);
`;
}

/** The statuses that the last answer may have, if its status is what is wrong. */
function listStatusesDue({ mismatch, exchanges }: Failure): readonly number[] | undefined {
  const status = exchanges.at(-1)?.response?.status;
  const { wrong, due, event } = mismatch ?? {};
  if (wrong !== 'status' || event !== undefined || typeof due !== 'object') return undefined;
  return due.some((one) => one === status) ? undefined : due;
}

function dropAnswer(step: WrittenStep | StoredStep) {
  if ('line' in step) return step;
  const { answer: _, ...others } = step;
  return others;
}

type ScriptStep = ReturnType<typeof dropAnswer>;

interface OpenedWorld {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly world: Readonly<Record<string, unknown>>;
}

interface ScriptRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Whether its body is announced and never sent. */
  readonly isStalled?: true | undefined;
}

// The script contains these functions as compiled, so they may use nothing from outside.

async function runScript(
  finding: Pick<Failure, 'requirement' | 'expected' | 'actual'> & { readonly due?: readonly number[] },
  steps: readonly ScriptStep[],
): Promise<void> {
  const worlds: OpenedWorld[] = [];
  const end = async (code: number, words: string): Promise<never> => {
    for (const { url, headers, world } of worlds)
      await sendRequest({ method: 'DELETE', url: `${url}/${world.id}`, headers });
    console.log(words);
    process.exit(code);
  };
  let last = '';
  try {
    for (let at = 0; at < steps.length; ) {
      let to = at + 1;
      while (to < steps.length && 'isParallel' in (steps[to] ?? {})) to += 1;
      const got = await Promise.all(steps.slice(at, to).map((step) => runStep(step, worlds)));
      last = got.at(-1) ?? '';
      at = to;
    }
  } catch (error) {
    await end(3, `A step before the violation failed: ${(error as Error).message}`);
  }
  const { requirement, expected, actual, due } = finding;
  console.log(`${requirement}: expected ${expected}, got ${actual} in the report.`);
  if (due !== undefined) {
    const isWrong = !due.map(String).includes(last);
    await end(isWrong ? 1 : 0, isWrong ? 'reproduced' : 'not reproduced');
  }
  const isSame = last === steps.map((step) => ('got' in step ? step.got : '')).at(-1);
  const same = 'The last response has the status in the report; compare the bodies.';
  await end(isSame ? 1 : 0, isSame ? same : 'not reproduced');
}

/** Executes a step and records the world that it opens. Returns its status, or why there is none. */
async function runStep(step: ScriptStep, worlds: OpenedWorld[]): Promise<string> {
  if ('line' in step) {
    console.log(step.line);
    const { execSync } = await import('node:child_process');
    execSync(step.line, { stdio: 'ignore', shell: '/bin/bash' });
    return '';
  }
  const { method, body, isStalled, expected, makes } = step;
  const headers = Object.fromEntries(step.headers.map(([name, value]) => [name, fillIn(value, worlds)]));
  const url = fillIn(step.url, worlds);
  const { status, text } = await sendRequest({
    ...{ method, url, headers, isStalled },
    body: body && fillIn(body, worlds),
  });
  console.log(`${method} ${url}\n  ${expected === undefined ? '' : `expected ${expected}, `}got ${status}`);
  if (makes === undefined && text !== '') console.log(`  ${text.slice(0, 2_000)}`);
  if (makes !== undefined && text !== '') {
    const { 'Content-Type': _, ...sent } = headers;
    worlds.push({ url, headers: sent, world: JSON.parse(text) });
  }
  return status;
}

function fillIn(pieces: readonly Piece[], worlds: readonly OpenedWorld[]): string {
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    const value = lookUp(piece.name, worlds).slice(piece.from ?? 0, piece.to);
    if (piece.as === 'upper') return value.toUpperCase();
    return piece.as === 'lower' ? value.toLowerCase() : value;
  });
  return texts.join('');
}

/** Looks up a value: `env.NAME` is a variable of the environment, `world1.keys.member` a key of the first world. */
function lookUp(name: string, worlds: readonly OpenedWorld[]): string {
  const [place = '', ...rest] = name.split('.');
  if (place === 'env') {
    const value = process.env[rest.join('.')];
    if (value === undefined) throw new Error(`set ${rest.join('.')} in the environment`);
    return value;
  }
  let value: unknown = worlds[Number(place.slice('world'.length)) - 1]?.world;
  for (const part of rest) value = (value as Record<string, unknown> | undefined)?.[part];
  if (typeof value !== 'string') throw new Error(`the world has no ${rest.join('.')}`);
  return value;
}

/** Sends a request. Resolves with the status, or with why there is none. */
async function sendRequest({ method, url, headers, body, isStalled }: ScriptRequest) {
  const { protocol, hostname, port } = new URL(url);
  const { request: open } = protocol === 'https:' ? await import('node:https') : await import('node:http');
  const length = body && Buffer.byteLength(body);
  return new Promise<{ readonly status: string; readonly text: string }>((resolve) => {
    const request = open({
      ...{ protocol, hostname: hostname.replace(/^\[|\]$/g, ''), port, method, agent: false },
      // As written: URL would normalize it.
      path: url.replace(/^https?:\/\/[^/?#]*/, '') || '/',
      headers: length === undefined ? headers : { ...headers, 'Content-Length': String(length) },
    });
    request.setTimeout(15_000, () => request.destroy(new Error('no answer within 15 s')));
    request.on('error', ({ message }) => resolve({ status: message, text: '' }));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('close', () => {
        resolve({ status: String(response.statusCode), text: Buffer.concat(chunks).toString('utf8') });
        if (isStalled) request.destroy();
      });
    });
    if (isStalled) request.write('{');
    else request.end(body);
  });
}

const scriptFunctions: readonly unknown[] = [runScript, runStep, fillIn, lookUp, sendRequest];
