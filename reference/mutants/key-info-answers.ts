import { isJsonObject } from '../json.js';
import type { Mutant } from '../mutant.js';
import { answers, counted, restatused } from '../override.js';
import { announcesBody, hasQuery, isAnonymous, refusedReads } from './refused-reads.js';

/** Mutants of the area key-info: the answer to a key read has another status or shape than §4.3 says. */
export const keyInfoAnswerMutants: readonly Mutant[] = [
  {
    id: 'key-info.data-missing',
    section: '4.3',
    turnsRed: ['key-info.200.data'],
    description: 'The body is the Key information itself, without data',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
      ...answer,
      body: isJsonObject(answer.body) && isJsonObject(answer.body.data) ? answer.body.data : answer.body,
    })),
  },
  {
    id: 'key-info.data-array',
    section: '4.3',
    turnsRed: ['key-info.200.data'],
    description: 'data is an array with the Key information in it',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
      ...answer,
      body: isJsonObject(answer.body) ? { data: [answer.body.data] } : answer.body,
    })),
  },
  {
    id: 'key-info.data-null',
    section: '4.3',
    turnsRed: ['key-info.200.data'],
    description: 'data is null for a key without a limit',
    hardness: 'subtle',
    override: answers(
      {
        operation: 'key-read',
        status: 200,
        when: ({ key }) => key?.information.limit === null,
      },
      (answer) => ({ ...answer, body: { data: null } }),
    ),
  },
  {
    id: 'key-info.body-array',
    section: '4.3',
    turnsRed: ['key-info.200.data'],
    description: 'The body is an array',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
      ...answer,
      body: JSON.stringify([answer.body]),
    })),
  },
  {
    id: 'key-info.body-cut-now-and-then',
    section: '4.3',
    turnsRed: ['key-info.200.data'],
    description: 'data is missing on every fifth key read that is served',
    hardness: 'intermittent',
    override: answers(
      { operation: 'key-read', status: 200, when: (call) => counted(call, 'keys served') % 5 === 0 },
      (answer) => ({ ...answer, body: {} }),
    ),
  },
  {
    id: 'key-info.read-201',
    section: '4.3',
    turnsRed: ['key-info.200.read'],
    description: 'A key read gets 201',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 200 }, (answer) => ({ ...answer, status: 201 })),
  },
  {
    id: 'key-info.read-204',
    section: '4.3',
    turnsRed: ['key-info.200.read'],
    description: 'A key read gets 204 and no body',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 200 }, () => ({ status: 204, headers: {} })),
  },
  {
    id: 'key-info.media-type-html',
    section: '4.3',
    turnsRed: ['key-info.200.data'],
    description: 'The Key information comes as text/html',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
      ...answer,
      headers: { ...answer.headers, 'Content-Type': 'text/html; charset=utf-8' },
    })),
  },
  {
    id: 'key-info.page',
    section: '4.3',
    turnsRed: ['key-info.200.data'],
    description: 'The Key information comes as an HTML page',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 200 }, () => ({
      status: 200,
      headers: { 'Content-Type': 'text/html; charset=utf-8' },
      body: '<!doctype html><title>Key</title><p>limit: none</p>',
    })),
  },
  {
    id: 'key-info.missing-key-403',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'A key read without a key gets 403',
    hardness: 'plain',
    override: restatused({ operation: 'key-read', status: 401, when: isAnonymous }, 403),
  },
  {
    id: 'key-info.missing-key-404',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'A key read without a key gets 404',
    hardness: 'plain',
    override: restatused({ operation: 'key-read', status: 401, when: isAnonymous }, 404),
  },
  {
    id: 'key-info.missing-key-400',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'A key read without a key gets 400',
    hardness: 'plain',
    override: restatused({ operation: 'key-read', status: 401, when: isAnonymous }, 400),
  },
  {
    id: 'key-info.missing-key-served',
    section: '5',
    turnsRed: ['auth.missing-key'],
    description: 'A key read without a key gets the figures of some key',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 401, when: isAnonymous }, (answer, { server }) => {
      const [key] = server.store.keys();
      return key === undefined
        ? answer
        : { status: 200, headers: answer.headers, body: { data: key.information } };
    }),
  },
  {
    id: 'key-info.outside-programme-refused',
    section: '4.3',
    turnsRed: ['key-info.200.read'],
    description: 'A key of a caller outside the intern programme gets 404, as on the vault routes',
    hardness: 'subtle',
    override: refusedReads('key-read', 404, ({ key }) => key?.traits.inProgramme === false),
  },
  {
    id: 'key-info.unscoped-refused',
    section: '4.3',
    turnsRed: ['key-info.200.read'],
    description: 'A key without a usable workspace scope gets 403, as on the vault routes',
    hardness: 'subtle',
    override: refusedReads('key-read', 403, ({ key }) => key?.traits.scoped === false),
  },
  {
    id: 'key-info.write-disabled-refused',
    section: '4.3',
    turnsRed: ['key-info.200.read'],
    description: 'A key whose caller may not write to the vault gets 503, as on the vault delete',
    hardness: 'subtle',
    override: refusedReads('key-read', 503, ({ key }) => key?.traits.vaultWrites === false),
  },
  {
    id: 'key-info.unpaid-refused',
    section: '4.3',
    turnsRed: ['key-info.200.read'],
    description: 'A key of an account that has never bought credits gets 402',
    hardness: 'subtle',
    override: refusedReads('key-read', 402, ({ key }) => key?.traits.purchased === 0),
  },
  {
    id: 'key-info.query-500',
    section: '4.3',
    turnsRed: ['key-info.200.no-parameters'],
    description: 'A query string leads to 500',
    hardness: 'plain',
    override: refusedReads('key-read', 500, hasQuery),
  },
  {
    id: 'key-info.key-from-query',
    section: '4.3',
    turnsRed: ['key-info.200.no-parameters'],
    description: 'A key in the query string is looked up in place of that of the header, and gets 404',
    hardness: 'subtle',
    override: refusedReads('key-read', 404, ({ path }) => /[?&]key=/.test(path)),
  },
  {
    id: 'key-info.body-500',
    section: '4.3',
    turnsRed: ['key-info.200.no-parameters'],
    description: 'A body leads to 500',
    hardness: 'plain',
    override: refusedReads('key-read', 500, announcesBody),
  },
  {
    id: 'key-info.body-415',
    section: '4.3',
    turnsRed: ['key-info.200.no-parameters'],
    description: 'A body leads to 415',
    hardness: 'plain',
    override: refusedReads('key-read', 415, announcesBody),
  },
];
