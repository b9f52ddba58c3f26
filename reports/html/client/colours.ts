/// <reference lib="dom" />

/**
 * The button that changes between light and dark; what was chosen is remembered where the browser allows it.
 * Its text goes into the page as it is compiled, so it may use nothing from outside itself.
 */
export function colours(): void {
  const key = 'plumbline-colours';
  const root = document.documentElement;
  const button = document.querySelector<HTMLButtonElement>('[data-colours]');
  const dark = window.matchMedia('(prefers-color-scheme: dark)');

  const remembered = (): string | null => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const remember = (choice: string): void => {
    try {
      localStorage.setItem(key, choice);
    } catch {
      // A page that was opened from a file may have no storage: the choice lasts as long as the page.
    }
  };
  const shown = (): string => root.dataset.colours ?? (dark.matches ? 'dark' : 'light');
  const label = (): void => {
    if (button !== null) button.textContent = shown() === 'dark' ? 'Light colours' : 'Dark colours';
  };

  const chosen = remembered();
  if (chosen === 'light' || chosen === 'dark') root.dataset.colours = chosen;
  label();
  dark.addEventListener('change', label);
  button?.addEventListener('click', () => {
    const choice = shown() === 'dark' ? 'light' : 'dark';
    root.dataset.colours = choice;
    remember(choice);
    label();
  });
}
