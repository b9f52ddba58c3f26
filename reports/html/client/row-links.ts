/// <reference lib="dom" />

/**
 * A link to a requirement (`#vault-delete.404.other-intern`) opens its row, marks it and goes there; so does a
 * bar of the timeline.
 * Its text goes into the page as it is compiled, so it may use nothing from outside itself.
 */
export function rowLinks(): void {
  const open = (): void => {
    const row = document.getElementById(location.hash.slice(1));
    if (!(row instanceof HTMLDetailsElement)) return;
    for (const marked of document.querySelectorAll('.linked')) marked.classList.remove('linked');
    row.classList.add('linked');
    row.open = true;
    row.scrollIntoView({ block: 'start' });
    row.querySelector('summary')?.focus({ preventScroll: true });
  };
  document.addEventListener('click', ({ target }) => {
    if (!(target instanceof Element)) return;
    const bar = target.closest<SVGElement>('[data-goes-to]')?.dataset.goesTo;
    const goesTo = bar === undefined ? target.closest('a')?.getAttribute('href') : `#${bar}`;
    // Where the address names that row already, there is no change of it to follow.
    if (goesTo === location.hash) open();
    else if (bar !== undefined) location.hash = bar;
  });
  window.addEventListener('hashchange', open);
  // A browser that has loaded a page goes to its fragment in its own way, and takes the focus away again.
  window.addEventListener('load', open);
}
