import type { OpenApiFault } from './fault.js';
import { isJsonRecord } from './json-record.js';
import {
  childrenOfKind,
  type LocatedNode,
  type LocatedNodes,
  nodesOfKind,
  referent,
} from './located-nodes.js';

/** Path templates that are not of their form, that are the same, or that disagree with the parameters declared. */
export function pathFaults(nodes: LocatedNodes): OpenApiFault[] {
  const paths = nodesOfKind(nodes, 'pathItem').filter(isPath);
  return [
    ...paths.flatMap(malformedPath),
    ...ambiguousPaths(paths),
    ...paths.flatMap((path) => disagreements(nodes, path)),
    ...optionalPathParameters(nodes),
  ];
}

// The path items of webhooks and callbacks are called by other names than path templates.
function isPath(item: LocatedNode): boolean {
  return item.parent?.kind === 'document' && item.where.startsWith('/paths/');
}

const parameterInTemplate = /\{([^{}]*)\}/gu;

function namesInTemplate(template: string): string[] {
  return [...template.matchAll(parameterInTemplate)].map(([, name]) => name ?? '');
}

function withNamesErased(template: string): string {
  return template.replaceAll(parameterInTemplate, '{}');
}

function malformedPath(path: LocatedNode): OpenApiFault[] {
  const names = namesInTemplate(path.name);
  const complaints = [
    path.name.startsWith('/') ? null : 'does not begin with a slash',
    /[{}]/u.test(path.name.replaceAll(parameterInTemplate, '')) ? 'has a brace without its other half' : null,
    /[?#]/u.test(path.name) ? 'has a query or a fragment' : null,
    names.includes('') ? 'has a parameter without a name' : null,
    new Set(names).size < names.length ? 'names one parameter twice' : null,
  ];
  return complaints
    .filter((complaint) => complaint !== null)
    .map((complaint) => ({
      where: path.where,
      kind: 'malformed-path',
      message: `${path.name} ${complaint}`,
    }));
}

function ambiguousPaths(paths: readonly LocatedNode[]): OpenApiFault[] {
  const firstOf = new Map<string, LocatedNode>();
  return paths.flatMap((path): OpenApiFault[] => {
    const erased = withNamesErased(path.name);
    const first = firstOf.get(erased);
    if (first === undefined) {
      firstOf.set(erased, path);
      return [];
    }
    const message = `${path.name} is the same template as ${first.name}`;
    return [{ where: path.where, kind: 'ambiguous-path', message }];
  });
}

interface DeclaredParameter {
  readonly name: string;
  readonly where: string;
}

function disagreements(nodes: LocatedNodes, path: LocatedNode): OpenApiFault[] {
  const item = referent(nodes, path);
  if (item === null) return [];
  const inTemplate = namesInTemplate(path.name);
  const shared = declaredIn(nodes, item);
  const operations = childrenOfKind(nodes, item, 'operation');
  return [
    ...unusedParameters(path, inTemplate, shared),
    ...operations.flatMap((operation) => {
      const own = declaredIn(nodes, operation);
      return [
        ...unusedParameters(path, inTemplate, own),
        ...undeclaredParameters(operation, inTemplate, [...shared, ...own]),
      ];
    }),
  ];
}

function declaredIn(nodes: LocatedNodes, holder: LocatedNode): DeclaredParameter[] {
  return childrenOfKind(nodes, holder, 'parameter').flatMap((listed) => {
    const parameter = referent(nodes, listed)?.value;
    if (!isJsonRecord(parameter) || parameter.in !== 'path') return [];
    return typeof parameter.name === 'string' ? [{ name: parameter.name, where: listed.where }] : [];
  });
}

function unusedParameters(
  path: LocatedNode,
  inTemplate: readonly string[],
  declared: readonly DeclaredParameter[],
): OpenApiFault[] {
  return declared
    .filter(({ name }) => !inTemplate.includes(name))
    .map(({ name, where }) => ({
      where,
      kind: 'unused-path-parameter',
      message: `${name} is declared, but ${path.name} does not have it`,
    }));
}

function undeclaredParameters(
  operation: LocatedNode,
  inTemplate: readonly string[],
  declared: readonly DeclaredParameter[],
): OpenApiFault[] {
  const names = declared.map(({ name }) => name);
  return inTemplate
    .filter((name) => !names.includes(name))
    .map((name) => ({
      where: operation.where,
      kind: 'undeclared-path-parameter',
      message: `{${name}} stands in the path, but no parameter of that name is declared`,
    }));
}

function optionalPathParameters(nodes: LocatedNodes): OpenApiFault[] {
  return nodesOfKind(nodes, 'parameter').flatMap(({ value, where }): OpenApiFault[] => {
    if (!isJsonRecord(value) || value.in !== 'path' || value.required === true) return [];
    const message = `${String(value.name)} stands in the path and so has to be required: true`;
    return [{ where, kind: 'optional-path-parameter', message }];
  });
}
