/**
 * The API as a type, for the client: routes as Elysia would describe them if it knew what they answer. The real ones
 * return responses and so carry no types; these follow from the definitions. Types only: nothing exists at run time.
 */

import type { Static, TSchema } from '@sinclair/typebox'
import type { CreateEden, Elysia } from 'elysia'
import type { blacklistPage } from '../endpoints/blacklist.ts'
import type { bulkItem, bulkVerdicts } from '../endpoints/bulk.ts'
import type { changesAnswer, removal } from '../endpoints/changes.ts'
import type { emailAssessment } from '../endpoints/check-email.ts'
import type { phoneVerdict } from '../endpoints/check-phone.ts'
import type { urlVerdict } from '../endpoints/check-url.ts'
import type { documentedEndpoints } from '../endpoints/endpoints.ts'
import type { envelope } from '../taxii/records.ts'
import type { taxiiErrorMessage } from '../taxii/refusal-answers.ts'
import type { AnswerDescription, EndpointDescription } from './description.ts'
import type { problemDocument } from './problems.ts'
import type { blacklistEntry, ioc } from './records.ts'
import type { stixBundle, stixObject } from './stix-objects.ts'

/** What a body is once it is read; an empty text where there is none. */
type BodyOf<Given extends AnswerDescription> = [keyof Given['content']] extends [never]
  ? ''
  : Static<Given['content'][keyof Given['content']]>

type Taken<Schema> = Schema extends TSchema ? Static<Schema> : unknown

/** One route as Eden reads it. */
interface RouteOf<Given extends EndpointDescription> {
  body: Given extends { readonly body?: infer Body } ? Taken<Body> : unknown
  params: Given extends { readonly pathParameters?: infer Parameters }
    ? Taken<Parameters>
    : Record<never, never>
  query: Given extends { readonly query?: infer Query } ? Taken<Query> : unknown
  headers: Given extends { readonly requestHeaders?: infer Headers } ? Taken<Headers> : unknown
  response: {
    [Status in keyof Given['answers'] & number]: Given['answers'][Status] extends AnswerDescription
      ? BodyOf<Given['answers'][Status]>
      : never
  }
}

type PathsOf<Given extends EndpointDescription> = CreateEden<
  Given['path'],
  { [Method in Given['method']]: RouteOf<Given> }
>

/** All paths together, each within those it lies under. */
type Together<Given extends readonly EndpointDescription[]> = Given extends readonly [
  infer First extends EndpointDescription,
  ...infer Rest extends readonly EndpointDescription[],
]
  ? PathsOf<First> & Together<Rest>
  : unknown

/** The API of weir. */
export type WeirApi = Elysia<
  '',
  Elysia['~Singleton'],
  Elysia['~Definitions'],
  Elysia['~Metadata'],
  Together<typeof documentedEndpoints>
>

/** What people's reports and feeds have named as bad: an indicator of compromise. */
export type Ioc = Static<typeof ioc>
/** A listed domain. */
export type BlacklistEntry = Static<typeof blacklistEntry>
/** A page of the block list as JSON. */
export type BlacklistPage = Static<typeof blacklistPage>
/** What came to the block list and what left it, after a cursor. */
export type Changes = Static<typeof changesAnswer>
/** A domain that left the list. */
export type Removal = Static<typeof removal>
/** The answer about one URL or name. */
export type UrlVerdict = Static<typeof urlVerdict>
/** The answer about one mail. */
export type EmailAssessment = Static<typeof emailAssessment>
/** The answer about one phone number. */
export type PhoneVerdict = Static<typeof phoneVerdict>
/** One item of a bulk check; `status` tells whether it could be read. */
export type BulkItem = Static<typeof bulkItem>
/** The answers of a bulk check, each in its place. */
export type BulkVerdicts = Static<typeof bulkVerdicts>
/** One STIX 2.1 object; `type` tells which. */
export type StixObject = Static<typeof stixObject>
/** A STIX 2.1 bundle. */
export type StixBundle = Static<typeof stixBundle>
/** A page of a TAXII collection. */
export type TaxiiEnvelope = Static<typeof envelope>
/** A refusal of a TAXII path. */
export type TaxiiError = Static<typeof taxiiErrorMessage>

/** A refusal. */
export type Problem = Static<typeof problemDocument>

export type { Reason, VerdictStatus } from '../../model/verdict.ts'
export type { Readiness } from '../endpoints/service.ts'
