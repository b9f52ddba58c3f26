/** Request headers whose values say nothing of who sends them: all others are taken for secrets. */
const shown: ReadonlySet<string> = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'expect',
  'host',
  'keep-alive',
  'origin',
  'pragma',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'x-request-id',
]);

/** Whether the value of a request header may be shown. */
export function isShownHeader(name: string): boolean {
  const given = name.toLowerCase();
  return shown.has(given) || /^sec-(?:fetch|ch-ua)/.test(given);
}

/** Whether the value of a header looks as if it opened something: a long word of letters and digits, alone or after a scheme. */
export function looksLikeCredential(value: string): boolean {
  const word = /^(?:[a-z]+ )?(\S{12,})$/i.exec(value.trim())?.[1] ?? '';
  return /[a-z]/i.test(word) && /\d/.test(word) && !/^[\w+-]+:\/\/|^[\w.-]+\/[\w.+-]+$/.test(word);
}
