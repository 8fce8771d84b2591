/** Paths of the contract as they are asked for: with values in place of parameters. */

import type { EndpointDescription } from '../../../src/http/contract/description.ts'

/** Returns the values that the contract names for each path parameter of an operation. */
export function pathExamplesOf({
  pathParameters,
}: EndpointDescription): Readonly<Record<string, string[]>> {
  const entries = Object.entries(pathParameters?.properties ?? {}).map(([name, schema]) => {
    const examples: unknown = schema['examples']
    if (!Array.isArray(examples) || examples.length === 0) {
      throw new Error(`give the path parameter ${name} examples`)
    }
    return [name, examples.map(String)] as const
  })
  return Object.fromEntries(entries)
}

/** Returns a path with these values in place of its parameters. */
export function pathWith(path: string, values: Readonly<Record<string, string>>): string {
  return path.replace(/:(\w+)/g, (_parameter, name: string) => {
    const value = values[name]
    if (value === undefined)
      throw new Error(`${path} has a parameter that is not described: ${name}`)
    return value
  })
}

/** Returns the path of an operation with the first example of each of its parameters. */
export function filledPath(operation: EndpointDescription): string {
  const values = Object.entries(pathExamplesOf(operation)).map(([name, [first = '']]) => [
    name,
    first,
  ])
  return pathWith(operation.path, Object.fromEntries(values))
}
