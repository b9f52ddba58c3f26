/** The free model that the inference route knows; §8.2 tells free models by the ending `:free`. */
export const FREE_MODEL = 'acme/tiny:free';

/** The paid model that the inference route knows. */
export const PAID_MODEL = 'acme/large';

/** Whether a model is known. */
export function isKnownModel(model: string): boolean {
  return model === FREE_MODEL || model === PAID_MODEL;
}

/** Whether a model is a free variant (§8.2). */
export function isFreeModel(model: string): boolean {
  return model.endsWith(':free');
}
