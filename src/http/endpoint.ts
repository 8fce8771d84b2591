/**
 * An endpoint is one definition: its path, what it takes, what it answers, its limits, and the handler.
 *
 *   definition ─▶ OpenAPI, client types, documentation, table of limits
 *        └─────▶ reader ─▶ handler          (compiled once, when the app is built)
 *
 * The reader follows from the schemas, so that a bound, a default or a message is written once.
 */

import type { Static, TObject, TSchema } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { AnswerDescription, EndpointDescription } from './contract/description.ts'
import type { CostlyClass } from './in-flight.ts'
import { readJsonBody } from './json-body.ts'
import {
  createPathReader,
  createQueryReader,
  type ParameterValues,
  type PathTexts,
} from './parameter-reader.ts'
import { badRequest, type FieldError, notFound } from './problem.ts'

/** An answer to a request: at once where nothing has to be waited for. */
export type Answering = Response | Promise<Response>

/** Answers a request; the router gives the texts of the path's parameters. */
export type Handler = (request: Request, path: PathTexts) => Answering

/** The format of refusals: problem documents, or what a protocol prescribes instead. */
export interface RefusalFormat {
  /** 400; names every wrong field. */
  badRequest(errors: readonly FieldError[]): Response
  /** 404. */
  notFound(detail: string): Response
  /** Rewrites a problem document that was made in front of the endpoint, by the gate for one. */
  rewrite(answer: Answering): Answering
}

const problemDocuments: RefusalFormat = { badRequest, notFound, rewrite: (answer) => answer }

/** One call, read. */
interface Call<Path extends TObject, Query extends TObject, Body extends TSchema> {
  readonly request: Request
  readonly path: ParameterValues<Path>
  readonly query: ParameterValues<Query>
  readonly body: Static<Body>
}

/** The facts of an endpoint that do not depend on its types. */
interface EndpointFacts extends Omit<EndpointDescription, 'method' | 'path' | 'answers'> {
  /** For endpoints whose answers occupy memory or a thread for a while. */
  readonly costly?: CostlyClass
  /** The maximum length of the body; required where there is a body. */
  readonly bodyBytesMax?: number
  /** Unknown paths below this prefix count against this endpoint's limit. */
  readonly limitsBelow?: `/${string}`
  /** Problem documents if missing. */
  readonly refusals?: RefusalFormat
}

/** An endpoint that an app can compile. `Services` is what its handler needs of weir. */
export interface Endpoint<Services> extends EndpointFacts {
  readonly method: EndpointDescription['method']
  readonly path: `/${string}`
  readonly answers: Readonly<Record<number, AnswerDescription>>
  /** Returns reader and handler as one function, for one app. */
  compile(services: Services): Handler
}

/** The part of a definition that reader and handler are compiled from. */
interface Compilable<
  Services,
  PathParameters extends TObject,
  Query extends TObject,
  Body extends TSchema,
> extends EndpointFacts {
  readonly pathParameters?: PathParameters
  readonly query?: Query
  readonly body?: Body
  /** Returns what is wrong with a body beyond what its schema can state. */
  readonly rules?: (body: Static<Body>) => readonly FieldError[]
  /** Called once for each app: state that it creates, a cache for one, belongs to that app. */
  readonly handler: (services: Services) => (call: Call<PathParameters, Query, Body>) => Answering
}

/** The part of a definition whose types the client follows from as well. */
interface Described<Method, Path, Answers, RequestHeaders> {
  readonly method: Method
  readonly path: Path
  readonly answers: Answers
  readonly requestHeaders?: RequestHeaders
}

type NoParameters = TObject<Record<never, never>>

/** Returns the definition as it is, with the function that compiles it. */
export function endpoint<
  const Method extends EndpointDescription['method'],
  const Path extends `/${string}`,
  const Answers extends Readonly<Record<number, AnswerDescription>>,
  Services,
  PathParameters extends TObject = NoParameters,
  Query extends TObject = NoParameters,
  RequestHeaders extends TObject = NoParameters,
  Body extends TSchema = TSchema,
>(
  definition: Compilable<Services, PathParameters, Query, Body> &
    Described<Method, Path, Answers, RequestHeaders>,
) {
  // Compiled from the object that is returned, so that a test can change it and see the change.
  const made = {
    ...definition,
    compile: (services: Services): Handler => compiled(made, services),
  }
  return made
}

function compiled<
  Services,
  PathParameters extends TObject,
  Query extends TObject,
  Body extends TSchema,
>(definition: Compilable<Services, PathParameters, Query, Body>, services: Services): Handler {
  const { body: schema, bodyBytesMax, rules, refusals = problemDocuments } = definition
  const handle = definition.handler(services)
  const readPath = createPathReader(definition.pathParameters)
  const readQuery = createQueryReader(definition.query)

  const parametersOf = (request: Request, texts: PathTexts) => {
    const path = readPath(texts)
    if (!path.ok) return refusals.notFound(path.errors[0]?.message ?? '')
    const query = readQuery(request.url)
    if (!query.ok) return refusals.badRequest(query.errors)
    return { path: path.value, query: query.value }
  }

  if (schema === undefined) {
    // Without a body schema `Body` is `TSchema`, whose static type `unknown` admits undefined.
    const body: Static<Body> = undefined
    return (request, texts) => {
      const parameters = parametersOf(request, texts)
      return parameters instanceof Response ? parameters : handle({ request, ...parameters, body })
    }
  }
  if (bodyBytesMax === undefined) throw new Error(`give ${definition.id} a bodyBytesMax`)
  const check = TypeCompiler.Compile(schema)
  return async (request, texts) => {
    const parameters = parametersOf(request, texts)
    if (parameters instanceof Response) return parameters
    const body = await readJsonBody(request, bodyBytesMax, check)
    if (!body.ok) return body.refusal
    const errors = rules?.(body.value) ?? []
    if (errors.length > 0) return refusals.badRequest(errors)
    return handle({ request, ...parameters, body: body.value })
  }
}
