/** Records whose names and types are derived from a table. */

/** Returns the keys of a table, in its order. */
export function listKeys<Table extends object>(table: Table): Extract<keyof Table, string>[] {
  const names: Extract<keyof Table, string>[] = []
  for (const name in table) names.push(name)
  return names
}

/** Returns a record with `read(name)` under each of `names`, which must be all its keys. */
export function buildRecord<Values extends object>(
  names: readonly Extract<keyof Values, string>[],
  read: <Name extends Extract<keyof Values, string>>(name: Name) => Values[Name],
): Values {
  const values: Partial<Values> = {}
  for (const name of names) values[name] = read(name)
  if (isWhole(values, names)) return values
  throw new Error('a record lacks one of its names')
}

function isWhole<Values extends object>(
  values: Partial<Values>,
  names: readonly (keyof Values)[],
): values is Values {
  return names.every((name) => name in values)
}
