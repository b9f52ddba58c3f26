import { requirement } from '../../spec/ledger.js';
import type { Failure } from '../../spec/report.js';
import { toolVersion } from '../../spec/version.js';
import type { Target } from '../../targets/target.js';
import type { StoredStep, WrittenStep } from './steps.js';

/** Marks a script as one that may be overwritten. */
export const scriptMark = 'Written by plumbline replay --script.';

/** Renders a Node script without dependencies that sends the steps of a finding again. */
export function renderScript(
  steps: readonly (WrittenStep | StoredStep)[],
  { requirement: id, expected, actual, message }: Failure,
  { baseUrl }: Target,
): string {
  const { section, statement } = requirement(id);
  const about = { requirement: id, expected, actual };
  const comments = [
    `${id} (§${section}): ${statement}`,
    message,
    '',
    `${scriptMark} (${toolVersion}, against ${baseUrl})`,
    'Needs Node 18 or later and nothing else: node FILE. Keys that are not handed out by the server are taken from the environment.',
    'Ends with 1 where the finding comes again, 0 where it does not, 3 where a step before it fails.',
  ];
  return `#!/usr/bin/env node
${comments.map((line) => `// ${line.replace(/[\r\n\u2028\u2029]+/g, ' ')}`.trimEnd()).join('\n')}
const finding = ${JSON.stringify(about)};
const steps = ${JSON.stringify(steps.map(dropAnswer), null, 1)};

(${String(runScript)})(finding, steps);
`;
}

function dropAnswer(step: WrittenStep | StoredStep) {
  if ('line' in step) return step;
  const { answer: _, ...others } = step;
  return others;
}

type ScriptStep = ReturnType<typeof dropAnswer>;

/** Is copied into the script as compiled, so it may use nothing from outside itself. */
async function runScript(
  finding: Pick<Failure, 'requirement' | 'expected' | 'actual'>,
  steps: readonly ScriptStep[],
): Promise<void> {
  const http = await import('node:http');
  const https = await import('node:https');
  const { execSync } = await import('node:child_process');
  /** The status, or why there is none. */
  type Got = { readonly status: string; readonly text: string };
  type Made = {
    readonly url: string;
    readonly headers: Record<string, string>;
    readonly world: Record<string, unknown>;
  };
  const worlds: Made[] = [];
  const end = async (code: number, words: string): Promise<never> => {
    for (const { url, headers, world } of worlds) await send('DELETE', `${url}/${world.id}`, headers);
    console.log(words);
    process.exit(code);
  };
  const lookUp = (name: string): string => {
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
  };
  const fill = (pieces: Extract<ScriptStep, { url: unknown }>['url']): string =>
    pieces
      .map((piece) => {
        if (typeof piece === 'string') return piece;
        const value = lookUp(piece.name).slice(piece.from ?? 0, piece.to);
        if (piece.as === 'upper') return value.toUpperCase();
        return piece.as === 'lower' ? value.toLowerCase() : value;
      })
      .join('');
  const send = (
    method: string,
    url: string,
    headers: Record<string, string>,
    body?: string,
    isStalled = false,
  ): Promise<Got> =>
    new Promise((resolve) => {
      const { protocol, hostname, port } = new URL(url);
      const length = isStalled ? 64 : body && Buffer.byteLength(body);
      const request = (protocol === 'https:' ? https : http).request({
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
  const run = async (step: ScriptStep): Promise<string> => {
    if ('line' in step) {
      console.log(step.line);
      execSync(step.line, { stdio: 'ignore', shell: '/bin/bash' });
      return '';
    }
    const headers = Object.fromEntries(step.headers.map(([name, value]) => [name, fill(value)]));
    const url = fill(step.url);
    const { status, text } = await send(
      step.method,
      url,
      headers,
      step.body && fill(step.body),
      step.isStalled,
    );
    console.log(
      `${step.method} ${url}\n  ${step.expected === undefined ? '' : `expected ${step.expected}, `}got ${status}`,
    );
    if (step.makes === undefined && text !== '') console.log(`  ${text.slice(0, 2_000)}`);
    if (step.makes !== undefined && text !== '') {
      const { 'Content-Type': _, ...sent } = headers;
      worlds.push({ url, headers: sent, world: JSON.parse(text) });
    }
    return status;
  };
  let last = '';
  try {
    for (let at = 0; at < steps.length; ) {
      let to = at + 1;
      while (to < steps.length && 'isParallel' in (steps[to] ?? {})) to += 1;
      const came = await Promise.all(steps.slice(at, to).map(run));
      last = came.at(-1) ?? '';
      at = to;
    }
  } catch (error) {
    await end(3, `A step before the finding failed: ${(error as Error).message}`);
  }
  console.log(`${finding.requirement}: expected ${finding.expected}, got ${finding.actual} in the report.`);
  const permitted = /^\d{3}(?: or \d{3})*$/.test(finding.expected)
    ? finding.expected.split(' or ')
    : undefined;
  const isWrong =
    permitted === undefined
      ? last === steps.map((step) => ('got' in step ? step.got : '')).at(-1)
      : !permitted.includes(last);
  const words =
    permitted === undefined
      ? 'The last answer has the status of the report; compare its text.'
      : 'reproduced';
  await end(isWrong ? 1 : 0, isWrong ? words : 'not reproduced');
}
