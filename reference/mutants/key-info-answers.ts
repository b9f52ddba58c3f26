import { type Mutant, makeMutants } from '../mutant.js';
import { answers, counted, restatused } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';
import { announcesBody, hasQuery, isAnonymous, refusedReads } from './refused-reads.js';

/** Mutants of the area key-info: the answer to a key read has another status or shape than §4.3 says. */
export const keyInfoAnswerMutants: readonly Mutant[] = [
  ...makeMutants('4.3', ['key-info.200.data'], {
    'key-info.data-missing': {
      everydayPlain: 'The body is the Key information itself, without data',
      override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) && isJsonObject(answer.body.data) ? answer.body.data : answer.body,
      })),
    },
    'key-info.data-array': {
      plain: 'data is an array with the Key information in it',
      override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
        ...answer,
        body: isJsonObject(answer.body) ? { data: [answer.body.data] } : answer.body,
      })),
    },
    'key-info.data-null': {
      subtle: 'data is null for a key without a limit',
      override: answers(
        {
          operation: 'key-read',
          status: 200,
          when: ({ key }) => key?.information.limit === null,
        },
        (answer) => ({ ...answer, body: { data: null } }),
      ),
    },
    'key-info.body-array': {
      plain: 'The body is an array',
      override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
        ...answer,
        body: JSON.stringify([answer.body]),
      })),
    },
    'key-info.body-cut-now-and-then': {
      everydayIntermittent: 'data is missing on every fifth key read that is served',
      override: answers(
        { operation: 'key-read', status: 200, when: (call) => counted(call, 'keys served') % 5 === 0 },
        (answer) => ({ ...answer, body: {} }),
      ),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.read'], {
    'key-info.read-201': {
      everydayPlain: 'A key read gets 201',
      alsoRed: ['key-info.status-documented', 'auth.bearer'],
      override: answers({ operation: 'key-read', status: 200 }, (answer) => ({ ...answer, status: 201 })),
    },
    'key-info.read-204': {
      plain: 'A key read gets 204 and no body',
      override: answers({ operation: 'key-read', status: 200 }, () => ({ status: 204, headers: {} })),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.data'], {
    'key-info.media-type-html': {
      plain: 'The Key information comes as text/html',
      override: answers({ operation: 'key-read', status: 200 }, (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'text/html; charset=utf-8' },
      })),
    },
    'key-info.page': {
      plain: 'The Key information comes as an HTML page',
      override: answers({ operation: 'key-read', status: 200 }, () => ({
        status: 200,
        headers: { 'Content-Type': 'text/html; charset=utf-8' },
        body: '<!doctype html><title>Key</title><p>limit: none</p>',
      })),
    },
  }),
  ...makeMutants('5', ['auth.missing-key'], {
    'key-info.missing-key-403': {
      everydayPlain: 'A key read without a key gets 403',
      override: restatused({ operation: 'key-read', status: 401, when: isAnonymous }, 403),
    },
    'key-info.missing-key-404': {
      plain: 'A key read without a key gets 404',
      override: restatused({ operation: 'key-read', status: 401, when: isAnonymous }, 404),
    },
    'key-info.missing-key-400': {
      plain: 'A key read without a key gets 400',
      override: restatused({ operation: 'key-read', status: 401, when: isAnonymous }, 400),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.read'], {
    'key-info.outside-programme-refused': {
      subtle: 'A key of a caller outside the intern programme gets 404, as on the vault routes',
      override: refusedReads('key-read', 404, ({ key }) => key?.traits.inProgramme === false),
    },
    'key-info.unscoped-refused': {
      subtle: 'A key without a usable workspace scope gets 403, as on the vault routes',
      override: refusedReads('key-read', 403, ({ key }) => key?.traits.scoped === false),
    },
    'key-info.write-disabled-refused': {
      subtle: 'A key whose caller may not write to the vault gets 503, as on the vault delete',
      override: refusedReads('key-read', 503, ({ key }) => key?.traits.vaultWrites === false),
    },
    'key-info.unpaid-refused': {
      subtle: 'A key of an account that has never bought credits gets 402',
      override: refusedReads('key-read', 402, ({ key }) => key?.traits.purchased === 0),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.no-parameters'], {
    'key-info.query-500': {
      everydayPlain: 'A query string leads to 500',
      override: refusedReads('key-read', 500, hasQuery),
    },
    'key-info.key-from-query': {
      subtle: 'A key in the query string is looked up in place of that of the header, and gets 404',
      override: refusedReads('key-read', 404, ({ path }) => /[?&]key=/.test(path)),
    },
    'key-info.body-500': {
      plain: 'A body leads to 500',
      override: refusedReads('key-read', 500, announcesBody),
    },
    'key-info.body-415': {
      plain: 'A body leads to 415',
      override: refusedReads('key-read', 415, announcesBody),
    },
  }),
];
