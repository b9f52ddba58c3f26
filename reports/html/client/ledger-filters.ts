/// <reference lib="dom" />

/**
 * Shows the rows of the ledger that the filters ask for. The filters stand in the fragment of the address
 * (`#status=fail&area=auth&text=name`), so that a filtered view can be shared.
 * Its text goes into the page as it is compiled, so it may use nothing from outside itself.
 */
export function ledgerFilters(): void {
  const form = document.querySelector<HTMLFormElement>('[data-filters]');
  const count = document.querySelector('[data-count]');
  const nothing = document.querySelector<HTMLElement>('[data-nothing]');
  if (form === null || count === null) return;

  const groups = [...document.querySelectorAll<HTMLElement>('[data-group]')].map((element) => ({
    element,
    rows: [...element.querySelectorAll<HTMLElement>('[data-row]')].map((row) => ({
      element: row,
      text: '',
    })),
  }));
  const rows = groups.flatMap((group) => group.rows);
  type Row = (typeof rows)[number];

  const box = (name: string): HTMLInputElement[] => [
    ...form.querySelectorAll<HTMLInputElement>(`input[type=checkbox][name=${name}]`),
  ];
  const boxes = { status: box('status'), level: box('level') };
  const area = form.querySelector<HTMLSelectElement>('select[name=area]');
  const text = form.querySelector<HTMLInputElement>('input[name=text]');
  const ticked = (name: 'status' | 'level'): readonly string[] =>
    boxes[name].filter((one) => one.checked).map((one) => one.value);

  const textOf = (row: Row): string => {
    if (row.text === '') row.text = row.element.querySelector('summary')?.textContent?.toLowerCase() ?? ' ';
    return row.text;
  };
  const apply = (): void => {
    const statuses = ticked('status');
    const levels = ticked('level');
    const words = (text?.value ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = (row: Row): boolean =>
      (statuses.length === 0 || statuses.includes(row.element.dataset.status ?? '')) &&
      (levels.length === 0 || levels.includes(row.element.dataset.level ?? '')) &&
      (!area?.value || row.element.dataset.area === area.value) &&
      words.every((word) => textOf(row).includes(word));
    let shown = 0;
    for (const group of groups) {
      let inGroup = 0;
      for (const row of group.rows) {
        const hidden = !wanted(row);
        if (row.element.hidden !== hidden) row.element.hidden = hidden;
        if (!hidden) inGroup += 1;
      }
      if (group.element.hidden !== (inGroup === 0)) group.element.hidden = inGroup === 0;
      shown += inGroup;
    }
    count.textContent = `${shown} of ${rows.length} requirements`;
    if (nothing !== null) nothing.hidden = shown > 0;
  };

  const fragment = (): string => {
    const told = new URLSearchParams();
    for (const name of ['status', 'level'] as const)
      if (ticked(name).length > 0) told.set(name, ticked(name).join(','));
    if (area?.value) told.set('area', area.value);
    if (text?.value.trim()) told.set('text', text.value.trim());
    return told.toString().replaceAll('%2C', ',');
  };
  const share = (): void => {
    try {
      history.replaceState(null, '', `#${fragment()}`);
    } catch {
      // Some browsers refuse this to a file; the filters work all the same.
    }
  };
  const set = (told: URLSearchParams): void => {
    for (const name of ['status', 'level'] as const) {
      const values = (told.get(name) ?? '').split(',');
      for (const one of boxes[name]) one.checked = values.includes(one.value);
    }
    if (area !== null) area.value = told.get('area') ?? '';
    if (text !== null) text.value = told.get('text') ?? '';
    apply();
  };
  const follow = (): void => {
    const told = location.hash.slice(1);
    if (told.includes('=')) {
      set(new URLSearchParams(told));
      document.getElementById('ledger')?.scrollIntoView();
    } else if (document.getElementById(told)?.hidden === true) {
      // A link to one requirement must show it, whatever the filters say.
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
  document.addEventListener('keydown', (event) => {
    const typing =
      event.target instanceof Element && event.target.closest('input, select, textarea') !== null;
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    text?.focus();
  });
  window.addEventListener('hashchange', follow);
  // A browser that goes back to a page fills its fields in again.
  apply();
  follow();
}
