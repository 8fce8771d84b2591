/** The guide's part about mails and phone numbers. */

import type { MailReasonCode } from '../model/mail-risk.ts'
import { operationLink } from './links.ts'
import { html } from './markup.ts'
import { codeBlock, definitionList, type Instance, type Section } from './section.ts'

const reasons: Readonly<Record<MailReasonCode, string>> = {
  sender_listed: 'The sender’s address is listed.',
  sender_domain_listed: 'The sender’s domain is listed.',
  sender_below_listed: 'The sender’s domain lies below a listed one.',
  sender_domain_suspicious:
    'The sender’s domain is listed with low confidence, or pages on it are.',
  sender_lookalike: 'The sender’s domain looks like an imitation; the points are its score.',
  sender_on_platform: 'The sender is a tenant of a hosting platform.',
  sender_unreadable: 'The sender cannot be read as an address.',
  free_mail: 'Anybody can have an address there; no points.',
  disposable_mail: 'Its addresses are thrown away after use.',
  display_name_address: 'The sender’s name shows another address than the mail comes from.',
  reply_to_free_mail: 'Answers would go to free mail, the mail does not come from there.',
  mx_null: 'The sender’s domain says that it takes no mail.',
  mx_none: 'It has neither a mail server nor an address.',
  mx_no_domain: 'There is no such domain.',
  mx_implicit: 'It has an address and no mail server; no points.',
  mx_unknown: 'The name servers did not tell; no points.',
  company_domain: 'The sender’s domain is the claimed company’s; no points.',
  company_mismatch: 'It claims to be from a company that does not own the sender’s domain.',
  company_on_free_mail: 'It claims to be from a company, and comes from free mail.',
  company_plausible: 'The domain sounds like the company, which proves nothing; no points.',
  company_unverified: 'Nothing tells whether company and domain belong together.',
  url_listed: 'A link leads to what is listed.',
  url_suspicious: 'A link leads to what is suspicious.',
  url_shortened: 'A link hides where it leads.',
  url_elsewhere: 'None of its links leads to the company that it claims to be from.',
  urls_left_out: 'It holds more links than are checked; no points.',
  misleading_link: 'A link shows another address than it leads to.',
  link_counted: 'The same, as mailing services do to count who follows a link.',
  urgency: 'Words that press or frighten.',
  payment: 'Words of money to be paid or won.',
  personal_data: 'Words that ask for a sign-in or personal data.',
  urgency_and_personal_data: 'Both kinds together.',
  urgency_and_payment: 'Both kinds together.',
  payment_and_personal_data: 'Both kinds together.',
  nothing_found: 'Nothing that was checked speaks against it.',
  nothing_to_check: 'The request held nothing to check.',
}

function mail(instance: Instance): Section {
  const request = {
    emailFrom: 'PayPal Service <security@parcel-desk.example>',
    claimedCompany: 'PayPal',
    urls: ['https://found.weir.test/login'],
    emailBody: 'Your account will be suspended. Verify your identity within 24 hours.',
  }
  const command = `curl '${instance.publicUrl}/api/check-email' \\\n  -H 'content-type: application/json' \\\n  -d '${JSON.stringify(request)}'`
  return {
    id: 'check-a-mail',
    title: 'Check a mail',
    body: html`<p>${operationLink(instance, 'checkEmail', 'POST /api/check-email')} takes what you have of a mail; every field is optional:
<code>emailFrom</code> (<code>"Name" &lt;address&gt;</code> too), <code>claimedCompany</code>, up to ten
<code>urls</code>, and up to 64 KiB of <code>emailBody</code>, as text or HTML.</p>
${codeBlock(command)}
<ul>
<li><code>riskLevel</code> is <code>low</code> under 40 points, <code>medium</code> from 40,
<code>high</code> from 70 and <code>critical</code> from 90. Every reason names its <code>points</code>; words alone
never reach <code>high</code>.</li>
<li><code>sender</code>: the domain as <code>check-url</code> judges it, and how it takes mail
(<code>mx.status</code>). Where the name servers do not answer that is <code>unknown</code>, and costs no
points.</li>
<li><code>company</code>: whom the mail claims to be from, by your word, the sender’s name or the text, and whether
the sender’s domain is one of that company’s; <code>matches</code> is <code>null</code> where nobody can tell.</li>
<li><code>urls</code>: yours first, then those of the text, each as <code>check-url</code> answers it.</li>
<li><code>body.flags</code>: words that press, ask for money or for personal data, in seven languages.</li>
<li><code>advice</code>: what to do, in plain words, to be shown as it is.</li>
</ul>
<h3 id="mail-reason-codes">Reason codes of mails</h3>
${definitionList(
  Object.entries(reasons).map(([code, meaning]) => ({
    id: `mail-reason-${code}`,
    term: html`<code>${code}</code>`,
    meaning: html`${meaning}`,
  })),
)}
<p>Put the subject in front of the text. Headers that mail servers add (SPF, DKIM, DMARC) are not read: they are
worth what the server that added them is worth.</p>
<p>With nothing to check the answer is 200 with the reason <code>nothing_to_check</code>: it says so, and is no
clean bill. A sender that cannot be read has <code>status: "invalid"</code>.</p>
`,
  }
}

function phone(instance: Instance): Section {
  const command = `curl -G '${instance.publicUrl}/api/check-phone' \\\n  --data-urlencode 'phone=(876) 555-2368'`
  return {
    id: 'check-a-number',
    title: 'Check a phone number',
    body: html`<p>${operationLink(instance, 'checkPhone', 'GET /api/check-phone?phone=…')} takes a number of country code 1 (United States, Canada,
parts of the Caribbean): ten digits in any formatting, after an optional +1 or 1.</p>
${codeBlock(command)}
<ul>
<li><code>status</code> is <code>found</code> when people have reported calls from it, <code>suspicious</code> when the
number itself gives reason for care: a premium number, an area code that is nobody’s, or one that is dear to call
back. Anything else is <code>not_found</code>, and <strong>that does not make a caller honest</strong>.</li>
<li><code>reports</code> is how often; <code>scamType</code> is what most of the reports that say so are about.</li>
<li><code>areaCode</code> tells region, country, kind and risk.</li>
<li><code>valid: false</code>: the numbering plan gives such a number to nobody, <code>invalidReason</code> says
why.</li>
<li><code>reportingLinks</code>: where to report it, by kind and country.</li>
</ul>
<p>Reports are what people told the Federal Trade Commission; nobody has verified them, and any number can be shown
by a caller who forges it.</p>
`,
  }
}

/** Returns the sections about mails and phone numbers. */
export function mailSections(instance: Instance): readonly Section[] {
  return [mail(instance), phone(instance)]
}
