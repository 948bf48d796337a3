/** The sort orders after one of the names was moved to a position. */
export function movedTo(names: readonly string[], name: string, position: number): Record<string, number> {
  const others = names.filter((each) => each !== name);
  return Object.fromEntries(others.toSpliced(position, 0, name).map((each, index) => [each, index + 1]));
}
