import { describe, expect, it } from 'vitest';
import type { Answer, Behaviour, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { makeEnvelope, replaceAnswers } from '../judge/wrong-answers.js';
import { idsWith } from './plumbline-process.js';
import { byCommand, byRequest, type Deployment, judge, startDeployment } from './profile-deployment.js';
import { startServer } from './servers.js';

const store = byRequest;
const somebody = '00000000-0000-4000-8000-00000000beef';
const areas = ['--only', '{vault-delete,guardrail-read,key-info,auth,envelope}.**'];
const quick = [...areas, '--depth', 'quick'];

/** A behaviour with one answer to every delete by a known key. */
function withVault(answer: () => Answer): Behaviour {
  const isKnown = (_answer: Answer, call: Call) =>
    call.operation === 'vault-delete' && call.key !== undefined;
  return { ...conforming, ...replaceAnswers(isKnown, answer) };
}

/** The deployment with another key in the environment. */
function withKey(deployed: Deployment, name: string, key: string): Deployment {
  return { ...deployed, env: { ...deployed.env, [name]: key } };
}

/** Judges and expects that nothing fails and every output has the sentence of `doctor`. */
async function expectExplained(
  deployed: Deployment,
  profile: object,
  { sentence, exit, flags = quick }: { sentence: string; exit: 3 | 4; flags?: readonly string[] },
) {
  const { report, code, stdout } = await judge(deployed, { profile: { store, ...profile }, flags });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect([code, report.gate.exit_code], stdout).toEqual([exit, exit]);
  expect(stdout.replace(/\s+/g, ' ')).toContain(sentence);
  expect(report.run.notes.join(' ')).toContain(sentence);
  return report;
}

interface Fault {
  readonly what: string;
  /** The members of the profile that are wrong. */
  readonly members: (deployed: Deployment) => object | Promise<object>;
  readonly sentence: string;
  readonly exit: 3 | 4;
  readonly flags?: readonly string[];
}

const noPath = 'answers GET /key with 404: there is no such path below it. Check the path of target.base_url';
const originOf = ({ baseUrl }: Deployment) => new URL(baseUrl).origin;

const faults: readonly Fault[] = [
  {
    what: 'the id of a missing guardrail',
    members: () => ({ guardrail: { id: somebody } }),
    sentence:
      'guardrail.id: GET /guardrails/{id} gets 404: there is no such guardrail, or the key is not a management key of its workspace. Check guardrail.id and keys.management.',
    exit: 4,
  },
  {
    what: 'the id of a missing intern',
    members: () => ({ interns: { own: somebody } }),
    sentence: 'store: for the intern own, ',
    exit: 4,
  },
  {
    what: 'the id of an intern of another workspace',
    members: (deployed) => {
      const { foreign } = deployed.described.interns as { foreign: string };
      const { command } = byCommand(deployed) as { command: object };
      return { interns: { own: foreign }, store: { command: { ...command, scopes: ['own'] } } };
    },
    sentence: 'keys.member: gets 404 although its secret was stored: its caller is outside',
    exit: 4,
  },
  {
    what: 'a sibling id in no workspace',
    members: (deployed) => ({
      interns: { ...(deployed.described.interns as object), sibling: somebody },
      store: byCommand(deployed),
    }),
    sentence: 'interns.sibling: the delete of a secret stored for it gets 404 instead of 204',
    exit: 4,
    flags: ['--only', 'vault-delete.204.*', '--depth', 'quick'],
  },
  {
    what: 'the path /v2 in place of /v1',
    members: (deployed) => ({ target: { base_url: `${originOf(deployed)}/v2` } }),
    sentence: noPath,
    exit: 3,
  },
  {
    what: 'no path in place of /v1',
    members: (deployed) => ({ target: { base_url: originOf(deployed) } }),
    sentence: 'the version segment is missing. Write target.base_url: ',
    exit: 3,
  },
  {
    what: 'an address that redirects',
    members: async (deployed) => {
      const origin = await startServer((request, response) => {
        request.resume();
        response.writeHead(308, { Location: `${originOf(deployed)}${request.url ?? ''}` }).end();
      });
      return { target: { base_url: `${origin}/v1` } };
    },
    sentence: 'a redirect to http://127.0.0.1:',
    exit: 3,
  },
];

// These tests mostly wait: what they make wrong is retried after pauses.
describe.concurrent('faults of a profile', () => {
  it('a run with an expired member key fails nothing and explains the key as doctor does', async () => {
    const deployed = withKey(await startDeployment(), 'PLUMBLINE_KEY_MEMBER', 'sk-expired-0123456789abcdef');
    const sentence =
      'keys.member: GET /key gets 401: the service does not know the key, or it is disabled. Check PLUMBLINE_KEY_MEMBER in the environment.';
    const report = await expectExplained(deployed, {}, { exit: 4, sentence });
    const row = report.requirements.find(({ id }) => id === 'key-info.200.read');
    expect(row).toMatchObject({ status: 'inconclusive', reason_code: 'wrong-profile' });
    expect(row?.reason).toMatch(/^keys\.member: GET \/key gets 401/);
  });

  it.each(faults)(
    'a run with $what fails nothing and explains it as doctor does',
    async ({ members, ...expected }) => {
      const deployed = await startDeployment();
      await expectExplained(deployed, await members(deployed), expected);
    },
  );
});

describe.concurrent('deployments in trouble', () => {
  it('a deployment that answers 503 to every DELETE fails nothing, and the run says that it is down', async () => {
    const deployed = await startDeployment({ behaviour: withVault(() => makeEnvelope(503)) });
    const report = await expectExplained(
      deployed,
      {},
      {
        exit: 4,
        sentence:
          'vault-delete is down: its plain requests got 503. keys.member: its delete of its secret gets 503',
      },
    );
    const row = report.requirements.find(({ id }) => id === 'vault-delete.204.deleted');
    expect(row).toMatchObject({ status: 'inconclusive', reason_code: 'operation-down' });
  });

  it('a deployment that redirects every DELETE fails nothing, and the run says so', async () => {
    const redirect = { status: 307, headers: { Location: '/login' } };
    const deployed = await startDeployment({ behaviour: withVault(() => redirect) });
    await expectExplained(
      deployed,
      {},
      { exit: 4, sentence: 'keys.member: its delete of its secret gets 307' },
    );
  });

  it('a deployment that refuses every DELETE outside the envelope fails nothing, and the run says so', async () => {
    const other = {
      status: 403,
      headers: { 'Content-Type': 'application/json' },
      body: { message: 'Forbidden' },
    };
    const deployed = await startDeployment({ behaviour: withVault(() => other) });
    const report = await expectExplained(
      deployed,
      {},
      {
        exit: 4,
        sentence: 'keys.member: its delete of its secret gets 403',
      },
    );
    expect(idsWith(report, 'inconclusive')).toContain('envelope.error');
  });
});

it('a wrong guardrail does not hide a violation that shows without a management key', async () => {
  const deployed = await startDeployment({
    behaviour: {
      ...conforming,
      ...replaceAnswers(
        (_answer, call) => call.operation === 'guardrail-read' && call.key === undefined,
        () => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: { data: {} } }),
      ),
    },
  });
  const profile = { guardrail: { id: somebody } };
  const { report, code } = await judge(deployed, { profile, flags: ['--only', 'guardrail-read.*'] });
  expect(idsWith(report, 'fail')).toEqual(['guardrail-read.401.missing-key']);
  expect(code).toBe(1);
});

it('a selection whose control fails sends only controls of other areas', async () => {
  const deployed = await startDeployment();
  const profile = { guardrail: { id: somebody }, store };
  const { report } = await judge(deployed, { profile, flags: ['--only', 'guardrail-read.*'] });
  const deletes = deployed.seen.filter(({ method }) => method === 'DELETE');
  expect(deletes.length).toBeLessThan(5);
  expect(report.run.requests).toBeLessThan(100);
  expect(idsWith(report, 'fail')).toEqual([]);
});
