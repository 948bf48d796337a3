/** The rows of the lists of a page that have something to open. */
const rowsOf = (main: Element) => [...main.querySelectorAll('li, tbody tr')].filter((row) => row.querySelector('a'));

/** Moves the focus to the link of the next row, or the one before. */
export function stepRow(by: 1 | -1): void {
  const main = document.querySelector('main');
  if (main === null) return;
  const rows = rowsOf(main);
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = current === -1 ? rows.at(by === 1 ? 0 : -1) : rows[current + by];
  next?.querySelector('a')?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** Selects the row that has the focus, or takes the selection back. */
export function selectRow(): void {
  document.activeElement?.closest('li, tr')?.querySelector<HTMLInputElement>('input[type="checkbox"]')?.click();
}

/** Moves the focus to the search of the page; false if it has none. */
export function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  return field !== null;
}
