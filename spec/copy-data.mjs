// Puts the data files beside the compiled code that names them.
import { copyFileSync, readdirSync } from 'node:fs';

const here = new URL('./', import.meta.url);
for (const name of readdirSync(here).filter((file) => /\.(yaml|json)$/.test(file))) {
  copyFileSync(new URL(name, here), new URL(`../dist/spec/${name}`, here));
}
