import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, type Override } from '../mutation.js';
import type { Scope } from '../vocabulary.js';
import { DONE, type When } from './vault-delete-builders.js';

/** Mutants in which something other than a well-formed delete takes secrets: reads, failures, odd paths (§4.1). */
export const vaultDeleteBystanderMutants: readonly Mutant[] = [
  ...makeMutants('4.1', ['vault-delete.safe-methods'], {
    'vault-delete.preflight-deletes': {
      subtle: 'An OPTIONS of the path of a secret runs the delete that it asks about',
      override: answers({ operation: 'vault-other', when: ({ method }) => method === 'OPTIONS' }, takesNamed),
    },
    'vault-delete.refused-head-deletes': {
      subtle: 'A HEAD of the path of a secret is refused to a provisioning key, and takes the secret',
      override: answers(
        {
          operation: 'vault-other',
          status: 401,
          when: ({ method, key }) => method === 'HEAD' && key?.role === 'provisioning',
        },
        takesNamed,
      ),
    },
    'vault-delete.key-read-sweeps-the-workspace': {
      subtle: 'A key read sweeps the vault: the secret that the workspace has had for longest goes',
      override: answers({ operation: 'key-read', status: 200 }, (answer, call) => {
        takeFirst(call, 'workspace');
        return answer;
      }),
    },
    'vault-delete.guardrail-500-rolls-back-a-store': {
      subtle: 'A guardrail read that fails inside rolls back what was stored last for the own intern',
      override: answers({ operation: 'guardrail-read', status: 500 }, (answer, { key }) => {
        const last = [...(key?.world.secrets.own.keys() ?? [])].at(-1);
        if (last !== undefined) key?.world.secrets.own.delete(last);
        return answer;
      }),
    },
    'vault-delete.inference-502-sweeps-the-sibling': {
      subtle: 'An inference request whose model is down takes the oldest secret of the sibling along',
      override: answers({ operation: 'inference', status: 502 }, (answer, call) => {
        takeFirst(call, 'sibling');
        return answer;
      }),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.only-the-named'], {
    'vault-delete.empty-name-empties-the-intern': {
      subtle: 'A delete whose path ends with the slash before the name takes every secret of the intern',
      override: emptiesBy(({ path }) => /\/secrets\/(?:\?|$)/.test(path)),
    },
    'vault-delete.dot-segment-empties-the-intern': {
      subtle:
        'A delete of the path segment . takes every secret of the intern, as of the folder that it means',
      override: emptiesBy(({ path }) => /\/secrets\/(?:\.|%2e)\/?(?:\?|$)/i.test(path)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.400.keeps'], {
    'vault-delete.encoded-slash-takes-by-beginning': {
      subtle: 'A name with an encoded slash takes every secret that begins with what stands before the slash',
      override: answers({ operation: 'vault-delete', status: 400 }, (answer, call) => {
        const secrets = secretsOf(call, call.parameters.internId ?? '');
        const [folder = ''] = (call.parameters.name ?? '').split('/');
        if (!call.parameters.name?.includes('/') || folder === '') return answer;
        for (const name of [...(secrets?.keys() ?? [])]) if (name.startsWith(folder)) secrets?.delete(name);
        return answer;
      }),
    },
  }),
  ...makeMutants('1', ['vault-delete.204.only-this-scope'], {
    'vault-delete.empty-intern-is-the-workspace': {
      subtle: 'A delete whose path has no internId between its slashes takes the secret of the workspace',
      override: answers({ operation: 'vault-other', when: isDelete }, (answer, { path, key }) => {
        const name = /\/interns\/\/secrets\/([^/?]+)(?:\?|$)/.exec(path)?.[1];
        return name !== undefined && key?.world.secrets.workspace.delete(name) ? DONE : answer;
      }),
    },
  }),
];

function isDelete({ method, key }: Call): boolean {
  return method === 'DELETE' && key?.role === 'member';
}

/** Deletes by the member of odd paths below one intern are answered 204 and take all that the intern has. */
function emptiesBy(when: When): Override {
  return answers({ when: (call) => isDelete(call) && when(call) }, (answer, call) => {
    const [, internId = ''] = /\/interns\/([^/?]+)\/secrets\//.exec(call.path) ?? [];
    const secrets = secretsOf(call, internId);
    secrets?.clear();
    return secrets === undefined ? answer : DONE;
  });
}

/** Words of the path below `/vault` are not told apart by the routing of `vault-other`. */
function takesNamed<Told>(answer: Told, call: Call): Told {
  const [, , , , internId = '', , name = ''] = call.path.split(/[/?]/);
  const world = call.key?.world;
  const intern = world && conforming.findIntern(world, internId);
  if (intern !== undefined) world?.secrets[intern].delete(name);
  return answer;
}

function secretsOf({ key }: Call, internId: string): Map<string, string> | undefined {
  const intern = key && conforming.findIntern(key.world, internId);
  return intern === undefined ? undefined : key?.world.secrets[intern];
}

function takeFirst({ key }: Call, scope: Scope): void {
  const [first] = key?.world.secrets[scope].keys() ?? [];
  if (first !== undefined) key?.world.secrets[scope].delete(first);
}
