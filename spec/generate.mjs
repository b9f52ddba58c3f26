// Turns the data of spec/ into TypeScript before the compiler runs, so that a mistyped requirement id does
// not compile and no command pays for parsing YAML when it starts.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { writeTypes } from './schema-types.mjs';

const here = new URL('./', import.meta.url);
const read = (name) => readFileSync(new URL(name, here), 'utf8');
const banner = '// Made by spec/generate.mjs; change the data that it is made from instead.\n';

mkdirSync(new URL('generated/', here), { recursive: true });
const write = (name, text) => writeFileSync(new URL(`generated/${name}`, here), banner + text);

const rows = parse(read('requirements.yaml'));
const ids = rows.map((row) => `  | ${JSON.stringify(row.id)}`).join('\n');
write(
  'ledger.ts',
  `import type { RequirementRow } from '../requirement.js';

/** The id of a row of the ledger. */
export type RequirementId =
${ids};

/** The rows of requirements.yaml, in the order of the document's areas. */
export const rows: readonly RequirementRow<RequirementId>[] = ${JSON.stringify(rows, null, 1)};
`,
);

const parsed = (file, name, type = 'unknown') =>
  `/** ${file}, parsed. */\nexport const ${name}: ${type} = ${JSON.stringify(parse(read(file)))};\n`;
const sha256 = createHash('sha256').update(read('openapi.yaml')).digest('hex');
write(
  'openapi.ts',
  `/** SHA-256 of openapi.yaml as it stands in the repository, in hex. */
export const openapiSha256 = '${sha256}';

${parsed('openapi.yaml', 'openapiDocument')}`,
);
write('control.ts', parsed('control.yaml', 'controlDocument'));
write('stream-error.ts', parsed('stream-error.schema.json', 'streamErrorSchema'));

write(
  'explanations.ts',
  parsed('quotes.yaml', 'quotes', 'Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>') +
    parsed('repairs.yaml', 'repairs', 'Readonly<Record<string, string>>'),
);

const capitalize = (name) => name.charAt(0).toUpperCase() + name.slice(1);
const typesOf = (schema, options) => writeTypes(JSON.parse(read(schema)), options);
const unprefixed = ['failure', 'mismatch', 'policy', 'violationIdentity'];
const reportTypes = typesOf('report.schema.json', {
  root: 'Report',
  nameOf: (name) => `${unprefixed.includes(name) ? '' : 'Reported'}${capitalize(name)}`,
  imported: {
    ground: 'GateGround',
    level: 'Level',
    reasonCode: 'ReasonCode | null',
    requirementId: 'RequirementId',
  },
});
write(
  'report.ts',
  `import type { GateGround, ReasonCode } from '../reasons.js';
import type { Level } from '../requirement.js';
import type { RequirementId } from './ledger.js';

${reportTypes}`,
);
for (const [schema, root] of [
  ['profile', 'WrittenProfile'],
  ['observed', 'ObservedLine'],
  ['har-entry', 'HarEntry'],
])
  write(`${schema}.ts`, typesOf(`${schema}.schema.json`, { root, nameOf: capitalize }));
