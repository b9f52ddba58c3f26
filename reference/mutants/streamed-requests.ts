import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, changedMember, envelopes, type Override } from '../mutation.js';
import { brokenStreams, lastLine } from './stream-error-event.js';
import { during } from './vault-delete-builders.js';

/** Mutants of streamed requests: how the events are framed, and what a refusal lacks where a stream was asked for (§6, §7.4). */
export const streamedRequestMutants: readonly Mutant[] = [
  ...makeMutants('6', ['stream-error.event'], {
    'stream-error.blank-line-missing': {
      subtle: 'The error event ends with its data line, and no blank line follows',
      override: lastLine((event) => `data: ${JSON.stringify(event)}\n`),
    },
    'stream-error.blank-line-missing-before-done': {
      subtle: 'No blank line stands between the error event and [DONE], which become one event',
      override: lastLine((event) => `data: ${JSON.stringify(event)}\ndata: [DONE]\n\n`),
    },
    'stream-error.field-in-upper-case': {
      subtle: 'The chunk stands on a line that begins with Data: in place of data:',
      override: lastLine((event) => `Data: ${JSON.stringify(event)}\n\n`),
    },
    'stream-error.field-indented': {
      subtle: 'The data line of the error is indented by a blank, so that no parser knows the field',
      override: lastLine((event) => ` data: ${JSON.stringify(event)}\n\n`),
    },
    'stream-error.line-end-escaped': {
      subtle: 'The line ends of the error event are written as a backslash and an n',
      override: lastLine((event) => `data: ${JSON.stringify(event)}\\n\\n`),
    },
  }),
  ...makeMutants('6', ['stream-error.media-type'], {
    'stream-error.media-type-json-lines-for-free-models': {
      subtle: 'A stream of a free model that breaks is announced as application/x-ndjson',
      override: brokenStreams((answer, { inference }) =>
        inference !== undefined && conforming.isFreeModel(inference.model)
          ? { ...answer, headers: { ...answer.headers, 'Content-Type': 'application/x-ndjson' } }
          : answer,
      ),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.upstream.retry-after'], {
    'rate-limit.retry-after-missing-streamed': {
      subtle: 'A 429 has no Retry-After if a stream was asked for, although every provider gave a hint',
      override: streamedRefusalWithout('Retry-After', during('upstream_rate_limited_hint')),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.platform.header.limit'], {
    'rate-limit.header-limit-missing-streamed': {
      subtle: 'A 429 of the platform has no X-RateLimit-Limit if a stream was asked for',
      override: streamedRefusalWithout('X-RateLimit-Limit'),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.platform.header.reset'], {
    'rate-limit.header-reset-missing-streamed': {
      subtle: 'A 429 of the platform has no X-RateLimit-Reset if a stream was asked for',
      override: streamedRefusalWithout('X-RateLimit-Reset'),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.platform.error-type'], {
    'rate-limit.error-type-missing-streamed': {
      subtle: 'A 429 of the platform has no error_type in its metadata if a stream was asked for',
      override: envelopes({ operation: 'inference', status: 429, when: isStreamed }, (body, { platform }) =>
        platform === undefined ? body : { ...body, error: changedMember(body.error, 'metadata', {}) },
      ),
    },
  }),
  ...makeMutants('1', ['envelope.media-type'], {
    'envelope.streamed-402-event-stream': {
      subtle: 'The 402 of a streamed request is announced as text/event-stream, with the JSON envelope in it',
      override: answers({ operation: 'inference', status: 402, when: isStreamed }, (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'Content-Type': 'text/event-stream' },
      })),
    },
  }),
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

/** The 429 of a streamed request lacks a header. */
function streamedRefusalWithout(name: string, when: (call: Call) => boolean = () => true): Override {
  return answers(
    { operation: 'inference', status: 429, when: (call) => isStreamed(call) && when(call) },
    (answer) => {
      const { [name]: _left, ...headers } = answer.headers;
      return { ...answer, headers };
    },
  );
}
