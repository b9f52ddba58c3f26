/** The words that stand in a recipe's texts for what differs from secret to secret. */
export const placeholders = ['{intern}', '{name}', '{value}', '{scope}'] as const;
export type Placeholder = (typeof placeholders)[number];

/** A text with a letter in place of each placeholder, to be read as the address it will become. */
export function withoutPlaceholders(text: string | undefined): string | undefined {
  return text?.replace(/\{(?:intern|name|value|scope)\}/g, 'x');
}

/** Whether some text of a value, however deep, holds a placeholder. */
export function holds(value: unknown, placeholder: Placeholder): boolean {
  if (typeof value === 'string') return value.includes(placeholder);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => holds(inner, placeholder));
}
