import { setFlagsFromString } from 'node:v8';

let isKept = false;

/**
 * Lets the heap grow by a third at most between collections. Bodies of hundreds of kilobytes are let go as fast as they
 * come, and would else be collected only once they are several times what is in use.
 */
export function keepHeapSmall(): void {
  if (isKept) return;
  isKept = true;
  setFlagsFromString('--heap-growing-percent=33');
}
