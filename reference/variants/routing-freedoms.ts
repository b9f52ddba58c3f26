import type { Answer, Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { answers } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';

/** Variants of routing: paths and methods of which the document says nothing (§4.1). */
export const routingVariants: readonly Variant[] = [
  ...makeVariants('4.1', {
    'odd-paths-404-page': {
      description: 'An encoded slash, a dot segment or an empty segment gets the 404 page of an edge',
      override: answers({ when: hasOddPath }, () => page(404)),
    },
    'odd-paths-400-page': {
      description: 'An encoded slash, a dot segment or an empty segment gets the 400 page of an edge',
      override: answers({ when: hasOddPath }, () => page(400)),
    },
    'odd-paths-405': {
      description: 'An encoded slash, a dot segment or an empty segment gets 405',
      override: answers({ when: hasOddPath }, (_answer, call) =>
        call.behaviour.refuse(call, { status: 405, message: 'Not here', headers: { Allow: 'GET' } }),
      ),
    },
    'odd-paths-301': {
      everyday: 'An encoded slash, a dot segment or an empty segment gets a 301 to the path without it',
      override: answers({ when: hasOddPath }, redirect(301)),
    },
    'odd-paths-308': {
      description: 'An encoded slash, a dot segment or an empty segment gets a 308 to the path without it',
      override: answers({ when: hasOddPath }, redirect(308)),
    },
    'odd-paths-unanswered': {
      description: 'An encoded slash, a dot segment or an empty segment loses its connection',
      override: {
        transmit: (response, answer, call) => {
          if (!hasOddPath(call)) return conforming.transmit(response, answer, call);
          response.destroy();
        },
      },
    },
    'paths-tidied': {
      description:
        'Encoded slashes are decoded, dot segments resolved and empty segments left out before routing',
      override: { rewriteTarget: tidied },
    },
    'unknown-routes-page': {
      description: 'A route or a method that is not served gets a page of HTML',
      override: {
        effects: {
          ...conforming.effects,
          'no-route': () => page(404),
          'wrong-method': () => page(405),
          'vault-other': () => page(404),
        },
      },
    },
    'vault-reads-405': {
      description: 'Any other request below /vault gets 405, outside the intern programme too',
      override: {
        gates: { ...conforming.gates, 'vault-other': [] },
        effects: {
          ...conforming.effects,
          'vault-other': (call) => call.behaviour.refuse(call, { status: 405, message: 'Delete only' }),
        },
      },
    },
    'vault-reads-served': {
      everyday: 'A caller in the intern programme may read the metadata of a secret',
      override: {
        effects: {
          ...conforming.effects,
          'vault-other': (call) =>
            call.method === 'GET' ? SECRET_METADATA : conforming.effects['vault-other'](call),
        },
      },
    },
  }),
  ...makeVariants('4.2', {
    'wrong-method-404': {
      description: 'A method that a route does not take gets 404',
      override: { effects: { ...conforming.effects, 'wrong-method': conforming.effects['no-route'] } },
    },
    'wrong-method-501': {
      description: 'A method that a route does not take gets 501',
      override: {
        effects: {
          ...conforming.effects,
          'wrong-method': (call) => call.behaviour.refuse(call, { status: 501, message: 'Not implemented' }),
        },
      },
    },
  }),
];

const SECRET_METADATA: Answer = {
  status: 200,
  headers: { 'Content-Type': 'application/json' },
  body: { data: { kind: 'secret', hosts: ['api.acme.test'] } },
};

/** Whether a path has an encoded slash, a dot segment or an empty one. */
function hasOddPath({ path }: Pick<Call, 'path'>): boolean {
  const [route = ''] = path.split('?');
  return /%2f/i.test(route) || route.split('/').slice(1).some(isOddSegment);
}

function isOddSegment(segment: string): boolean {
  return segment === '' || isDots(segment);
}

function isDots(segment: string): boolean {
  return /^(?:\.|%2e){1,2}$/i.test(segment);
}

/** The target without odd segments; the control never passes here. */
function tidied(target: string): string {
  const [route = '', ...query] = target.split('?');
  const kept: string[] = [];
  for (const segment of route.replace(/%2f/gi, '/').split('/')) {
    if (isDots(segment) && segment.replace(/%2e/gi, '.') === '..') kept.pop();
    else if (!isOddSegment(segment)) kept.push(segment);
  }
  return [`/${kept.join('/')}`, ...query].join('?');
}

function page(status: number): Answer {
  const headers = { 'Content-Type': 'text/html; charset=utf-8' };
  return { status, headers, body: `<!doctype html><title>${status}</title><p>Nothing to see here.` };
}

function redirect(status: number): (answer: Answer, call: Call) => Answer {
  return (_answer, { path }) => ({ ...page(status), headers: { Location: tidied(path) } });
}
