import { conforming } from '../conforming.js';
import { fault, gate, gateStatus, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';

const HOUR_MS = 3_600_000;

/** Variants of what the optional additions of the control protocol show. */
export const controlAdditionVariants: readonly Variant[] = [
  ...makeVariants('6', {
    'bad-response-before-the-stream': {
      everyday: "A provider's invalid response is answered with the status, also where a stream is asked for",
      override: {
        faults: {
          ...conforming.faults,
          provider_bad_response: {
            on: 'inference',
            refusal: conforming.faults.provider_bad_response.refusal,
          },
        },
      },
    },
    'timeout-after-words': {
      description: 'A stream that times out has begun: 200, some words and the in-band event',
      override: {
        faults: {
          ...conforming.faults,
          inference_deadline: { ...conforming.faults.inference_deadline, midStream: 'streamed' },
        },
      },
    },
  }),
  ...makeVariants('7.3', {
    'blocked-request-bare': {
      description: 'What a guardrail blocks and what moderation flags is told without metadata',
      override: {
        faults: {
          ...conforming.faults,
          ...fault('guardrail_blocks', { metadata: null }).faults,
          moderation_flags: {
            on: 'inference',
            refusal: { status: 403, message: 'The request is blocked' },
          },
        },
      },
    },
    'expired-session-403-at-guardrail': {
      description: 'An expired session is refused at a guardrail for being no management key',
      override: gateStatus('guardrail-read', 'session', 403),
    },
    'every-foreign-origin-400': {
      description: 'CORS blocks every origin but one',
      override: gate('key-read', 'origin', ({ headers }) =>
        headers.origin === undefined || headers.origin === 'https://console.test'
          ? undefined
          : { status: 400, message: 'Blocked by CORS' },
      ),
    },
  }),
  ...makeVariants('5', {
    'vault-reads-not-routed': {
      description: 'There is no vault read, so that a provisioning key gets 404 for one',
      override: gateStatus('vault-other', 'no-provisioning-key', 404),
    },
    'vault-reads-not-allowed': {
      description: 'There is no vault read, so that a provisioning key gets 405 for one',
      override: gateStatus('vault-other', 'no-provisioning-key', 405),
    },
  }),
  ...makeVariants('2.2', {
    'usage-in-sums-of-floats': {
      description: 'Figures that are computed from records have the noise of floats',
      override: computed((figure) => figure * (1 + 2e-15) + 1e-16),
    },
    'own-keys-over-rolling-windows': {
      description: 'Usage on own provider keys is counted over the last 24 hours, 7 and 30 days',
      override: {
        keyInformation: (call, key) => {
          const information = conforming.keyInformation(call, key);
          if (key.records === undefined) return information;
          const now = call.server.now();
          const since = (hours: number): number =>
            (key.records ?? [])
              .filter(({ at }) => at > now - hours * HOUR_MS)
              .reduce((sum, { byok }) => sum + byok, 0);
          return {
            ...information,
            byok_usage_daily: since(24),
            byok_usage_weekly: since(7 * 24),
            byok_usage_monthly: since(30 * 24),
          };
        },
      },
    },
  }),
  ...makeVariants('2.1', {
    'guardrail-members-like-vendors': {
      description: 'The guardrail has members in other spellings that only begin like the field of a vendor',
      override: {
        guardrailView: (_call, guardrail) => ({
          ...guardrail,
          enforce_zdr_updatedAt: '2025-01-01T00:00:00Z',
          enforce_zdr_Policy: { mode: 'strict' },
          enforce_zdr_: null,
        }),
      },
    },
    'guardrail-vendor-with-hyphen': {
      description: 'The name of one of the four vendors has a hyphen and a digit',
      override: {
        guardrailView: (_call, { enforce_zdr_dune: dune, ...rest }) => ({ ...rest, 'enforce_zdr_d-9': dune }),
      },
    },
  }),
];

/** The figures that are computed from records are a little different. */
function computed(change: (figure: number) => number): Override {
  return {
    keyInformation: (call, key) => {
      const information = conforming.keyInformation(call, key);
      if (key.records === undefined) return information;
      return Object.fromEntries(
        Object.entries(information).map(([name, value]) => [
          name,
          typeof value === 'number' && name.includes('usage') ? change(value) : value,
        ]),
      );
    },
  };
}
