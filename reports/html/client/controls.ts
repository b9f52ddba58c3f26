/// <reference lib="dom" />

/**
 * Shows the controls, which would do nothing where scripts do not run.
 * Its text goes into the page as it is compiled, so it may use nothing from outside itself.
 */
export function controls(): void {
  for (const control of document.querySelectorAll<HTMLElement>('[data-control]')) control.hidden = false;
}
