/** Prints rows under a heading, columns aligned: the first to the left, the others to the right. */
export const printTable = (heading: readonly string[], rows: readonly (readonly string[])[]): void => {
  const widths = heading.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd();
  console.log(line(heading));
  console.log(widths.map((width) => '-'.repeat(width)).join('  '));
  for (const row of rows) console.log(line(row));
};
