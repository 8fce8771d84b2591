/**
 * POST /api/check-email (specification §4): the risk of a mail, judged by local data and one question to the name
 * servers about the sender's domain.
 *
 * A body that is not such a request is refused and never read as an empty one, whose answer would look like a clean
 * one.
 */

import { Type } from '@sinclair/typebox'
import type { EmailAnswer, EmailChecker } from '../../checks/email.ts'
import type { EmailUrl } from '../../checks/mail/checked-urls.ts'
import type { SenderAnswer } from '../../checks/mail/sender.ts'
import { mailReasonCodes, redFlagCategories, riskLevels } from '../../model/mail-risk.ts'
import { verdictStatuses } from '../../model/verdict.ts'
import { iocRecord } from '../../publish/ioc.ts'
import { uncachedAnswer } from '../answer.ts'
import { emailExamples, wrongEmailExamples } from '../contract/examples/check-email.ts'
import { limitHeaders, noStore } from '../contract/headers.ts'
import { bodyRefusals, refusals, wrongRequest } from '../contract/problems.ts'
import { confidence, match, reason, verdictStatus } from '../contract/records.ts'
import { oneOf, orNull, saying, textOfBytes } from '../contract/schemas.ts'
import { endpoint } from '../endpoint.ts'

const path = '/api/check-email'

/** 64 KiB of text and ten URLs of 8 KiB; the rest is for escapes. */
const bodyBytesMax = 1024 * 1024
/** Specification §8. */
const urlsMax = 10
const textBytesMax = 64 * 1024
/** Each call may wait two seconds for name servers. */
const inFlightMax = 64

const emailBody = Type.Object(
  {
    emailFrom: Type.Optional(
      Type.String({
        description:
          'The sender as the mail shows it: an address, or a name with an address in angle brackets. Of ' +
          'several, the worst is reported.',
        examples: ['"PayPal Support" <service@paypa1-account.example>'],
      }),
    ),
    claimedCompany: Type.Optional(
      saying(
        "Send a company's name of at most {maxLength} characters.",
        Type.String({
          maxLength: 200,
          description: 'The company that the mail claims to be from.',
        }),
      ),
    ),
    urls: Type.Optional(
      saying(
        'Send at most {maxItems} URLs, not {length}.',
        Type.Array(Type.String(), { maxItems: urlsMax, description: 'URLs found in the mail.' }),
      ),
    ),
    emailBody: Type.Optional(
      saying(
        "Send at most {bytesMax} bytes of the mail's text; its beginning will do.",
        textOfBytes(textBytesMax, {
          description:
            'The mail’s text or HTML, at most 64 KiB of UTF-8. Its links are checked like `urls`.',
        }),
      ),
    ),
  },
  {
    $id: 'EmailRequest',
    additionalProperties: false,
    description: 'What is known of the mail. More fields make the answer more reliable.',
  },
)

const mailServers = Type.Object(
  {
    status: oneOf(['ok', 'implicit', 'none', 'null', 'no_domain', 'unknown', 'not_checked'], {
      description:
        '`ok`: there are mail servers. `implicit`: there is only an address, which then accepts the mail. ' +
        '`none`: neither. `null`: the domain states that it accepts no mail (RFC 7505). `no_domain`: the ' +
        'domain does not exist. `unknown`: the name servers did not answer, which adds no points.',
    }),
    records: Type.Array(
      Type.Object({
        priority: Type.Integer({ minimum: 0, maximum: 65_535 }),
        exchange: Type.String(),
      }),
      { maxItems: 16, description: 'The mail servers of the domain, in order of preference.' },
    ),
  },
  { $id: 'MailServers' },
)

const sender = Type.Object(
  {
    address: orNull(Type.String(), { description: 'The canonical address.' }),
    domain: orNull(Type.String(), { description: 'Its domain in A-labels.' }),
    status: oneOf([...verdictStatuses, 'invalid'], {
      description:
        'The status of the domain as `/api/check-url` answers it; `invalid`: it cannot be read.',
    }),
    mx: mailServers,
    error: Type.Optional(Type.String({ description: 'Why it cannot be read.' })),
  },
  { $id: 'MailSender' },
)

const company = Type.Object(
  {
    claimed: Type.String({
      description: 'The company that was sent, else the brand that the sender uses.',
    }),
    matches: orNull(Type.Boolean(), {
      description: 'Whether the domain of the sender belongs to it; null: unknown.',
    }),
    officialDomains: Type.Array(Type.String(), {
      description: 'Its own domains; empty if unknown.',
    }),
  },
  { $id: 'ClaimedCompany' },
)

const mailUrl = Type.Union(
  [
    Type.Object({
      value: Type.String({
        description: 'The URL as it was sent, or as it is written in the mail.',
      }),
      status: verdictStatus,
      confidence,
      score: Type.Integer({ minimum: 0, maximum: 100 }),
      reasons: Type.Array(reason, { minItems: 1 }),
      match,
      sharedInfrastructure: Type.Optional(Type.Literal(true)),
      note: Type.Optional(Type.String()),
    }),
    Type.Object({
      value: Type.String(),
      status: Type.Literal('invalid'),
      error: Type.String({ description: 'Why it cannot be read.' }),
    }),
  ],
  { $id: 'MailUrl' },
)

export const emailAssessment = Type.Object(
  {
    riskLevel: oneOf(riskLevels, {
      description:
        'By the score: `low` to 39, `medium` to 69, `high` to 89, `critical` from 90. `low` does not ' +
        'mean that a mail is safe.',
    }),
    riskScore: Type.Integer({
      minimum: 0,
      maximum: 100,
      description:
        'The sum of the points of all reasons, at most 100; at most 69 if only words were found.',
    }),
    sender: orNull(sender),
    company: orNull(company),
    urls: Type.Array(mailUrl, {
      description:
        'Those of the request in their order, then those of the body, without duplicates.',
    }),
    body: Type.Object({
      flags: Type.Array(
        Type.Object({
          category: oneOf(redFlagCategories),
          phrase: Type.String({ description: 'The phrase as it was found.' }),
          message: Type.String(),
        }),
        { description: 'Phrases that pressure, lure or ask for data, as phishing does.' },
      ),
    }),
    reasons: Type.Array(
      Type.Object({
        code: oneOf(mailReasonCodes, { description: 'Stable: programs may rely on it.' }),
        points: Type.Integer({ minimum: 0, maximum: 100 }),
        message: Type.String({ description: 'One or two plain sentences.' }),
      }),
      { minItems: 1 },
    ),
    advice: Type.Array(Type.String(), {
      minItems: 1,
      description: 'What to do, in plain words, most urgent first.',
    }),
  },
  { $id: 'EmailAssessment', description: 'The risk of a mail, with every reason.' },
)

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

/** Returns the answer as JSON. */
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

export const checkEmail = endpoint({
  id: 'checkEmail',
  method: 'post',
  path,
  tag: 'Checks',
  summary: 'Check an e-mail',
  description:
    'Judges a mail by its sender, the company it claims to be from, its links and its words, and returns ' +
    'every reason with its points. The domain of the sender is looked up in the lists and in DNS; nothing else ' +
    'leaves the machine, no link is fetched, and nothing of the mail is logged or ' +
    'stored. All fields are optional. Prepend the subject to the text, if you have it; headers that mail ' +
    'servers add (SPF, DKIM, DMARC) are not read. A `low` risk does not mean that a mail is safe.',
  policy: 'CHECK_EMAIL',
  costly: { class: 'emails', inFlightMax },
  body: emailBody,
  bodyBytesMax,
  answers: {
    200: {
      description: 'The assessment.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': emailAssessment },
      examples: emailExamples,
    },
    400: wrongRequest(wrongEmailExamples),
    ...refusals,
    ...bodyRefusals(path, bodyBytesMax),
  },
  handler:
    ({ emails }: { readonly emails: EmailChecker }) =>
    async ({ body }) => {
      const {
        emailFrom: from = null,
        claimedCompany = null,
        urls = [],
        emailBody: text = null,
      } = body
      const mail = { from, replyTo: null, claimedCompany, urls, body: text }
      return uncachedAnswer(presentEmailAnswer(await emails.check(mail)))
    },
})
