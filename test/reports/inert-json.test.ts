import { expect, test } from 'vitest';
import { escapeJson, renderJson, renderJsonLine } from '../../reports/sanitize.js';
import { everyHostileText } from './hostile-report.js';

test('inert JSON holds nothing that controls or hides, and reads back as it was', () => {
  const value = { [everyHostileText]: [everyHostileText, { at: null, of: 1.5 }], plain: 'é😀' };
  const json = renderJson(value);
  expect(json).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
  expect(json).toContain('"plain": "é😀"');
  expect(JSON.parse(json)).toEqual(value);
});

test('a line of inert JSON has no line end in it, and neither has JSON that was escaped afterwards', () => {
  const value = { a: 'one\u009b\u202e\u200b\ntwo' };
  const line = '{"a":"one\\u009b\\u202e\\u200b\\ntwo"}';
  expect(renderJsonLine(value)).toBe(line);
  expect(escapeJson(JSON.stringify(value))).toBe(line);
});
