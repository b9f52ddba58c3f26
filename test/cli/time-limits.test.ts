import pLimit from 'p-limit';
import { expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { passOnTo, serveReference, startServer } from '../servers.js';
import { expectNoStack, readReport, start } from './plumbline-process.js';

const maxTimeS = 2;
// 10 s to clean up, and a reserve for a busy machine.
const overAtMostS = 11;
// The time to start, to write the reports and to end, long on a busy machine.
const besideAtMostS = 15;

/** How a control handles a request that it does not pass on. */
type Hanging = 'silent' | 'half a body' | undefined;

/** A proxy for the reference's control protocol that hangs on chosen requests. */
async function hangingControl(hangs: (method: string, path: string) => Hanging): Promise<string> {
  const { controlUrl } = await serveReference();
  const passOn = passOnTo(controlUrl);
  return startServer((incoming, outgoing) => {
    const { method = '', url: path = '' } = incoming;
    const how = hangs(method, path);
    if (how === undefined) passOn(incoming, outgoing);
    if (how !== 'half a body') return;
    const head = { 'Content-Type': 'application/json', 'Content-Length': 1000 };
    outgoing.writeHead(method === 'POST' ? 201 : 200, head).write('{"id":"w');
  });
}

const onControl = async (hangs: (method: string, path: string) => Hanging = () => undefined) =>
  `--control ${await hangingControl(hangs)}`;

/** The rows that a target or a control makes hang; each gives the flags of its run. */
const rows: readonly (readonly [what: string, arrange: () => Promise<string>])[] = [
  ['--rate 1', async () => `${await onControl()} --rate 1`],
  ...['POST', 'DELETE', 'PUT'].map((hung) => {
    const arrange = () => onControl((method) => (method === hung ? 'silent' : undefined));
    return [`a control that hangs at every ${hung}`, arrange] as const;
  }),
  [
    'a control that hangs when it is asked what is stored',
    () => onControl((_, path) => (path.endsWith('/secrets') ? 'silent' : undefined)),
  ],
  [
    'a control that sends half of every world',
    () => onControl((method) => (method === 'POST' ? 'half a body' : undefined)),
  ],
  [
    'a target whose bodies end in the middle',
    async () => {
      const target = await startServer((_, outgoing) => {
        outgoing.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 }).write('{');
      });
      return `${await onControl()} --target ${target}/v1`;
    },
  ],
  [
    'a target that hangs when the claims of its control are looked into',
    async () => {
      const behaviour = behaveAsMutant('vault-delete.rate-limit-ignored');
      const transmit: typeof behaviour.transmit = (response, answer, call) =>
        call.key?.world.label.endsWith('of the control') === true
          ? undefined
          : behaviour.transmit(response, answer, call);
      const { controlUrl } = await serveReference({ behaviour: { ...behaviour, transmit } });
      return `--control ${controlUrl} --only vault-delete.429.rate-limited`;
    },
  ],
];

it('a run ends within its time limit and the time for cleaning up, whatever hangs', async () => {
  // These tests mostly wait.
  const fewAtOnce = pLimit(6);
  const judge = async ([what, arrange]: (typeof rows)[number]) => {
    const directory = folder();
    const limits = `--max-time ${maxTimeS} --timeout 60 --report ${directory}`;
    const ended = await start(`run ${await arrange()} ${limits}`).ended;
    expectNoStack(ended);
    const { complete, duration_ms: ms } = readReport(directory).run;
    const isUnproven = ended.code === 3 || ended.code === 4;
    return { what, complete, isUnproven, seconds: ms / 1_000, besideS: (ended.ms - ms) / 1_000 };
  };
  const table = await Promise.all(rows.map((row) => fewAtOnce(judge, row)));
  for (const { what, complete, isUnproven, seconds, besideS } of table) {
    expect([what, complete, isUnproven]).toEqual([what, false, true]);
    expect(seconds - maxTimeS, what).toBeLessThan(overAtMostS);
    expect(besideS, what).toBeLessThan(besideAtMostS);
  }
}, 180_000);

it('a name lookup that never ends does not keep the process alive', async () => {
  const { controlUrl } = await serveReference();
  const script = [
    "import dns from 'node:dns'; import { syncBuiltinESMExports } from 'node:module';",
    "dns.lookup = (_, ...rest) => void setTimeout(() => rest.at(-1)(new Error('late')), 60_000);",
    'syncBuiltinESMExports();',
  ].join('\n');
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
  const where = `--control ${controlUrl} --target http://hangs.example.test/v1`;
  const { code, ms } = await start(`run ${where} --max-time 2 --report ${folder()}`, { env }).ended;
  expect(code).toBe(3);
  expect(ms / 1_000 - 2).toBeLessThan(besideAtMostS);
});
