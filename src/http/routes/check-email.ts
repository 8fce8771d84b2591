/**
 * POST /api/check-email (specification §4): is this mail phishing? Judged by local data, and one
 * question to the name servers about the sender's domain.
 *
 * A body that is not plainly such a request is refused and never read as an empty one, whose answer
 * would look like a clean one.
 */

import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Elysia, type Static, t } from 'elysia'
import type { EmailAnswer, EmailChecker } from '../../checks/email.ts'
import type { EmailUrl } from '../../checks/mail/checked-urls.ts'
import type { SenderAnswer } from '../../checks/mail/sender.ts'
import { iocRecord } from '../../publish/ioc.ts'
import { uncachedAnswer } from '../answer.ts'
import { readJsonBody } from '../json-body.ts'
import { badRequest, type FieldError } from '../problem.ts'

export const checkEmailPath = '/api/check-email'

/** 64 KiB of text and ten URLs of 8 KiB; the rest is for escapes. */
export const checkEmailBodyBytesMax = 1024 * 1024

/** Specification §8. */
const urlsMax = 10
const textBytesMax = 64 * 1024
const companyLengthMax = 200

const emailBody = t.Object(
  {
    emailFrom: t.Optional(t.String()),
    claimedCompany: t.Optional(t.String()),
    urls: t.Optional(t.Array(t.String())),
    emailBody: t.Optional(t.String()),
  },
  { additionalProperties: false },
)

const emailBodyCheck = TypeCompiler.Compile(emailBody)

type EmailFields = Readonly<Static<typeof emailBody>>

function tooMuch({ claimedCompany = '', urls = [], emailBody: text = '' }: EmailFields) {
  const errors: FieldError[] = []
  if (claimedCompany.length > companyLengthMax) {
    const message = `Send a company's name of at most ${companyLengthMax} characters.`
    errors.push({ field: 'claimedCompany', message })
  }
  if (urls.length > urlsMax) {
    errors.push({ field: 'urls', message: `Send at most ${urlsMax} URLs, not ${urls.length}.` })
  }
  if (Buffer.byteLength(text) > textBytesMax) {
    const message = `Send at most ${textBytesMax} bytes of the mail's text; its beginning will do.`
    errors.push({ field: 'emailBody', message })
  }
  return errors
}

function presentSender(sender: SenderAnswer): object {
  if (sender.status !== 'invalid') {
    const { address, domain, status, mx } = sender
    return { address, domain, status, mx: { status: mx.status, records: mx.records } }
  }
  const mx = { status: 'not_checked', records: [] }
  return { address: null, domain: null, status: 'invalid', mx, error: sender.error }
}

function presentUrl(item: EmailUrl): object {
  if ('error' in item) return { value: item.value, status: 'invalid', error: item.error }
  const { status, confidence, score, reasons, match, note } = item.answer.verdict
  return {
    value: item.value,
    status,
    confidence,
    score,
    reasons,
    match: match === null ? null : iocRecord(match),
    ...(note === null ? undefined : { sharedInfrastructure: true, note }),
  }
}

/** Returns the answer as it goes out. */
export function presentEmailAnswer(answer: EmailAnswer): object {
  const { riskLevel, riskScore, sender, company, urls, flags, reasons, advice } = answer
  return {
    riskLevel,
    riskScore,
    sender: sender === null ? null : presentSender(sender),
    company,
    urls: urls.map(presentUrl),
    body: { flags: flags.map(({ category, phrase, message }) => ({ category, phrase, message })) },
    reasons,
    advice,
  }
}

/** The route. */
export function checkEmailRoute({ emails }: { readonly emails: EmailChecker }) {
  const check = async (request: Request): Promise<Response> => {
    const body = await readJsonBody(request, checkEmailBodyBytesMax, emailBodyCheck)
    if (!body.ok) return body.refusal
    const errors = tooMuch(body.value)
    if (errors.length > 0) return badRequest(errors)
    const {
      emailFrom = null,
      claimedCompany = null,
      urls = [],
      emailBody: text = null,
    } = body.value
    const known = { from: emailFrom, replyTo: null, claimedCompany, urls, body: text }
    const answer = await emails.check(known)
    return uncachedAnswer(presentEmailAnswer(answer))
  }
  return new Elysia({ name: 'route.check-email', normalize: false }).post(
    checkEmailPath,
    ({ request }) => check(request),
    { parse: 'none' },
  )
}
