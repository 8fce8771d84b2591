/** Holds the contract and the app to each other: paths, methods, and the parameters that are read. */

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { policyNames } from '../../../src/config.ts'
import { createApp } from '../../../src/http/app.ts'
import type { EndpointDescription } from '../../../src/http/contract/description.ts'
import { documentedEndpoints } from '../../../src/http/endpoints/endpoints.ts'
import { pathExamplesOf } from './filled-path.ts'
import { ExampleWorld, patienceMs } from './world.ts'

setDefaultTimeout(patienceMs)

const all: readonly EndpointDescription[] = documentedEndpoints

let world: ExampleWorld

beforeAll(async () => {
  world = await ExampleWorld.open()
})
afterAll(() => world.close())

const isTaxiiPath = (path: string): boolean => /^\/(?:api\/taxii|taxii2)\b/.test(path)

const byName = (a: string, b: string): number => a.localeCompare(b)

describe('the contract', () => {
  test('holds every path and method that the app routes, and no other', () => {
    const named = all.flatMap(({ method, path }) =>
      method === 'get' ? [`GET ${path}`, `HEAD ${path}`] : [`${method.toUpperCase()} ${path}`],
    )
    const routed = createApp(world.services).routes.flatMap(({ method, path }) => {
      const route = `${method} ${path}`
      // Of TAXII the contract holds what the specification names. Manifests, single objects, versions, the
      // root `/taxii2` and what refuses writing are the standard's: its clients know them without a contract.
      return isTaxiiPath(path) && !named.includes(route) ? [] : [route]
    })
    expect(named.sort(byName)).toEqual(routed.sort(byName))
  })

  test('holds of TAXII exactly the paths that the specification names', () => {
    expect(all.map(({ path }) => path).filter(isTaxiiPath)).toEqual([
      '/api/taxii/2.1',
      '/api/taxii/2.1/collections',
      '/api/taxii/2.1/collections/:collection/objects',
    ])
  })

  test('describes every parameter that a path has, and no other', () => {
    for (const operation of all) {
      const inPath = [...operation.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
      expect([operation.path, Object.keys(pathExamplesOf(operation))]).toEqual([
        operation.path,
        inPath,
      ])
    }
  })

  test('has something under every limit that there is', () => {
    const used = new Set(all.flatMap(({ policy }) => policy ?? []))
    expect(policyNames.filter((name) => name !== 'GENERAL' && !used.has(name))).toEqual([])
  })
})
