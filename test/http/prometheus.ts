/**
 * A strict parser of Prometheus' text format (version 0.0.4): throws where a scraper might be lenient.
 * Checks names, types, escapes, duplicates, and that histograms add up.
 */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly samples: readonly Sample[]
}

const metricName = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const label = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y
const types: readonly string[] = ['counter', 'gauge', 'histogram']

function parseLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  label.lastIndex = 0
  while (label.lastIndex < text.length) {
    const at = label.lastIndex
    const [, name = '', value = ''] = label.exec(text) ?? []
    if (name === '' || name in labels) throw new Error(`wrong labels at ${at}: ${text}`)
    labels[name] = value.replace(/\\(.)/g, (_, character) => (character === 'n' ? '\n' : character))
  }
  return labels
}

function parseValue(text: string): number {
  if (!/^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|\+Inf)$/.test(text))
    throw new Error(`wrong value: ${text}`)
  return text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text)
}

function parseSample(line: string): Sample {
  const parts = /^([^{ ]+)(?:\{(.*)\})? (\S+)$/.exec(line)
  const [, name = '', labels = '', value = ''] = parts ?? []
  if (!metricName.test(name)) throw new Error(`not a sample: ${line}`)
  return { name, labels: parseLabels(labels), value: parseValue(value) }
}

/** Throws unless the samples of a histogram add up. */
function checkHistogram({ name, samples }: Family): void {
  const series = new Map<string, { buckets: [number, number][]; sum?: number; count?: number }>()
  for (const sample of samples) {
    const { le, ...labels } = sample.labels
    const key = JSON.stringify(labels)
    const one = series.get(key) ?? { buckets: [] }
    series.set(key, one)
    if (sample.name === `${name}_bucket`) one.buckets.push([parseValue(le ?? ''), sample.value])
    else if (sample.name === `${name}_sum`) one.sum = sample.value
    else if (sample.name === `${name}_count`) one.count = sample.value
    else throw new Error(`${sample.name} does not belong to ${name}`)
  }
  for (const { buckets, sum, count } of series.values()) {
    const isRising = buckets.every(([bound, value], index) => {
      const [lastBound, lastValue] = buckets[index - 1] ?? [-1, 0]
      return bound > lastBound && value >= lastValue
    })
    const [bound, value] = buckets.at(-1) ?? [0, 0]
    if (!isRising || bound !== Number.POSITIVE_INFINITY || value !== count || sum === undefined) {
      throw new Error(`${name} does not add up`)
    }
  }
}

function checkFamily(family: Family): void {
  const { name, type, samples } = family
  if (!types.includes(type)) throw new Error(`${name} has no known type: ${type}`)
  if (name.endsWith('_total') !== (type === 'counter')) throw new Error(`${name} is a ${type}`)
  const keys = samples.map((sample) => JSON.stringify([sample.name, sample.labels]))
  if (new Set(keys).size !== keys.length) throw new Error(`${name} has a sample twice`)
  if (type === 'histogram') checkHistogram(family)
  else if (samples.some((sample) => sample.name !== name)) throw new Error(`strays in ${name}`)
  if (type === 'counter' && samples.some(({ value }) => value < 0)) throw new Error(`${name} < 0`)
}

/** Returns the families of a text, by name; throws at the first thing that is wrong. */
export function parsePrometheus(text: string): ReadonlyMap<string, Family> {
  if (!text.endsWith('\n')) throw new Error('the last line has no newline')
  const families = new Map<string, Family & { samples: Sample[] }>()
  let current: (Family & { samples: Sample[] }) | null = null
  let help: readonly [string, string] | null = null
  for (const line of text.split('\n')) {
    if (line === '') continue
    const [, kind = '', name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? []
    if (kind === 'HELP') {
      help = [name, rest]
    } else if (kind === 'TYPE') {
      if (help?.[0] !== name || families.has(name)) throw new Error(`out of order: ${line}`)
      current = { name, help: help[1], type: rest, samples: [] }
      families.set(name, current)
      help = null
    } else {
      if (current === null || help !== null) throw new Error(`out of order: ${line}`)
      current.samples.push(parseSample(line))
    }
  }
  for (const family of families.values()) checkFamily(family)
  return families
}

/** Returns the value of the one sample with these labels; null when there is none. */
export function sampleOf(
  families: ReadonlyMap<string, Family>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const family = families.get(name.replace(/_(?:bucket|sum|count)$/, '')) ?? families.get(name)
  const found = family?.samples.find(
    (sample) => sample.name === name && Bun.deepEquals(sample.labels, labels),
  )
  return found?.value ?? null
}
