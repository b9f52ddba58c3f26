import type { HostileRow } from './row.js';
import { bodyRows } from './rows/bodies.js';
import { courseRows } from './rows/courses.js';
import { framingRows } from './rows/framing.js';
import { headRows } from './rows/heads.js';
import { redirectRows } from './rows/redirects.js';
import { silenceRows } from './rows/silence.js';
import { streamRows } from './rows/streams.js';

/** Every behaviour of a hostile server on an operation of the interface. */
export const operationRows: readonly HostileRow[] = [
  ...silenceRows,
  ...courseRows,
  ...bodyRows,
  ...framingRows,
  ...headRows,
  ...redirectRows,
  ...streamRows,
];
