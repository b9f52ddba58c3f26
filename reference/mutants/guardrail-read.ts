import { isJsonObject } from '../json.js';
import type { Mutant } from '../mutant.js';
import { answers, counted } from '../override.js';

/** Mutants of the area guardrail-read: the 200 is another status, or its body is no guardrail in `data`. */
export const guardrailReadMutants: readonly Mutant[] = [
  {
    id: 'guardrail-read.limit-as-string',
    section: '2.1',
    turnsRed: ['guardrail-read.field.limit_usd'],
    description: 'limit_usd is a string',
    hardness: 'plain',
    override: {
      guardrailView: (_call, guardrail) => ({ ...guardrail, limit_usd: String(guardrail.limit_usd) }),
    },
  },
  {
    id: 'guardrail-read.data-missing',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'The guardrail is in a member named guardrail, and there is no data',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
      ...answer,
      body: isJsonObject(answer.body) ? { guardrail: answer.body.data } : answer.body,
    })),
  },
  {
    id: 'guardrail-read.data-array',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'data is an array with the guardrail in it',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
      ...answer,
      body: isJsonObject(answer.body) ? { data: [answer.body.data] } : answer.body,
    })),
  },
  {
    id: 'guardrail-read.data-null',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'data is null',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
      ...answer,
      body: { data: null },
    })),
  },
  {
    id: 'guardrail-read.data-null-now-and-then',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'data is null on every sixth read that is served',
    hardness: 'intermittent',
    override: answers(
      {
        operation: 'guardrail-read',
        status: 200,
        when: (call) => counted(call, 'guardrails served') % 6 === 0,
      },
      (answer) => ({ ...answer, body: { data: null } }),
    ),
  },
  {
    id: 'guardrail-read.data-unwrapped',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'The body is the guardrail itself',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
      ...answer,
      body: isJsonObject(answer.body) && isJsonObject(answer.body.data) ? answer.body.data : answer.body,
    })),
  },
  {
    id: 'guardrail-read.data-as-text',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'data is a string that holds the guardrail as JSON',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
      ...answer,
      body: isJsonObject(answer.body) ? { data: JSON.stringify(answer.body.data) } : answer.body,
    })),
  },
  {
    id: 'guardrail-read.body-empty',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'The 200 has no body',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, () => ({ status: 200, headers: {} })),
  },
  {
    id: 'guardrail-read.read-201',
    section: '4.2',
    turnsRed: ['guardrail-read.200.read'],
    description: 'A read gets 201',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({ ...answer, status: 201 })),
  },
  {
    id: 'guardrail-read.read-204',
    section: '4.2',
    turnsRed: ['guardrail-read.200.read'],
    description: 'A read gets 204 and no body',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, () => ({ status: 204, headers: {} })),
  },
  {
    id: 'guardrail-read.media-type-plain',
    section: '4.2',
    turnsRed: ['guardrail-read.200.data'],
    description: 'The guardrail comes as text/plain',
    hardness: 'plain',
    override: answers({ operation: 'guardrail-read', status: 200 }, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'Content-Type': 'text/plain; charset=utf-8' },
    })),
  },
];
