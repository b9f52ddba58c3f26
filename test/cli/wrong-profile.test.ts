import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import type { Answer, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { dropGate, type Mutation, setGateStatus } from '../../reference/mutation.js';
import type { RequirementId } from '../../spec/ledger.js';
import { makeEnvelope, makeJson, makePage, replaceAnswers } from '../behaviours.js';
import { findRow, idsWith } from '../report-rows.js';
import { answerJson, findFreePort, startServer } from '../servers.js';
import {
  byCommand,
  byRequest,
  type Deployment,
  judge,
  startDeployment,
  variableOf,
} from './profile-deployment.js';

const somebody = '00000000-0000-4000-8000-00000000beef';
const quick = '--depth quick --only {vault-delete,guardrail-read,key-info,auth,envelope}.**';

/** What a run with a wrong profile prints and notes, as `doctor` says it. */
interface Explained {
  readonly sentence: string;
  readonly exit: 3 | 4;
  readonly flags?: string;
}

async function expectExplained(deployed: Deployment, profile: object, expected: Explained) {
  const { sentence, exit, flags = quick } = expected;
  const judged = await judge(deployed, { profile: { store: byRequest, ...profile }, flags });
  const { report, code, stdout } = judged;
  expect(idsWith(report, 'fail')).toEqual([]);
  expect([code, report.gate.exit_code], stdout).toEqual([exit, exit]);
  expect(stdout.replace(/\s+/g, ' ')).toContain(sentence);
  expect(report.run.notes.join(' ')).toContain(sentence);
  return report;
}

const originOf = ({ baseUrl }: Deployment) => new URL(baseUrl).origin;

const healthForEverything = answerJson(200, { status: 'ok', data: { version: '4.2.0' } });

async function targetOf(listener: RequestListener, path = '/v1') {
  return { target: { base_url: `${await startServer(listener)}${path}` } };
}

const only = (globs: string) => `--depth quick --only ${globs}`;

interface Fault extends Omit<Explained, 'exit'> {
  readonly what: string;
  readonly members: (deployed: Deployment) => object | Promise<object>;
}

/** Faults beside which some requirements pass. */
const wrongEntries: readonly Fault[] = [
  {
    what: 'the id of a missing guardrail',
    members: () => ({ guardrail: { id: somebody } }),
    sentence:
      'guardrail.id: GET /guardrails/{id} gets 404: there is no such guardrail, or the key is not a management key of its workspace. Check guardrail.id and keys.management.',
    flags: only('{guardrail-read,envelope}.**'),
  },
  {
    what: 'the id of a missing intern',
    members: () => ({ interns: { own: somebody } }),
    sentence: 'store: for the intern own, ',
    flags: only('vault-delete.*'),
  },
  {
    what: 'the id of an intern of another workspace',
    members: (deployed) => {
      const { command } = byCommand(deployed) as { command: object };
      return {
        interns: { own: deployed.described.interns.foreign },
        store: { command: { ...command, scopes: ['own'] } },
      };
    },
    sentence:
      'keys.member: its delete of a stored secret gets 404 instead of 204: it behaves as a key outside',
    flags: only('vault-delete.*'),
  },
  {
    what: 'a sibling id in no workspace',
    members: (deployed) => ({
      interns: { ...deployed.described.interns, sibling: somebody },
      store: byCommand(deployed),
    }),
    sentence: 'interns.sibling: the delete of a secret stored for it gets 404 instead of 204',
    flags: only('vault-delete.204.*'),
  },
  {
    what: 'a recipe that stores nothing',
    members: async () => {
      const url = `${await startServer(answerJson(201, {}))}/{intern}/{name}`;
      return { store: { http: { method: 'PUT', url, body: { value: '{value}' } } } };
    },
    sentence: 'or the recipe under store stores nothing, or somewhere else; the secret plumb',
    flags: only('vault-delete.204.*'),
  },
  {
    what: 'names that are no longer stored',
    members: () => ({ store: { names: { own: ['used_a', 'used_b', 'used_c', 'used_d'] } } }),
    sentence:
      'store.names: no delete of a secret that it lists succeeds. Make sure that they are stored: a run deletes those that it uses.',
    flags: only('vault-delete.204.deleted'),
  },
  {
    what: 'a free model that the service does not route',
    members: ({ described: { inference } }) => ({
      inference: { ...inference, free_model: 'acme/retired:free' },
    }),
    sentence:
      'inference.path: POST /chat/completions for a free model gets 400. Check the method, the path and the models of inference',
    flags: '--only inference.routed',
  },
  {
    what: 'a regional address where another server answers',
    members: async ({ baseUrl }) => ({
      target: { base_url: baseUrl, regional_base_url: `${await startServer(healthForEverything)}/v1` },
    }),
    sentence:
      'target.regional_base_url: GET /key there gets 200 and no Key information: another server answers',
    flags: only('vault-delete.{status-documented,403.regional-host}'),
  },
];

/** Faults with which nothing can be judged. */
const wrongAddresses: readonly Fault[] = [
  {
    what: 'the path /v2 in place of /v1',
    members: (deployed) => ({ target: { base_url: `${originOf(deployed)}/v2` } }),
    sentence: 'answers GET /key with 404: there is no such path below it. Check the path of target.base_url',
  },
  {
    what: 'no path in place of /v1',
    members: (deployed) => ({ target: { base_url: originOf(deployed) } }),
    sentence: 'the version segment is missing. Write target.base_url: ',
    flags: only('key-info.200.*'),
  },
  {
    what: 'the path /v1/v1 in place of /v1',
    members: ({ baseUrl }) => ({ target: { base_url: `${baseUrl}/v1` } }),
    sentence: 'answers as the service does: the path looks wrong, it has /v1 twice. Write target.base_url: ',
  },
  {
    what: 'a server that answers everything with JSON of its own',
    members: () => targetOf(healthForEverything),
    sentence: 'and JSON that is not Key information: another server answers',
  },
  {
    what: 'a server that answers 204 to everything',
    members: () => targetOf((_request, response) => response.writeHead(204).end()),
    sentence: 'another server answers instead of the service',
    flags: only('{key-info,vault-delete}.**'),
  },
  {
    what: 'an address that redirects',
    members: (deployed) =>
      targetOf((request, response) => {
        request.resume();
        response.writeHead(308, { Location: `${originOf(deployed)}${request.url ?? ''}` }).end();
      }),
    sentence: 'a redirect to http://127.0.0.1:',
    flags: only('{key-info,vault-delete.204}.**'),
  },
];

// These tests mostly wait: what they make wrong is retried after pauses.
describe.concurrent('faults of a profile', () => {
  it('a run with an expired member key fails nothing and explains the key as doctor does', async () => {
    const { env, ...others } = await startDeployment();
    const expired = { ...others, env: { ...env, PLUMBLINE_KEY_MEMBER: 'sk-expired-0123456789abcdef' } };
    const sentence =
      'keys.member: GET /key gets 401: the service does not know the key, or it is disabled. Check PLUMBLINE_KEY_MEMBER in the environment.';
    const report = await expectExplained(expired, {}, { exit: 4, sentence });
    expect(findRow(report, 'key-info.200.read')).toMatchObject({
      status: 'inconclusive',
      reason_code: 'wrong-profile',
      reason: expect.stringMatching(/^keys\.member: GET \/key gets 401/),
    });
  });

  const faults = [
    ...wrongEntries.map((fault) => ({ ...fault, exit: 4 as const })),
    ...wrongAddresses.map((fault) => ({ ...fault, exit: 3 as const })),
  ];
  it.each(faults)('a run with $what fails nothing and explains it as doctor does', async (fault) => {
    const deployed = await startDeployment();
    await expectExplained(deployed, await fault.members(deployed), fault);
  });
});

describe.concurrent('an address where no connection comes about', () => {
  it.each<readonly [what: string, scheme: string, sentence: string]>([
    ['nothing listens', 'http', 'nothing listens there'],
    ['no TLS is spoken', 'https', 'the port does not speak TLS, or no common TLS version'],
  ])('where %s, a run says so once, and leaves no secret behind', async (_what, scheme, sentence) => {
    const deployed = await startDeployment();
    const port = scheme === 'https' ? new URL(deployed.baseUrl).port : await findFreePort();
    const target = { base_url: `${scheme}://127.0.0.1:${port}/v1` };
    const report = await expectExplained(deployed, { target }, { exit: 3, sentence });
    expect(report.run.notes.join(' ').split(sentence)).toHaveLength(2);
    expect(report.run.left_behind).toEqual([]);
  });
});

describe.concurrent('deployments in trouble', () => {
  it.each<readonly [what: string, answer: Answer, before: string]>([
    ['answers 503', makeEnvelope(503), 'vault-delete is down: its plain requests got 503. '],
    ['redirects', { status: 307, headers: { Location: '/login' } }, ''],
    ['answers 403 outside the envelope', makeJson(403, { message: 'Forbidden' }), ''],
  ])('a deployment that %s to every DELETE fails nothing, as the run says', async (what, answer, before) => {
    const isKnown = (_answer: Answer, call: Call) =>
      call.operation === 'vault-delete' && call.key !== undefined;
    const behaviour = replaceAnswers(isKnown, answer);
    const deployed = await startDeployment({ behaviour });
    const flags = '--depth quick --only {vault-delete,envelope}.**';
    const sentence = `${before}keys.member: its delete of a stored secret gets ${answer.status}`;
    const report = await expectExplained(deployed, {}, { exit: 4, sentence, flags });
    const down = { status: 'inconclusive', reason_code: 'operation-down' };
    if (what === 'answers 503') expect(findRow(report, 'vault-delete.204.deleted')).toMatchObject(down);
    if (what.includes('envelope')) expect(idsWith(report, 'inconclusive')).toContain('envelope.error');
  });
});

describe.concurrent('a vault that departs from 204', () => {
  const late = async (deployed: Deployment) => {
    const url = await startServer((request, response) => {
      const [, scope = '', name = ''] = request.url?.split('/') ?? [];
      setTimeout(() => void deployed.store(scope, name), 600);
      response.writeHead(202).end();
    });
    return { http: { method: 'PUT', url: `${url}/{scope}/{name}`, body: {}, accept: [202] } };
  };

  it('a run waits after each store where stores take effect late, and says so', async () => {
    const deployed = await startDeployment();
    const profile = { store: await late(deployed) };
    const { report } = await judge(deployed, { profile, flags: only('vault-delete.204.deleted') });
    expect([...idsWith(report, 'fail'), ...idsWith(report, 'inconclusive')]).toEqual([]);
    expect(findRow(report, 'vault-delete.204.deleted').status).toBe('pass');
    expect(report.run.notes).toContain(
      'Stored secrets take effect late here: the run waits 1000 ms after storing one.',
    );
  });

  it('a delete that refuses legal names violates, though nothing stores them either', async () => {
    const isSecretName = (name: string) => conforming.isSecretName(name) && !/_\d/.test(name);
    const deployed = await startDeployment({ behaviour: { isSecretName } });
    const flags = '--only secret-name.accepts.* --cases 5';
    const { report, code } = await judge(deployed, { profile: { store: byRequest }, flags });
    expect(code).toBe(1);
    expect(idsWith(report, 'fail')).toContain('secret-name.accepts.underscores');
  });

  it('200 at one intern alone violates, since no wrong intern would get it', async () => {
    const isSibling = (answer: Answer, call: Call) =>
      answer.status === 204 && call.parameters.internId === call.key?.world.interns.sibling;
    const deployed = await startDeployment({ behaviour: replaceAnswers(isSibling, makeJson(200, {})) });
    const flags = '--depth quick --only vault-delete.{204.only-this-intern,status-documented}';
    const { report, code } = await judge(deployed, { profile: { store: byRequest }, flags });
    expect(code).toBe(1);
    expect(idsWith(report, 'fail')).toContain('vault-delete.status-documented');
    expect(report.run.notes).toEqual([]);
  });
});

/** A deployment whose profile gives two roles each other's keys, or one a key that nobody issued. */
async function startWithKeys(role: string, other: string) {
  const { env, ...others } = await startDeployment();
  const { [variableOf(role)]: one = '', [variableOf(other)]: another } = env;
  const swapped: Record<string, string> =
    another === undefined
      ? { [variableOf(role)]: other }
      : { [variableOf(role)]: another, [variableOf(other)]: one };
  return { ...others, env: { ...env, ...swapped } };
}

const unknownKey = 'sk-that-nobody-issued';

describe.concurrent('keys of another role', () => {
  it.each<readonly [of: string, role: string, violated: RequirementId, words: string]>([
    [
      ...(['management', 'member', 'guardrail-read.management-key-only'] as const),
      'the key given as member may read guardrails: it is the management key, or the two are swapped',
    ],
    [
      ...(['management', 'provisioning', 'vault-delete.401.provisioning-key'] as const),
      'the key given as provisioning may read guardrails: it is the management key, or the two are swapped',
    ],
    [
      ...(['unscoped', 'disabled', 'auth.disabled-key'] as const),
      'keys.disabled: its delete of a stored secret gets 403 instead of 401: it behaves as a key without workspace',
    ],
    ['outsider', 'unscoped', 'vault-delete.403.no-scope', 'it behaves as a key outside the intern programme'],
    ['outsider', 'write_disabled', 'vault-delete.503.writes-disabled', 'keys.write_disabled: its delete of'],
    [unknownKey, 'outsider', 'vault-delete.404.outside-programme', 'Check PLUMBLINE_KEY_OUTSIDER in the'],
    [
      ...(['exhausted', 'overdrawn', 'credit-limit.overdrawn.free'] as const),
      'keys.overdrawn: its limit_remaining is used up',
    ],
  ])('a run with keys of %s and %s swapped fails nothing and says so', async (of, role, violated, words) => {
    const deployed = await startWithKeys(role, of);
    const flags = `--depth quick --only ${violated}`;
    const report = await expectExplained(deployed, {}, { exit: 4, sentence: words, flags });
    const row = { status: 'inconclusive', reason_code: 'wrong-profile' };
    expect(findRow(report, violated)).toMatchObject(row);
    expect(report.run.notes.join()).toContain(`If that entry is correct, the server violates ${violated}.`);
  });

  it.each<readonly [role: string, of: string, violated: RequirementId]>([
    ['unscoped', 'outsider', 'vault-delete.403.no-scope'],
    ['provisioning', 'write_disabled', 'vault-delete.401.provisioning-key'],
    ['member', 'management', 'guardrail-read.management-key-only'],
  ])('a run whose key of %s is that of %s fails nothing and says so', async (role, of, violated) => {
    const { env, ...others } = await startDeployment();
    const deployed = { ...others, env: { ...env, [variableOf(role)]: env[variableOf(of)] ?? '' } };
    const flags = `--depth quick --only ${violated}`;
    const sentence = `keys.${role}: is the same key as that of ${of}`;
    await expectExplained(deployed, {}, { exit: 4, sentence, flags });
  });

  it('a run that has the keys of member and disabled swapped fails nothing and says so', async () => {
    const sentence = 'keys.disabled: GET /key accepts it and refuses the key of member with 401';
    const flags = '--only {auth.disabled-key,guardrail-read.200.read}';
    await expectExplained(await startWithKeys('disabled', 'member'), {}, { exit: 4, sentence, flags });
  });

  const deletes = 'deletes a secret of interns.foreign';
  const reads = 'GET /guardrails/{id} gets';
  const refused = 'its delete of a stored secret gets 404';
  it.each<readonly [role: string, of: string, violated: RequirementId, words: string]>([
    ['unscoped', 'free_small', 'vault-delete.403.no-scope', `keys.unscoped: ${deletes}`],
    ['outsider', 'free_small', 'vault-delete.404.outside-programme', `keys.outsider: ${deletes}`],
    ['management', 'management', 'vault-delete.404.foreign-intern', `keys.management: ${deletes}`],
    ['management', 'management', 'guardrail-read.200.read', `guardrail.id: ${reads}`],
    ['write_disabled', 'outsider', 'vault-delete.503.writes-disabled', `keys.write_disabled: ${refused}`],
    ['free_small', 'free_small', 'vault-delete.204.deleted', `keys.free_small: ${deletes}`],
    ['overdrawn', 'outsider', 'vault-delete.204.deleted', `keys.overdrawn: ${refused}`],
  ])('a run whose %s key is a %s key of another tenant fails nothing', async (role, of, violated, words) => {
    const { env, described, ...others } = await startDeployment();
    const worlds = `${others.controlUrl}/worlds`;
    const answer = await fetch(worlds, { method: 'POST', body: '{"label":"other"}' });
    const opened = (await answer.json()) as Record<'keys' | 'interns', Record<string, string>>;
    const { member: foreignKey = '', [of]: wrongKey = '' } = opened.keys;
    const { own: foreign = '' } = opened.interns;
    const deployed = {
      ...others,
      described: { ...described, interns: { ...described.interns, foreign } },
      env: { ...env, PLUMBLINE_KEY_FOREIGN: foreignKey, [variableOf(role)]: wrongKey },
    };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the profile resolves it
    const scopes = { foreign: { key: '${PLUMBLINE_KEY_FOREIGN}' } };
    const store = { http: { ...byRequest.http }, scopes };
    await expectExplained(deployed, { store }, { exit: 4, sentence: words, flags: `--only ${violated}` });
  });

  const allRoutes = ['vault-delete', 'key-read', 'guardrail-read', 'inference'] as const;
  const open = (gate: Parameters<typeof dropGate>[1]) => dropGate('vault-delete', gate);
  const answer403 = (gate: Parameters<typeof setGateStatus>[1]) => setGateStatus('vault-delete', gate, 403);

  it.each<readonly [what: string, violated: RequirementId, mutation: Mutation]>([
    ['disabled keys are good everywhere', 'auth.disabled-key', dropGate(allRoutes, 'key-enabled')],
    ['provisioning keys delete', 'vault-delete.401.provisioning-key', open('no-provisioning-key')],
    ['provisioning keys get 403', 'vault-delete.401.provisioning-key', answer403('no-provisioning-key')],
    ['keys without scope delete', 'vault-delete.403.no-scope', open('workspace-scope')],
    ['outsiders delete', 'vault-delete.404.outside-programme', open('intern-programme')],
    ['outsiders get 403', 'vault-delete.404.outside-programme', answer403('intern-programme')],
    ['disabled writers delete', 'vault-delete.503.writes-disabled', open('vault-writes')],
    ['the regional hostname is served', 'vault-delete.403.regional-host', open('regional-host')],
    ['a negative balance is served', 'credit-limit.overdrawn.free', dropGate('inference', 'account-balance')],
    ['a used up limit is served', 'credit-limit.exhausted', dropGate('inference', 'key-limit')],
    [
      ...(['every key reads guardrails', 'guardrail-read.management-key-only'] as const),
      dropGate('guardrail-read', 'management-key'),
    ],
  ])('what only the violation itself says against an entry counts: %s', async (_what, violated, mutation) => {
    const deployed = await startDeployment({ behaviour: mutation });
    const flags = `--depth quick --only ${violated}`;
    const { code, report } = await judge(deployed, { profile: { store: byRequest }, flags });
    expect([code, idsWith(report, 'fail')]).toEqual([1, [violated]]);
  });

  it('a disabled key that only the vault refuses is not taken for a key of another role', async () => {
    const deployed = await startDeployment({ behaviour: dropGate('key-read', 'key-enabled') });
    const flags = '--only auth.disabled-key --cases 1';
    const { report } = await judge(deployed, { profile: { store: byRequest }, flags });
    expect(idsWith(report, 'fail')).toEqual(['auth.disabled-key']);
  });
});

it('a path of inference where a page answers every request fails nothing', async () => {
  const behaviour = replaceAnswers((_answer, { operation }) => operation === 'inference', makePage(404));
  const sentence = 'inference.path: POST /chat/completions for a free model gets 404. Check the method';
  const flags = only('{envelope.json-object,secrecy.body}');
  await expectExplained(await startDeployment({ behaviour }), {}, { exit: 4, sentence, flags });
});

it('a wrong guardrail does not hide a violation that shows without a management key', async () => {
  const behaviour = replaceAnswers(
    (_answer, call) => call.operation === 'guardrail-read' && call.key === undefined,
    makeJson(200, { data: {} }),
  );
  const deployed = await startDeployment({ behaviour });
  const profile = { guardrail: { id: somebody } };
  const { report, code } = await judge(deployed, { profile, flags: '--only guardrail-read.* --depth quick' });
  expect([code, idsWith(report, 'fail')]).toEqual([1, ['guardrail-read.401.missing-key']]);
});

it('a selection whose control fails sends only controls of other areas', async () => {
  const deployed = await startDeployment();
  const profile = { guardrail: { id: somebody }, store: byRequest };
  const { report } = await judge(deployed, { profile, flags: '--only guardrail-read.*' });
  const deletes = deployed.seen.filter(({ method }) => method === 'DELETE');
  expect(deletes.length).toBeLessThan(5);
  expect(report.run.requests).toBeLessThan(146);
  expect(idsWith(report, 'fail')).toEqual([]);
});
