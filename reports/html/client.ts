/// <reference lib="dom" />

// Each function goes into the page as its compiled text, so it may use nothing from outside itself.

/** Shows the controls, which would do nothing where scripts do not run. */
function showControls(): void {
  for (const control of document.querySelectorAll<HTMLElement>('[data-control]')) control.hidden = false;
}

/** Copies the line beside a button, or the address of a link to a finding, and says so. */
function copyLines(): void {
  const announcement = document.querySelector('[data-announcement]');
  const shownForMs = 2_000;

  const write = async (text: string): Promise<boolean> => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  };
  // For an older browser, or one that refuses the clipboard to a file.
  const copySelected = (line: Element): boolean => {
    const range = document.createRange();
    range.selectNodeContents(line);
    const selection = window.getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
    return document.execCommand('copy');
  };
  const announce = (button: Element, text: string): void => {
    const label = button.textContent;
    button.textContent = text;
    if (announcement !== null) announcement.textContent = text;
    setTimeout(() => {
      button.textContent = label;
      if (announcement !== null) announcement.textContent = '';
    }, shownForMs);
  };

  document.addEventListener('click', async ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-copy], [data-link]') : null;
    if (button === null || button.textContent === 'Copied') return;
    if (button instanceof HTMLAnchorElement) {
      // Where it cannot be copied, the click has put it into the address bar.
      if (await write(button.href)) announce(button, 'Copied');
      return;
    }
    const line = button.parentElement?.querySelector('code');
    if (line === null || line === undefined) return;
    const isCopied = (await write(line.textContent ?? '')) || copySelected(line);
    announce(button, isCopied ? 'Copied' : 'Selected: press Ctrl+C');
  });
}

/** Shows the rows that match the filters, which the address holds for sharing: `#status=fail&area=auth`. */
function filterLedger(): void {
  const form = document.querySelector<HTMLFormElement>('[data-filters]');
  const count = document.querySelector('[data-count]');
  const nothing = document.querySelector<HTMLElement>('[data-nothing]');
  if (form === null || count === null) return;

  const rows = [...document.querySelectorAll<HTMLElement>('[data-row]')].map((element) => ({
    element,
    text: '',
  }));
  const names = ['status', 'level', 'area'] as const;

  // The evidence of a failed requirement is where its row leads.
  const textOf = (row: (typeof rows)[number]): string => {
    const leadsTo = row.element.querySelector('.line a')?.getAttribute('href')?.slice(1);
    const evidence = leadsTo === undefined ? null : document.getElementById(leadsTo);
    row.text ||= `${row.element.textContent} ${evidence?.textContent ?? ''}`.toLowerCase();
    return row.text;
  };
  const apply = (): void => {
    const fields = new FormData(form);
    const words = String(fields.get('text')).toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = names.map((name) => ({ name, values: fields.getAll(name).filter(Boolean) }));
    const isWanted = (row: (typeof rows)[number]): boolean =>
      chosen.every(
        ({ name, values }) => values.length === 0 || values.includes(row.element.dataset[name] ?? ''),
      ) && words.every((word) => textOf(row).includes(word));
    for (const row of rows) row.element.hidden = !isWanted(row);
    const shown = rows.filter(({ element }) => !element.hidden).length;
    for (const group of document.querySelectorAll<HTMLElement>('[data-group], [data-settled]')) {
      group.hidden = group.querySelector('[data-row]:not([hidden])') === null;
      if (group instanceof HTMLDetailsElement) group.open = shown < rows.length;
    }
    count.textContent = `${shown} of ${rows.length} requirements`;
    if (nothing !== null) nothing.hidden = shown > 0;
  };

  const share = (): void => {
    const fields = new FormData(form);
    const params = new URLSearchParams();
    for (const name of [...names, 'text']) {
      const value = fields.getAll(name).join(',').trim();
      if (value !== '') params.set(name, value);
    }
    try {
      history.replaceState(null, '', `#${params.toString().replaceAll('%2C', ',')}`);
    } catch {
      // Some browsers refuse this to a file; the filters work all the same.
    }
  };
  const set = (params: URLSearchParams): void => {
    for (const field of form.querySelectorAll<HTMLInputElement>('[name]')) {
      const value = params.get(field.name) ?? '';
      if (field.type === 'checkbox') field.checked = value.split(',').includes(field.value);
      else field.value = value;
    }
    apply();
  };
  const follow = (): void => {
    const fragment = location.hash.slice(1);
    if (fragment.includes('=')) {
      set(new URLSearchParams(fragment));
      document.getElementById('ledger')?.scrollIntoView();
    } else if (document.getElementById(fragment)?.closest('[hidden]')) {
      // A link to a requirement shows it even where the filters hide it.
      set(new URLSearchParams());
    }
  };

  let waiting = false;
  const change = (): void => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      apply();
      share();
    });
  };
  form.addEventListener('input', change);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(change));
  window.addEventListener('hashchange', follow);
  // A browser that goes back to a page fills its fields in again.
  apply();
  follow();
}

/** Opens and marks the row that a link or key leads to: `j` next violation, `k` previous, `/` search. */
function followLinks(): void {
  const show = (row: Element | null | undefined): void => {
    if (!(row instanceof HTMLDetailsElement)) return;
    for (const marked of document.querySelectorAll('.linked')) marked.classList.remove('linked');
    row.classList.add('linked');
    for (let fold: Element | null | undefined = row; fold; fold = fold.parentElement?.closest('details'))
      (fold as HTMLDetailsElement).open = true;
    row.scrollIntoView({ block: 'start' });
    row.querySelector('summary')?.focus({ preventScroll: true });
  };
  const open = (): void => show(document.getElementById(location.hash.slice(1)));

  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const goesTo = target.closest('a')?.getAttribute('href');
    // Where the address names that row already, it does not change.
    if (goesTo === location.hash) open();
  });
  document.addEventListener('keydown', (event) => {
    const typing =
      event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const violations = [...document.querySelectorAll('[data-violation]')];
    const at = violations.findIndex((row) => row.matches('.linked'));
    if (event.key === 'j') show(violations[at + 1]);
    else if (event.key === 'k') show(violations[at - 1]);
    else if (event.key === '/') document.querySelector<HTMLElement>('input[name=text]')?.focus();
    else return;
    event.preventDefault();
  });
  window.addEventListener('hashchange', open);
  // A browser that has loaded a page goes to its fragment in its own way, and moves the focus.
  window.addEventListener('load', open);
}

/** The scripts of the page. The filters come first: links lead to rows that the filters must have shown. */
export const clientScripts: readonly (() => void)[] = [showControls, copyLines, filterLedger, followLinks];
