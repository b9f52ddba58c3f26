import { aWord, makeUnknown } from '../generators/ids.js';
import { debugQuery, fromBrowser } from '../generators/inputs.js';
import { type CheckContext, noCredential } from '../judge/api.js';
import { type Check, check } from '../judge/check.js';
import { type Fault, statusOfFault, vaultFaults } from '../spec/vocabulary.js';
import { storeBystanders } from './generated/situations.js';
import { plainAndStreamed } from './inference.js';
import { runDuringFaults } from './requests.js';

// §1: responses never contain the value of a stored secret. Every response of a run is searched; these checks store values
// where each kind of response could take them from.

/** Every fault that an inference request may meet, the optional ones included. */
const faultsOfInference = (Object.keys(statusOfFault) as readonly Fault[]).filter(
  (fault) => ![...vaultFaults, 'guardrail_internal_error'].includes(fault),
);

/** Defines a check that only sends requests; the passive rules judge the responses. */
function checkResponses(word: string, send: (context: CheckContext, name: string) => Promise<void>): Check {
  const alsoDecides = ['secrecy.header', 'secrecy.reason-phrase'] as const;
  return check(`secrecy.body/${word}`, { needs: ['role:member'], alsoDecides }, async (context) => {
    const name = context.world.names.next();
    await storeBystanders(context, name);
    await send(context, name);
    await context.api.readKey().expectControl(200);
  });
}

/** The checks of §1 on secrecy. */
export const secrecyChecks: readonly Check[] = [
  checkResponses('vault', async ({ api, offers }, name) => {
    await api.deleteSecret({ name: name.toUpperCase() }).send();
    await api.deleteSecret({ name, as: noCredential }).send();
    await api.deleteSecret({ name, intern: aWord }).send();
    if (offers('role:write_disabled'))
      await api
        .deleteSecret({ name, as: 'write_disabled', query: debugQuery, headers: { 'X-Debug': '1' } })
        .send('any');
    await api.deleteSecret({ name, method: 'GET', reaches: 'perhaps' }).send();
    // Without worlds, a list would show what others stored.
    if (offers('worlds')) {
      for (const owner of ['own', 'workspace'] as const) await api.listSecrets(owner).send();
      // An update may answer with what it replaced.
      const body = { type: 'application/json', text: '{"value":"x"}' };
      await api.deleteSecret({ name, method: 'PUT', body, reaches: 'perhaps' }).send();
    }
    await api.deleteSecret({ name }).send();
    await api.deleteSecret({ name }).send();
  }),
  checkResponses('key', async ({ api }) => {
    await api.readKey().send();
    await api.readKey({ as: noCredential }).send();
  }),
  checkResponses('guardrail', async (context) => {
    const { api, offers } = context;
    if (!offers('role:management')) return;
    await api.readGuardrail().send();
    await api.readGuardrail({ as: 'member' }).send();
    await api.readGuardrail({ as: noCredential }).send();
    for (const id of [makeUnknown('guardrail'), aWord]) await api.readGuardrail({ id }).send();
    await runDuringFaults(context, ['guardrail_internal_error'], () =>
      api.readGuardrail(fromBrowser).send('any'),
    );
  }),
  checkResponses('inference', async (context) => {
    const { api, offers } = context;
    if (!offers('inference')) return;
    await api.infer().send();
    await api.infer({ stream: true }).send();
    await api.infer({ as: noCredential }).send();
    for (const role of ['exhausted', 'overdrawn', 'disabled'] as const)
      if (offers(`role:${role}`)) await api.infer({ as: role, ...fromBrowser }).send();
    await runDuringFaults(context, faultsOfInference, async () => {
      for (const stream of plainAndStreamed)
        await api.infer({ model: 'free', stream, ...(stream ? {} : fromBrowser) }).send('any');
    });
  }),
];
