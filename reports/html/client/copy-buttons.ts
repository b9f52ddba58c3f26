/// <reference lib="dom" />

/**
 * The buttons that copy the line beside them, and say so.
 * Its text goes into the page as it is compiled, so it may use nothing from outside itself.
 */
export function copyButtons(): void {
  const announcement = document.querySelector('[data-announcement]');
  const shownForMs = 2_000;

  // What an older browser, or one that refuses the clipboard to a file, can still do.
  const copySelected = (line: Element): boolean => {
    const range = document.createRange();
    range.selectNodeContents(line);
    const selection = window.getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    return document.execCommand('copy');
  };
  const copied = async (line: Element): Promise<boolean> => {
    try {
      await navigator.clipboard.writeText(line.textContent ?? '');
      return true;
    } catch {
      return copySelected(line);
    }
  };
  const tell = (button: Element, text: string): void => {
    const label = button.textContent;
    button.textContent = text;
    if (announcement !== null) announcement.textContent = text;
    setTimeout(() => {
      button.textContent = label;
      if (announcement !== null) announcement.textContent = '';
    }, shownForMs);
  };

  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-copy]') : null;
    const line = button?.parentElement?.querySelector('code');
    if (button === null || line === null || line === undefined || button.textContent === 'Copied') return;
    tell(button, (await copied(line)) ? 'Copied' : 'Selected: press Ctrl+C');
  });
}
