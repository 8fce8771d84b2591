/** What operators copy from here, and how the executable is put together. */

import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import manifest from '../package.json'
import { Metrics } from '../src/http/metrics.ts'
import { threadEntries } from '../src/threads/entries.ts'

const root = resolve(import.meta.dir, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')

const rule = Type.Object(
  {
    alert: Type.String({ pattern: '^Weir[A-Z][A-Za-z]+$' }),
    expr: Type.String({ minLength: 1 }),
    for: Type.Optional(Type.String({ pattern: '^[0-9]+[smhd]$' })),
    labels: Type.Object({
      severity: Type.Union([Type.Literal('critical'), Type.Literal('warning')]),
    }),
    annotations: Type.Object(
      { summary: Type.String({ minLength: 20 }), description: Type.String({ minLength: 40 }) },
      { additionalProperties: false },
    ),
  },
  { additionalProperties: false },
)
const ruleFile = Type.Object({
  groups: Type.Tuple([Type.Object({ name: Type.Literal('weir'), rules: Type.Array(rule) })]),
})

function rules(): Static<typeof rule>[] {
  const file: unknown = Bun.YAML.parse(read('examples/alerts.yml'))
  return Value.Decode(ruleFile, file).groups[0].rules
}

/** What /metrics prints when there is something of everything. */
async function printed(): Promise<string> {
  const metrics = new Metrics({
    readiness: () => ({
      status: 'ready',
      seq: 1,
      indicators: 1,
      viewLag: { rows: 0, seconds: 0 },
      searchLag: { rows: 0, seconds: 0 },
      sources: [{ name: 'a-list', ageSeconds: 1, overdue: false }],
      walBytes: 0,
      version: '1.0.0',
    }),
    occupancy: () => ({
      policies: [{ policy: 'BULK', clients: 1, clientsMax: 2 }],
      inFlight: [{ class: 'lists', count: 0, max: 1 }],
    }),
    publishedDomains: () => 1,
  })
  for (const status of [200, 500, 503]) {
    metrics.answers.noteAnswer('/api/check-url', 'GET', status, 0.001)
  }
  return metrics.render()
}

/** Returns every metric that an expression names, each with the labels it is chosen by. */
function selectorsIn(expression: string): { name: string; labels: string[] }[] {
  return [...expression.matchAll(/\b(weir_[a-z_]+)(?:\{([^}]*)\})?/g)].map((found) => ({
    name: found[1] ?? '',
    // What is to be unequal need not be there.
    labels: [...(found[2] ?? '').matchAll(/[a-z]+="[^"]*"/g)].map((label) => label[0]),
  }))
}

describe('examples/alerts.yml', () => {
  test('holds rules that each say when, how bad, and what to do', () => {
    const names = rules().map(({ alert }) => alert)
    expect(new Set(names).size).toBe(names.length)
    expect(names.length).toBeGreaterThan(10)
  })

  test.each(rules().map(({ alert, expr }) => [alert, expr] as const))(
    '%s asks for what /metrics tells',
    async (_, expression) => {
      const series = (await printed()).split('\n').filter((line) => !line.startsWith('#'))
      const unknown = selectorsIn(expression).filter(
        ({ name, labels }) =>
          !series.some(
            (line) =>
              (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
              labels.every((label) => line.includes(label)),
          ),
      )
      expect(unknown).toEqual([])
      expect(expression).toMatch(/\b(?:weir_|up\{job="weir"\})/)
    },
  )
})

describe('examples/weir.service', () => {
  test('waits longer for the end than weir does for its answers', () => {
    const seconds = Number(/^TimeoutStopSec=(\d+)s$/m.exec(read('examples/weir.service'))?.[1])
    const drainMs = Number(
      /const drainMs = ([\d_]+)/.exec(read('src/commands/serve.ts'))?.[1]?.replaceAll('_', ''),
    )
    expect(drainMs).toBeGreaterThan(0)
    expect(seconds * 1000).toBeGreaterThan(drainMs * 2)
  })

  test('names each directive once, but for those that add up', () => {
    const names = [...read('examples/weir.service').matchAll(/^([A-Za-z]+)=/gm)].map(
      (line) => line[1] ?? '',
    )
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    expect(twice).toEqual(['SystemCallFilter'])
  })
})

describe('the container', () => {
  test('is built with the Bun that package.json names', () => {
    const named = [...read('Dockerfile').matchAll(/\bbun@(\d+\.\d+\.\d+)/g)].map((hit) => hit[1])
    expect(named).toEqual([manifest.packageManager.replace('bun@', '')])
  })

  test('is built from a context that holds all that the sources import, and no data', () => {
    const lines = read('.dockerignore').split('\n')
    const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
    expect(lines).toContain('*')
    const files = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name))
    const missing = files.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/from '(\.\.?\/[^']+)'/g)]
        .map((hit) => relative(root, resolve(file, '..', hit[1] ?? '')))
        .filter((path) => !kept.some((name) => path === name || path.startsWith(`${name}/`))),
    )
    expect(missing).toEqual([])
    expect(kept.filter((name) => /weir-data|\.env|\.git/.test(name))).toEqual([])
  })
})

describe('build.ts', () => {
  test('takes every thread of weir into the executable', () => {
    const workers = [...new Bun.Glob('**/*-worker.ts').scanSync(join(root, 'src'))]
    expect(workers.toSorted()).toEqual(threadEntries.toSorted())
    expect(read('build.ts')).toContain('...threadEntries.map(')
  })
})
