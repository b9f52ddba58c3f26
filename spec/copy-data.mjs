// Puts the data files beside the compiled code that names them.
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';

const root = new URL('../', import.meta.url);
for (const folder of ['spec/', 'reports/html/style/']) {
  mkdirSync(new URL(`dist/${folder}`, root), { recursive: true });
  for (const name of readdirSync(new URL(folder, root)).filter((file) => /\.(yaml|json|css)$/.test(file))) {
    copyFileSync(new URL(folder + name, root), new URL(`dist/${folder}${name}`, root));
  }
}
