/**
 * A mail saved as a file (`.eml`, RFC 5322), read for what a check of mails asks.
 *
 * The file is data of a stranger's: its size, its nesting and what is taken from it are bounded, and
 * nothing in it is opened.
 */

import PostalMime, { type Address, type Email } from 'postal-mime'
import type { EmailRequest } from '../checks/email.ts'
import type { Result } from '../model/result.ts'

/** With attachments; no mail server takes more. */
const fileBytesMax = 50 * 1024 * 1024
/** What is read of the text or HTML: where a mail wants something of its reader, it says so sooner. */
const textLengthMax = 256 * 1024
const subjectLengthMax = 1_000
const nameLengthMax = 300
const nestingMax = 50

/** Writes a sender as a header would, without what could end the name. */
function writtenSender(address: Address | undefined): string | null {
  if (address === undefined) return null
  const mailbox = address.group === undefined ? address : address.group[0]
  const name = address.name.replace(/["\\]/g, '').slice(0, nameLengthMax)
  const bare = mailbox?.address ?? ''
  if (name === '') return bare === '' ? null : bare
  return `"${name}" <${bare}>`
}

/** Puts the subject in front of the text, where it is read as the first line. */
function bodyOf({ subject = '', html, text }: Email): string | null {
  const first = subject.slice(0, subjectLengthMax)
  if (html !== undefined) return `${Bun.escapeHTML(first)}<br>${html.slice(0, textLengthMax)}`
  const body = `${first}\n${(text ?? '').slice(0, textLengthMax)}`
  return body.trim() === '' ? null : body
}

/** Reports whether a value is the name of a mail's file: no host ends so. */
export const isMailFile = (value: string): boolean =>
  value.toLowerCase().endsWith('.eml') && !value.includes('\0') && !value.includes('://')

/** Reads a saved mail, or says in a sentence why it cannot be read. */
export async function readMailFile(path: string): Promise<Result<EmailRequest, string>> {
  const file = Bun.file(path)
  if (!(await file.exists())) return { ok: false, reason: 'There is no such file.' }
  if (file.size > fileBytesMax) {
    return { ok: false, reason: `Give a mail of at most ${fileBytesMax} bytes.` }
  }
  try {
    const parser = new PostalMime({ maxNestingDepth: nestingMax, rfc822Attachments: true })
    const mail = await parser.parse(await file.bytes())
    if (mail.from === undefined && mail.headers.length < 2) {
      return { ok: false, reason: 'Give a mail as it was saved, with its headers.' }
    }
    const request = {
      from: writtenSender(mail.from),
      replyTo: writtenSender(mail.replyTo?.[0]),
      claimedCompany: null,
      urls: [],
      body: bodyOf(mail),
    }
    return { ok: true, value: request }
  } catch {
    // Not readable, or nested deeper than any mail: either way the file's fault.
    return { ok: false, reason: 'Give a file that can be read and holds one mail.' }
  }
}
