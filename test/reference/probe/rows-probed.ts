/** The rows that are probed: those of the everyday proof, or with PLUMBLINE_WHOLE_CATALOGUE=1 every one. */
export function probed<Row extends { readonly everyday: boolean }>(rows: readonly Row[]): readonly Row[] {
  return process.env.PLUMBLINE_WHOLE_CATALOGUE === '1' ? rows : rows.filter(({ everyday }) => everyday);
}
