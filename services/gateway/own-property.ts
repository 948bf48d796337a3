/**
 * The value of a record under a name that people chose. A plain read would find `constructor` and other names in the
 * prototype of every object.
 */
export function ownProperty<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
