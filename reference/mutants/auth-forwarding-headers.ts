import { FreeUsage } from '../accounts.js';
import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { noGate, type Override } from '../mutation.js';
import { hasHeader, ownerOf, servesAs } from './credential-rule.js';
import { onRegionalHost } from './vault-delete-builders.js';

/** Mutants that believe headers which a proxy in front would set, whoever sent them (§1, §4.1, §5, §8.2). */
export const authForwardingHeaderMutants: readonly Mutant[] = [
  ...makeMutants('4.1', ['vault-delete.safe-methods'], {
    'vault-delete.get-with-method-override-deletes': {
      subtle: 'A GET with X-HTTP-Method-Override: DELETE deletes',
      override: overridesMethod(({ method }) => method === 'GET' || method === 'HEAD'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.204.deleted'], {
    'vault-delete.method-override-turns-delete-into-a-read': {
      subtle: 'A DELETE with X-HTTP-Method-Override: GET is taken for a read, and nothing is deleted',
      override: {
        receive: (call) =>
          call.operation === 'vault-delete' && overrideOf(call) === 'GET'
            ? { ...call, operation: 'vault-other', method: 'GET' }
            : call,
      },
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.method-override-lets-write-disabled-in': {
      subtle:
        'A delete with X-HTTP-Method-Override: GET passes for a read where vault writes are disabled for the caller',
      override: noGate('vault-delete', 'vault-writes', (call) => overrideOf(call) === 'GET'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.regional-host'], {
    'vault-delete.forwarded-host-hides-the-regional-host': {
      subtle: 'X-Forwarded-Host counts in place of the hostname: with any other name the regional one passes',
      override: noGate('vault-delete', 'regional-host', ({ headers, server }) => {
        const forwarded = headers['x-forwarded-host'];
        return typeof forwarded === 'string' && !conforming.isRegionalHost(forwarded, server.regionalHost);
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.204.deleted'], {
    'vault-delete.forwarded-host-403': {
      subtle: 'A delete that carries X-Forwarded-Host answers 403, unless that repeats the hostname',
      override: {
        receive: (call) => {
          const { host, headers, operation, server } = call;
          const isForwarded =
            headers['x-forwarded-host'] !== undefined && headers['x-forwarded-host'] !== host;
          const isDelete = operation === 'vault-delete' && !onRegionalHost(call);
          return isDelete && isForwarded ? { ...call, host: server.regionalHost } : call;
        },
      },
    },
  }),
  ...makeMutants('5', ['auth.missing-key'], {
    'auth.original-url-skips-authentication': {
      subtle:
        'A key read without a key is served if X-Original-URL or X-Rewrite-URL names a path outside the interface',
      override: servesAs('key-read', (call) => {
        const path = call.headers['x-original-url'] ?? call.headers['x-rewrite-url'];
        const isPublic = typeof path === 'string' && !path.startsWith('/v1/');
        return !hasHeader(call) && isPublic ? ownerOf(call) : undefined;
      }),
    },
  }),
  ...makeMutants('4.1', ['vault-delete.204.only-the-named'], {
    'vault-delete.original-url-names-the-secret': {
      subtle: 'The name in X-Original-URL or X-Rewrite-URL counts in place of that in the path',
      override: {
        receive: (call) => {
          const path = call.headers['x-original-url'] ?? call.headers['x-rewrite-url'];
          const name = /\/secrets\/([^/?]+)$/.exec(String(path))?.[1];
          return call.operation === 'vault-delete' && name !== undefined
            ? { ...call, parameters: { ...call.parameters, name } }
            : call;
        },
      },
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.missing-key'], {
    'auth.forwarded-for-loopback-deletes': {
      subtle:
        'A vault delete without a key is done if X-Forwarded-For is a loopback address, as if from inside',
      override: servesAs('vault-delete', (call) =>
        !hasHeader(call) && /^(?:127\.|::1$)/.test(String(call.headers['x-forwarded-for']))
          ? ownerOf(call)
          : undefined,
      ),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.minute.refused'], {
    'rate-limit.counted-by-forwarded-for': {
      subtle: 'Requests to free models are counted by the address in X-Forwarded-For, where there is one',
      override: {
        usageOf: ({ headers, server }, key) => {
          const address = headers['x-forwarded-for'];
          if (address === undefined) return key.usage;
          const name = `usage of ${key.text} ${String(address)}`;
          const usage = server.memory.get(name) ?? new FreeUsage();
          server.memory.set(name, usage);
          return usage as FreeUsage;
        },
      },
    },
  }),
];

function overrideOf({ headers }: Call): string | undefined {
  const given = headers['x-http-method-override'] ?? headers['x-method-override'] ?? headers['x-http-method'];
  return typeof given === 'string' ? given.toUpperCase() : undefined;
}

/** Some requests of the path of a secret are the delete that a header names. */
function overridesMethod(when: (call: Call) => boolean): Override {
  return {
    receive: (call) => {
      const [, internId, name] = /\/vault\/interns\/([^/?]+)\/secrets\/([^/?]+)/.exec(call.path) ?? [];
      if (internId === undefined || name === undefined || !when(call) || overrideOf(call) !== 'DELETE')
        return call;
      return { ...call, operation: 'vault-delete', method: 'DELETE', parameters: { internId, name } };
    },
  };
}
