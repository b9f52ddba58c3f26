import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const quotes: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = parse(
  readFileSync(new URL('../../spec/quotes.yaml', import.meta.url), 'utf8'),
);

/** The numbers of the document's sections that state something; `preface` is the text before section 1. */
export const sections: readonly string[] = Object.keys(quotes);

/** Every place that states something as `section/slug`, the form in which the ledger's `covers` name it, with its sentence. */
export const places: readonly (readonly [anchor: string, sentence: string])[] = Object.entries(
  quotes,
).flatMap(([section, sentences]) =>
  Object.entries(sentences).flatMap(([sentence, slugs]) =>
    slugs.map((slug) => [`${section}/${slug}`, sentence] as const),
  ),
);

export const anchors: readonly string[] = places.map(([anchor]) => anchor);

/** Every place at which the document says that something is not shown. */
export const notShown: readonly string[] = [
  '1/operations',
  '2.1/reset-values',
  '2.1/content_filters',
  '2.1/element-type',
  '2.1/presence',
  '2.2/limit-reset-values',
  '2.3/record',
  '3/states',
  '4.1/other-routes',
  '5/6',
  '6/no-push',
  '6/webhooks',
  '7.4/error-types',
  '8.3/rate-limit',
  '8.3/deadline',
  '9/deprecation',
  '9/negotiation',
];
