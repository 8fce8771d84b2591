/** The reference: every operation of the OpenAPI document, and what operations have in common. */

import { JsonView } from './json-view.ts'
import { html, type Markup, nothing } from './markup.ts'
import {
  joined,
  memberList,
  paragraphs,
  proseMarkup,
  typeMarkup,
  valueMarkup,
} from './schema-markup.ts'
import {
  codeBlock,
  type Definition,
  type Disclosure,
  definitionList,
  disclosureGroup,
  docsRoot,
  type Instance,
  type Section,
} from './section.ts'

/** An operation of the document. */
interface DocumentOperation {
  readonly id: string
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly view: JsonView
}

function listOperations(document: JsonView): readonly DocumentOperation[] {
  return document.get('paths').members.flatMap(([path, item]) =>
    item.members
      .filter(([, view]) => view.get('responses').isThere)
      .map(([method, view]) => {
        const id = view.get('operationId').text
        return { id, method: method.toUpperCase(), path, view }
      }),
  )
}

/**
 * Returns a function that finds the id of the operation of a call such as `GET /api/rss/elder`, or null.
 * The query of a call and a slash at its end are ignored.
 */
export function findOperations(document: object): (call: string) => string | null {
  const patterns = listOperations(JsonView.of(document)).map(({ id, method, path }) => ({
    id,
    pattern: new RegExp(`^${method} ${path.replace(/\{\w+\}/g, '[^/]+')}/?(?:\\?|$)`),
  }))
  return (call) => patterns.find(({ pattern }) => pattern.test(call))?.id ?? null
}

/** Where a parameter is, unless it is in the query. */
const places: ReadonlyMap<string, string> = new Map([
  ['header', 'request header'],
  ['path', 'in the path'],
])

/** Returns a name in the form of an anchor. */
const toAnchor = (name: string): string => name.toLowerCase().replace(/\W+/g, '-').replace(/-$/, '')

function parameterDefinition(owner: string, view: JsonView): Definition {
  const parameter = view.resolve()
  const schema = parameter.get('schema')
  const name = parameter.get('name').text
  const fallback = schema.get('default')
  const facts = [
    typeMarkup(schema),
    html`${places.get(parameter.get('in').text) ?? ''}`,
    html`${parameter.get('required').isTrue ? 'required' : ''}`,
    fallback.isThere ? html`default <code>${fallback.shown}</code>` : nothing,
  ].filter(({ text }) => text !== '')
  return {
    id: `${owner}-${toAnchor(name)}`,
    term: html`<code>${name}</code>`,
    meaning: html`<span class="type">${joined(facts, html`, `)}.</span> ${proseMarkup(parameter.get('description').text)}`,
  }
}

/** Longer examples are in the document only, so that the page loads on a slow connection. */
const shownExampleLengthMax = 1_200

/** Returns the first example of a body if it is short. */
function exampleMarkup(media: JsonView): Markup {
  const [first] = media.get('examples').members
  if (first === undefined) return nothing
  const example = first[1].resolve()
  const value = example.get('value')
  if (!value.isThere || value.shown.length > shownExampleLengthMax) return nothing
  const summary = example.get('summary').text
  return disclosureGroup([
    {
      title: html`Example: ${proseMarkup(summary === '' ? first[0] : summary)}`,
      body: html`${paragraphs(example.get('description').text)}${codeBlock(value.shown)}`,
    },
  ])
}

/** Returns the description of a body, for each media type. */
function bodyMarkup(content: JsonView, example = exampleMarkup): Markup {
  return html`${content.members.map(([mediaType, media]) => {
    const schema = media.get('schema')
    return html`<p><code>${mediaType}</code>: ${valueMarkup(schema)}</p>
${memberList(schema)}${example(media)}`
  })}`
}

function headerLinks(headers: JsonView): Markup {
  const links = headers.members.map(([name, header]) => {
    const code = html`<code>${name}</code>`
    return header.reference === '' ? code : html`<a href="#header-${header.reference}">${code}</a>`
  })
  if (links.length === 0) return nothing
  return html`<p>Headers: ${joined(links, html`, `)}</p>
`
}

/** Returns an answer of one operation. The shared errors show the form of all errors. */
function answerMarkup(status: string, answer: JsonView): Markup {
  const description = answer.get('description').text
  const example = Number(status) < 400 ? exampleMarkup : () => nothing
  return html`<p>${proseMarkup(description)}</p>
${headerLinks(answer.get('headers'))}${bodyMarkup(answer.get('content'), example)}`
}

function answersMarkup(owner: string, responses: JsonView): Markup {
  const own = responses.members.filter(([, answer]) => answer.reference === '')
  const shared = responses.members.filter(([, answer]) => answer.reference !== '')
  const links = shared.map(
    ([status, { reference }]) =>
      html`<a href="#answer-${reference}">${status === 'default' ? 'others' : status}</a>`,
  )
  return html`${own.map(
    ([status, answer]) => html`<h3 id="${owner}-${status}">${status}</h3>
${answerMarkup(status, answer)}`,
  )}${
    links.length === 0
      ? nothing
      : html`<p>As for every operation: ${joined(links, html`, `)}.</p>
`
  }`
}

function operationDisclosure({ id, method, path, view }: DocumentOperation): Disclosure {
  const owner = `op-${id}`
  const parameters = view.get('parameters').items
  const body = view.get('requestBody').resolve()
  const asked =
    parameters.length === 0
      ? nothing
      : html`<h3>Parameters</h3>
${definitionList(parameters.map((parameter) => parameterDefinition(owner, parameter)))}`
  const sent = body.isThere
    ? html`<h3>Body</h3>
${bodyMarkup(body.get('content'))}`
    : nothing
  return {
    title: html`<code>${method} ${path}</code> <span>${view.get('summary').text}</span>`,
    id: owner,
    body: html`${paragraphs(view.get('description').text)}${asked}${sent}${answersMarkup(owner, view.get('responses'))}`,
  }
}

/** Returns the operations of each tag. */
function operationSections(document: JsonView): readonly Section[] {
  // HEAD is as GET without the body, which the conventions say once.
  const operations = listOperations(document).filter(({ method }) => method !== 'HEAD')
  return document.get('tags').items.map((tag) => {
    const name = tag.get('name').text
    const members = operations.filter(({ view }) =>
      view.get('tags').items.some(({ text }) => text === name),
    )
    return {
      id: `tag-${toAnchor(name)}`,
      title: name,
      below: members.map(({ id, method, path }) => ({
        id: `op-${id}`,
        title: `${method} ${path}`,
      })),
      body: html`<p>${proseMarkup(tag.get('description').text)}</p>
${disclosureGroup(members.map(operationDisclosure))}`,
    }
  })
}

/** Returns what operations have in common, each under its name. */
function sharedSections(document: JsonView): readonly Section[] {
  const components = document.get('components')
  const answers = components.get('responses').members.map(([name, answer]) => ({
    title: html`${proseMarkup(answer.get('description').text)} <span>${name}</span>`,
    id: `answer-${name}`,
    body: html`${headerLinks(answer.get('headers'))}${bodyMarkup(answer.get('content'))}`,
  }))
  const schemas = components.get('schemas').members.map(([name, schema]) => ({
    title: html`${name}`,
    id: `schema-${name}`,
    body: html`<p>${valueMarkup(schema)}</p>
${memberList(schema)}`,
  }))
  const headers = components.get('headers').members.map(
    ([name, header]): Definition => ({
      id: `header-${name}`,
      term: html`<code>${name}</code>`,
      meaning: proseMarkup(header.get('description').text),
    }),
  )
  return [
    { id: 'shared-answers', title: 'Shared errors', body: disclosureGroup(answers) },
    { id: 'schemas', title: 'Records', body: disclosureGroup(schemas) },
    { id: 'headers', title: 'Headers of answers', body: definitionList(headers) },
  ]
}

/** Returns the reference of an OpenAPI document. */
export function referenceSections(document: object, instance: Instance): readonly Section[] {
  const view = JsonView.of(document)
  const conventions: Section = {
    id: 'conventions',
    title: 'Conventions',
    body: html`<p>The <a href="${docsRoot(instance.publicUrl)}">guide</a> has a first call, the meaning of a verdict,
and programs. This page is generated from <a href="${instance.publicUrl}/openapi.json"><code>/openapi.json</code></a>
(OpenAPI ${view.get('openapi').text}), which tools can read and which has an example of every case. Wherever GET is
answered, HEAD is too, with the same headers and no body.</p>
${paragraphs(view.get('info').get('description').text)}`,
  }
  return [conventions, ...operationSections(view), ...sharedSections(view)]
}
