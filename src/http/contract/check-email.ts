/** The contract of POST /api/check-email. */

import { Type } from '@sinclair/typebox'
import { mailReasonCodes, redFlagCategories, riskLevels } from '../../model/mail-risk.ts'
import { verdictStatuses } from '../../model/verdict.ts'
import {
  emailExamples,
  longEmailExamples,
  otherEmailTypeExamples,
  readEmailExamples,
  wrongEmailExamples,
} from './examples/check-email.ts'
import { allow, limitHeaders, noStore } from './headers.ts'
import type { Operation } from './operation.ts'
import { refusal, refusals, wrongRequest } from './problems.ts'
import { confidence, match, oneOf, orNull, reason, verdictStatus } from './records.ts'

const emailBody = Type.Object(
  {
    emailFrom: Type.Optional(
      Type.String({
        description:
          'The sender as the mail shows it: an address, or a name with an address in angle brackets. Of ' +
          'several, the worst is told.',
        examples: ['"PayPal Support" <service@paypa1-account.example>'],
      }),
    ),
    claimedCompany: Type.Optional(
      Type.String({ maxLength: 200, description: 'The company that the mail claims to be from.' }),
    ),
    urls: Type.Optional(
      Type.Array(Type.String(), { maxItems: 10, description: 'URLs found in the mail.' }),
    ),
    emailBody: Type.Optional(
      Type.String({
        description:
          'The mail’s text or HTML, at most 64 KiB of UTF-8. Its links are checked like `urls`.',
      }),
    ),
  },
  {
    $id: 'EmailRequest',
    additionalProperties: false,
    description: 'What is known of the mail. The more of it, the surer the answer.',
  },
)

const mailServers = Type.Object(
  {
    status: oneOf(['ok', 'implicit', 'none', 'null', 'no_domain', 'unknown', 'not_checked'], {
      description:
        '`ok`: there are mail servers. `implicit`: there is only an address, which then takes the mail. ' +
        '`none`: neither. `null`: the domain says that it takes no mail (RFC 7505). `no_domain`: there is ' +
        'no such domain. `unknown`: the name servers did not tell, which counts for nothing.',
    }),
    records: Type.Array(
      Type.Object({
        priority: Type.Integer({ minimum: 0, maximum: 65_535 }),
        exchange: Type.String(),
      }),
      { maxItems: 16, description: 'The domain’s mail servers, the first to be tried first.' },
    ),
  },
  { $id: 'MailServers' },
)

const sender = Type.Object(
  {
    address: orNull(Type.String(), { description: 'The address as weir reads it.' }),
    domain: orNull(Type.String(), { description: 'Its domain in A-labels.' }),
    status: oneOf([...verdictStatuses, 'invalid'], {
      description: 'As `/api/check-url` answers for the domain; `invalid`: it cannot be read.',
    }),
    mx: mailServers,
    error: Type.Optional(Type.String({ description: 'Why it cannot be read.' })),
  },
  { $id: 'MailSender' },
)

const company = Type.Object(
  {
    claimed: Type.String({
      description: 'The company as it was given, else the brand that the sender goes by.',
    }),
    matches: orNull(Type.Boolean(), {
      description: 'Is the sender’s domain its own? Null: that cannot be told.',
    }),
    officialDomains: Type.Array(Type.String(), {
      description: 'Its own domains; empty where they are not known.',
    }),
  },
  { $id: 'ClaimedCompany' },
)

const mailUrl = Type.Union(
  [
    Type.Object({
      value: Type.String({ description: 'The URL as it came, or as it stands in the mail.' }),
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
        'make a mail safe.',
    }),
    riskScore: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'The points of all reasons together, 100 at most; of words alone 69 at most.',
    }),
    sender: orNull(sender),
    company: orNull(company),
    urls: Type.Array(mailUrl, {
      description: 'Those of the request in their order, then those of the body, each once.',
    }),
    body: Type.Object({
      flags: Type.Array(
        Type.Object({
          category: oneOf(redFlagCategories),
          phrase: Type.String({ description: 'The words as they were found.' }),
          message: Type.String(),
        }),
        { description: 'What in the text presses, lures or asks, as phishing does.' },
      ),
    }),
    reasons: Type.Array(
      Type.Object({
        code: oneOf(mailReasonCodes, { description: 'Stable: programs may go by it.' }),
        points: Type.Integer({ minimum: 0, maximum: 100 }),
        message: Type.String({ description: 'One or two plain sentences for people.' }),
      }),
      { minItems: 1 },
    ),
    advice: Type.Array(Type.String(), {
      minItems: 1,
      description: 'What to do, in plain words, the most urgent first.',
    }),
  },
  { $id: 'EmailAssessment', description: 'How risky a mail is, and everything that says so.' },
)

export const checkEmail = {
  id: 'checkEmail',
  method: 'post',
  path: '/api/check-email',
  tag: 'Checks',
  summary: 'Check an e-mail',
  description:
    'Judges a mail by its sender, the company it claims to be from, its links and its words, and gives ' +
    'every reason with its points. The sender’s domain is looked up in the lists, and its mail servers are ' +
    'asked for; nothing else leaves the machine, no link is fetched, and nothing of the mail is logged or ' +
    'stored. All fields are optional. Put the subject in front of the text, if you have it; headers that mail ' +
    'servers add (SPF, DKIM, DMARC) are not read. A `low` risk does not make a mail safe.',
  policy: 'CHECK_EMAIL',
  body: emailBody,
  answers: {
    200: {
      description: 'The assessment.',
      headers: [noStore, ...limitHeaders],
      content: { 'application/json': emailAssessment },
      examples: emailExamples,
    },
    400: wrongRequest(wrongEmailExamples),
    ...refusals,
    405: refusal(
      'The path answers POST alone.',
      [noStore, allow, ...limitHeaders],
      readEmailExamples,
    ),
    413: refusal('The body is longer than 1 MiB.', [noStore, ...limitHeaders], longEmailExamples),
    415: refusal(
      'The body is not called `application/json`, or has a `Content-Encoding`.',
      [noStore, ...limitHeaders],
      otherEmailTypeExamples,
    ),
  },
} as const satisfies Operation
