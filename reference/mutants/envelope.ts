import { conforming } from '../behaviour.js';
import type { Mutant, Override } from '../mutant.js';
import { changedMember, envelopes } from '../override.js';

/** Mutants of the area envelope: a member of the envelope is missing or is not what §2.4 says. */
export const envelopeMutants: readonly Mutant[] = [
  {
    id: 'envelope.vault-404-without-message',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'The 404 of the vault has no error.message',
    hardness: 'plain',
    override: {
      envelope: (call, refusal) =>
        call.operation.startsWith('vault-') && refusal.status === 404
          ? { error: { code: refusal.status } }
          : conforming.envelope(call, refusal),
    },
  },

  // error
  {
    id: 'envelope.vault-408-error-as-string',
    section: '2.4',
    turnsRed: ['envelope.error'],
    description: 'error is a string on the 408 of the vault delete',
    hardness: 'plain',
    override: member({ operation: 'vault-delete', status: 408 }, 'error', 'The request timed out'),
  },
  {
    id: 'envelope.inference-401-error-as-array',
    section: '2.4',
    turnsRed: ['envelope.error'],
    description: 'error is an array of one error on the 401 of an inference request',
    hardness: 'plain',
    override: envelopes({ operation: 'inference', status: 401 }, (body) => ({ error: [body.error] })),
  },
  {
    id: 'envelope.key-401-flat',
    section: '2.4',
    turnsRed: ['envelope.error'],
    description: 'The 401 of the key read has code and message at the top, without error around them',
    hardness: 'plain',
    override: envelopes({ operation: 'key-read', status: 401 }, (body) => body.error),
  },
  {
    id: 'envelope.guardrail-500-error-null',
    section: '2.4',
    turnsRed: ['envelope.error'],
    description: 'error is null on the 500 of the guardrail read',
    hardness: 'plain',
    override: member({ operation: 'guardrail-read', status: 500 }, 'error', null),
  },
  {
    id: 'envelope.stalled-body-as-errors',
    section: '2.4',
    turnsRed: ['envelope.error'],
    description: 'The 408 of a stalled request body has a list errors in place of error',
    hardness: 'subtle',
    override: envelopes(
      { operation: 'vault-delete', status: 408, when: ({ body }) => body.state === 'stalled' },
      (body) => ({ errors: [body.error] }),
    ),
  },

  // error.code
  {
    id: 'envelope.vault-400-code-as-string',
    section: '2.4',
    turnsRed: ['envelope.error.code'],
    description: 'error.code is a string on the 400 of the vault delete',
    hardness: 'plain',
    override: errorMember({ operation: 'vault-delete', status: 400 }, 'code', '400'),
  },
  {
    id: 'envelope.vault-403-without-code',
    section: '2.4',
    turnsRed: ['envelope.error.code'],
    description: 'The 403 of the vault delete has no error.code',
    hardness: 'plain',
    override: errorMember({ operation: 'vault-delete', status: 403 }, 'code', undefined),
  },
  {
    id: 'envelope.guardrail-401-code-null',
    section: '2.4',
    turnsRed: ['envelope.error.code'],
    description: 'error.code is null on the 401 of the guardrail read',
    hardness: 'plain',
    override: errorMember({ operation: 'guardrail-read', status: 401 }, 'code', null),
  },
  {
    id: 'envelope.key-401-code-fraction',
    section: '2.4',
    turnsRed: ['envelope.error.code'],
    description: 'error.code is 401.1 on the 401 of the key read',
    hardness: 'plain',
    override: errorMember({ operation: 'key-read', status: 401 }, 'code', 401.1),
  },
  {
    id: 'envelope.inference-402-code-as-word',
    section: '2.4',
    turnsRed: ['envelope.error.code'],
    description: 'error.code is a word on the 402 of an inference request',
    hardness: 'plain',
    override: errorMember({ operation: 'inference', status: 402 }, 'code', 'insufficient_credits'),
  },
  {
    id: 'envelope.too-long-name-code-as-string',
    section: '2.4',
    turnsRed: ['envelope.error.code'],
    description: 'error.code is a string on the 400 of a secret name of more than 300 characters',
    hardness: 'subtle',
    override: envelopes(
      {
        operation: 'vault-delete',
        status: 400,
        when: ({ parameters }) => (parameters.name ?? '').length > 300,
      },
      (body) => ({ ...body, error: { ...body.error, code: 'too_long' } }),
    ),
  },

  // error.code and the status
  {
    id: 'envelope.vault-401-code-403',
    section: '2.4',
    turnsRed: ['envelope.error.code-is-status'],
    description: 'error.code is 403 on the 401 of the vault delete',
    hardness: 'plain',
    override: errorMember({ operation: 'vault-delete', status: 401 }, 'code', 403),
  },
  {
    id: 'envelope.guardrail-404-code-4040',
    section: '2.4',
    turnsRed: ['envelope.error.code-is-status'],
    description: "error.code is a number of the service's own on the 404 of the guardrail read",
    hardness: 'plain',
    override: errorMember({ operation: 'guardrail-read', status: 404 }, 'code', 4040),
  },
  {
    id: 'envelope.inference-503-code-502',
    section: '2.4',
    turnsRed: ['envelope.error.code-is-status'],
    description: 'error.code is 502 on the 503 of an inference request',
    hardness: 'plain',
    override: errorMember({ operation: 'inference', status: 503 }, 'code', 502),
  },
  {
    id: 'envelope.writes-disabled-code-403',
    section: '2.4',
    turnsRed: ['envelope.error.code-is-status'],
    description: 'error.code is 403 on the 503 of a caller whose vault writes are disabled',
    hardness: 'subtle',
    override: errorMember(
      { operation: 'vault-delete', status: 503, when: ({ key }) => key?.traits.vaultWrites === false },
      'code',
      403,
    ),
  },
  {
    id: 'envelope.programme-404-code-403',
    section: '2.4',
    turnsRed: ['envelope.error.code-is-status'],
    description: 'error.code is 403 on the 404 of a caller outside the intern programme',
    hardness: 'subtle',
    override: errorMember(
      { operation: 'vault-delete', status: 404, when: ({ key }) => key?.traits.inProgramme === false },
      'code',
      403,
    ),
  },

  // error.message
  {
    id: 'envelope.vault-429-message-null',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'error.message is null on the 429 of the vault delete',
    hardness: 'plain',
    override: errorMember({ operation: 'vault-delete', status: 429 }, 'message', null),
  },
  {
    id: 'envelope.guardrail-403-message-as-number',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'error.message is a number on the 403 of the guardrail read',
    hardness: 'plain',
    override: errorMember({ operation: 'guardrail-read', status: 403 }, 'message', 403),
  },
  {
    id: 'envelope.inference-429-message-as-object',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'error.message is an object of languages on the 429 of an inference request',
    hardness: 'plain',
    override: errorMember({ operation: 'inference', status: 429 }, 'message', { en: 'Rate limit exceeded' }),
  },
  {
    id: 'envelope.known-key-400-without-message',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'The 400 of the vault delete has no error.message for authenticated callers',
    hardness: 'subtle',
    override: errorMember(
      { operation: 'vault-delete', status: 400, when: ({ key }) => key !== undefined },
      'message',
      undefined,
    ),
  },
  {
    id: 'envelope.encoded-name-400-message-as-list',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'error.message is a list on the 400 of a path with a percent-encoding in it',
    hardness: 'subtle',
    override: errorMember(
      { operation: 'vault-delete', status: 400, when: ({ path }) => path.includes('%') },
      'message',
      ['name is not a valid secret name'],
    ),
  },
  {
    id: 'envelope.long-name-404-without-message',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'The 404 of a secret whose legal name has more than 100 characters has no error.message',
    hardness: 'subtle',
    override: errorMember(
      {
        operation: 'vault-delete',
        status: 404,
        when: ({ parameters }) => (parameters.name ?? '').length > 100,
      },
      'message',
      undefined,
    ),
  },

  // what is optional
  {
    id: 'envelope.vault-502-metadata-as-string',
    section: '2.4',
    turnsRed: ['envelope.error.metadata'],
    description: 'error.metadata is a string on the 502 of the vault delete',
    hardness: 'plain',
    override: errorMember({ operation: 'vault-delete', status: 502 }, 'metadata', 'vault'),
  },
  {
    id: 'envelope.inference-502-metadata-as-array',
    section: '2.4',
    turnsRed: ['envelope.error.metadata'],
    description: 'error.metadata is an empty array on the 502 of an inference request',
    hardness: 'plain',
    override: errorMember({ operation: 'inference', status: 502 }, 'metadata', []),
  },
  {
    id: 'envelope.key-401-metadata-false',
    section: '2.4',
    turnsRed: ['envelope.error.metadata'],
    description: 'error.metadata is false on the 401 of the key read',
    hardness: 'plain',
    override: errorMember({ operation: 'key-read', status: 401 }, 'metadata', false),
  },
  {
    id: 'envelope.vault-504-service-metadata-as-string',
    section: '2.4',
    turnsRed: ['envelope.service_metadata'],
    description: 'service_metadata is a string on the 504 of the vault delete',
    hardness: 'plain',
    override: member({ operation: 'vault-delete', status: 504 }, 'service_metadata', 'vault-eu-1'),
  },
  {
    id: 'envelope.guardrail-404-service-metadata-as-array',
    section: '2.4',
    turnsRed: ['envelope.service_metadata'],
    description: 'service_metadata is an array on the 404 of the guardrail read',
    hardness: 'plain',
    override: member({ operation: 'guardrail-read', status: 404 }, 'service_metadata', []),
  },
  {
    id: 'envelope.vault-500-user-id-as-number',
    section: '2.4',
    turnsRed: ['envelope.user_id'],
    description: 'user_id is a number on the 500 of the vault delete',
    hardness: 'plain',
    override: member({ operation: 'vault-delete', status: 500 }, 'user_id', 4711),
  },
  {
    id: 'envelope.inference-402-user-id-as-object',
    section: '2.4',
    turnsRed: ['envelope.user_id'],
    description: 'user_id is an object on the 402 of an inference request',
    hardness: 'plain',
    override: member({ operation: 'inference', status: 402 }, 'user_id', { id: 'user_1' }),
  },
  {
    id: 'envelope.disabled-key-user-id-false',
    section: '2.4',
    turnsRed: ['envelope.user_id'],
    description: 'user_id is false on the 401 of a disabled key',
    hardness: 'subtle',
    override: member({ status: 401, when: ({ key }) => key?.traits.enabled === false }, 'user_id', false),
  },
];

type Errors = Parameters<typeof envelopes>[0];

/** One member of the envelope of some errors is another value; undefined leaves it out. */
function member(errors: Errors, field: string, value: unknown): Override {
  return envelopes(errors, (body) => changedMember(body, field, value));
}

/** One member of the error object of some errors is another value; undefined leaves it out. */
function errorMember(errors: Errors, field: string, value: unknown): Override {
  return envelopes(errors, (body) => ({ ...body, error: changedMember(body.error, field, value) }));
}
