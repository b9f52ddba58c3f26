import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import type { ReferenceOptions } from '../../reference/server.js';
import { fileOf, folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { listWords, runInto, start, type Words } from './plumbline-process.js';

/** A reference server as a deployment with one tenant, whose control only the test knows. */
export type Deployment = Awaited<ReturnType<typeof startDeployment>>;

export async function startDeployment({
  behaviour: given,
  ...options
}: Pick<ReferenceOptions, 'behaviour' | 'host'> = {}) {
  const behaviour = { ...conforming, ...given };
  // Requests as the server receives them, percent-encoding and query included; calls of the control are left out.
  const seen: { readonly method: string; readonly target: string }[] = [];
  const rewriteTarget: Behaviour['rewriteTarget'] = (target, method) => {
    seen.push({ method, target });
    return behaviour.rewriteTarget(target, method);
  };
  const server = await serveReference({ ...options, behaviour: { ...behaviour, rewriteTarget } });
  const { baseUrl, controlUrl, openWorld } = server;
  const { id: world, keys, interns, guardrail_id, workspace_id } = openWorld('deployment');
  const secrets = `${controlUrl}/worlds/${world}/secrets`;
  const control = async (what: string, body: object) => {
    const { status } = await fetch(`${controlUrl}/worlds/${world}/${what}`, {
      method: 'PUT',
      body: JSON.stringify(body),
    });
    if (status !== 204) throw new Error(`The control answered ${status} to PUT ${what}.`);
  };
  return {
    ...{ baseUrl, controlUrl, world, seen: seen as readonly (typeof seen)[number][] },
    /** Lists what is stored, as `scope/name`. */
    stored: async (): Promise<readonly string[]> => {
      const answer = await fetch(secrets);
      const listed = (await answer.json()) as { secrets: { scope: string; name: string }[] };
      return listed.secrets.map(({ scope, name }) => `${scope}/${name}`);
    },
    /** Sets something by the control protocol, such as `guardrail`. */
    control,
    store: (scope: string, name: string) =>
      control(`secrets/${scope}/${name}`, { value: `not the run's: ${name}` }),
    /** Its profile, without a recipe to store. */
    described: {
      target: { base_url: baseUrl, regional_host: 'eu.vault.test' },
      keys: Object.fromEntries(Object.keys(keys).map((role) => [role, `\${${variableOf(role)}}`])),
      interns,
      guardrail: { id: guardrail_id, workspace_id },
      inference: { path: '/chat/completions', free_model: 'acme/tiny:free', paid_model: 'acme/large' },
    },
    env: Object.fromEntries(Object.entries(keys).map(([role, key]) => [variableOf(role), key])),
  };
}

export function variableOf(role: string): string {
  return `PLUMBLINE_KEY_${role.toUpperCase()}`;
}

export const byRequest = {
  http: { method: 'PUT', path: '/vault/interns/{intern}/secrets/{name}', body: { value: '{value}' } },
} as const;

const line =
  'curl -sf -X PUT -d "{\\"value\\":\\"$PLUMBLINE_VALUE\\"}" "$0/$PLUMBLINE_SCOPE/$PLUMBLINE_NAME"';

export function byCommand({ controlUrl, world }: Deployment, ...words: readonly string[]): object {
  return {
    command: {
      run: ['sh', '-c', line, `${controlUrl}/worlds/${world}/secrets`, ...words],
      scopes: ['own', 'sibling', 'workspace', 'foreign'],
    },
  };
}

export async function byNames(
  deployed: Deployment,
  names: Readonly<Partial<Record<'own' | 'sibling', readonly string[]>>>,
): Promise<object> {
  for (const [scope, listed] of Object.entries(names))
    for (const name of listed) await deployed.store(scope, name);
  return { names };
}

interface Profiled {
  readonly profile?: object;
  readonly flags?: Words;
}

export function startProfiled({ described, env }: Deployment, { profile = {}, flags = [] }: Profiled) {
  const directory = folder();
  const args = ['--profile', profileFile({ ...described, ...profile }), '--report', directory];
  return { directory, ...start(['run', ...listWords(flags), ...args], { env }) };
}

/** Judges a deployment through its profile; `all` is the text of its report and of both outputs. */
export async function judge(
  { described, env }: Pick<Deployment, 'env'> & { readonly described: object },
  { profile = {}, flags = [] }: Profiled,
) {
  const path = profileFile({ ...described, ...profile });
  const { directory, report, ...ended } = await runInto(['--profile', path, ...listWords(flags)], { env });
  const written = readFileSync(join(directory, 'report.json'), 'utf8');
  return { ...ended, report: report(), all: `${ended.stdout}${ended.stderr}${written}` };
}

/** Writes a profile (every JSON is YAML) and gives its path. */
export function profileFile(profile: object): string {
  return fileOf(JSON.stringify(profile), 'plumbline.yaml');
}
