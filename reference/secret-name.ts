/** The longest secret name, in characters (§2.3). */
export const LONGEST_SECRET_NAME = 255;

// A letter, then letters and digits; an underscore only between two of them.
const WORDS = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** Whether the characters of a name are as §2.3 wants them, whatever its length. */
export function hasSecretNameShape(name: string): boolean {
  return WORDS.test(name);
}

/** Whether a text is a secret name (§2.3). */
export function isSecretName(name: string): boolean {
  return name.length <= LONGEST_SECRET_NAME && hasSecretNameShape(name);
}
