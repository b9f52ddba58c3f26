import { expect, it } from 'vitest';
import { readShard, writeShard } from '../../judge/plan.js';

it.each(['1/1', '2/3', '3/3', '12/40'])('%s is a part', (text) => {
  const shard = readShard(text);
  expect(shard && writeShard(shard)).toBe(text);
});

it.each(['0/3', '4/3', '3', '1/0', '-1/3', '1.5/3', '1/3/5', '01/3', '1/99999', '', '1/ 3'])(
  '"%s" is none',
  (text) => {
    expect(readShard(text)).toBeUndefined();
  },
);
