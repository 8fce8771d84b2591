/**
 * A mail saved as a file (`.eml`, RFC 5322), read for what a check of mails asks.
 *
 * The file is data of a stranger's: its size, its nesting and what is taken from it are bounded, and
 * nothing in it is opened. Mails that it forwards and pages that come with it are read like its text.
 */

import PostalMime, { type Attachment, type Email } from 'postal-mime'
import type { EmailRequest } from '../checks/email.ts'
import { decodeEncodedWords } from '../model/encoded-words.ts'
import { mailboxesMax, mailboxLengthMax } from '../model/mailbox.ts'
import type { Result } from '../model/result.ts'

/** With attachments; no mail server takes more. */
const fileBytesMax = 50 * 1024 * 1024
/** What is read of each text, so that nothing hides behind much filler. */
const textLengthMax = 2 * 1024 * 1024
/** A mail's own two texts, those of mails inside it, and pages that come with it. */
const textsMax = 12
/** Mails inside mails, the outermost included. */
const mailsMax = 6
const subjectLengthMax = 1_000
const nameLengthMax = 300
const nestingMax = 50

/** Real headers are some KiB long; of longer ones only the fields that matter are read. */
const headersBytesMax = 64 * 1024
const fieldLengthMax = 8_192
const fieldsMax = 20
const fieldsThatMatter =
  /^(?:from|reply-to|subject|mime-version|content-(?:type|transfer-encoding|disposition)):/i
/** Of all parts together; decoding takes time and much memory. */
const allHeadersBytesMax = 512 * 1024

/** Cuts the headers in front of a mail down to what is read of them. */
function withShortHeaders(mail: Uint8Array): Uint8Array {
  const bytes = Buffer.from(mail.buffer, mail.byteOffset, mail.byteLength)
  const ends = [bytes.indexOf('\n\n'), bytes.indexOf('\n\r\n')].filter((at) => at !== -1)
  const end = Math.min(bytes.length, ...ends)
  if (end <= headersBytesMax) return mail
  const fields = bytes
    .toString('latin1', 0, end)
    .split(/\r?\n(?![ \t])/)
    .filter((field) => fieldsThatMatter.test(field))
    .slice(0, fieldsMax)
    .map((field) => field.slice(0, fieldLengthMax))
  return Buffer.concat([Buffer.from(`${fields.join('\r\n')}\r\n`, 'latin1'), bytes.subarray(end)])
}

const bareAddress = /[^\s<>,;"()@]{1,64}@[^\s<>,;"()@]{1,253}/g

/** Shortens a header of senders to what is read of one: its first words, and the addresses in brackets. */
function shortSenders(header: string): string {
  if (header.length <= mailboxLengthMax / mailboxesMax) return header
  const name = header.replace(/["\\()<>,;]/g, '').slice(0, nameLengthMax)
  const bracketed = header.match(/<[^<>\s]{1,320}>/g)
  const bare = bracketed === null ? (header.match(bareAddress) ?? []) : []
  const specs = bracketed ?? bare.map((address) => `<${address}>`)
  return `"${name}" ${specs.slice(-mailboxesMax).join(', ')}`.slice(0, mailboxLengthMax)
}

/** Returns what the headers of one name say, joined as one header would have it; null when there is none. */
function sendersIn(mails: readonly Email[], key: string): string | null {
  const headers = mails
    .flatMap((mail) => mail.headers.filter((header) => header.key === key))
    .map(({ value }) => shortSenders(value.replace(/\s+/g, ' ')))
    .filter((value) => value !== '')
    .slice(0, mailboxesMax)
  // A quote that one header leaves open would cover the next.
  const closed = headers.map((header) =>
    header.split('"').length % 2 === 1 ? header : header.replaceAll('"', ''),
  )
  let joined = ''
  for (const header of closed) {
    const longer = joined === '' ? header : `${joined}, ${header}`
    if (longer.length <= mailboxLengthMax) joined = longer
  }
  return joined === '' ? null : joined
}

const isMail = ({ mimeType, filename }: Attachment): boolean =>
  mimeType === 'message/rfc822' || filename?.toLowerCase().endsWith('.eml') === true

/** Reports whether an attached file opens as a page or a text that a reader believes. */
const isPage = ({ mimeType, filename }: Attachment): boolean =>
  /^(?:text\/|application\/xhtml|image\/svg)/.test(mimeType) ||
  /\.(?:[sx]?html?|svg|txt)$/i.test(filename ?? '')

function bytesOf({ content }: Attachment): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? content : new Uint8Array(content)
}

function textOf(page: Attachment): string {
  const bytes = bytesOf(page).subarray(0, 2 * textLengthMax)
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes)
}

const readMail = (bytes: Uint8Array): Promise<Email> =>
  new PostalMime({
    maxNestingDepth: nestingMax,
    maxHeadersSize: allHeadersBytesMax,
    forceRfc822Attachments: true,
  }).parse(withShortHeaders(bytes))

/** Reads a mail and those inside it, the outermost first, at most `mailsMax`; throws if that cannot be read. */
async function readMails(bytes: Uint8Array): Promise<{ mails: Email[]; isCut: boolean }> {
  const mails = [await readMail(bytes)]
  let isCut = false
  for (const mail of mails) {
    for (const inner of mail.attachments.filter(isMail)) {
      if (mails.length === mailsMax) return { mails, isCut: true }
      try {
        mails.push(await readMail(bytesOf(inner)))
      } catch {
        // What is broken inside must not hide the mail around it; that a part was not read is told.
        isCut = true
      }
    }
  }
  return { mails, isCut }
}

/** Returns what of a mail is read by people: its HTML, its text, pages that come with it. */
function textsOf({ html, text, attachments }: Email): string[] {
  const pages = attachments.filter((file) => !isMail(file) && isPage(file))
  return [html ?? '', text ?? '', ...pages.slice(0, textsMax).map(textOf)].filter(
    (one) => one.trim() !== '',
  )
}

function subjectOf({ headers }: Email): string {
  const subject = headers.find(({ key }) => key === 'subject')?.value ?? ''
  return decodeEncodedWords(subject.slice(0, fieldLengthMax)).slice(0, subjectLengthMax)
}

function requestOf(mails: readonly Email[], isLeftOut: boolean): EmailRequest {
  const texts = mails.flatMap(textsOf)
  const subjects = mails.map(subjectOf).filter((subject) => subject.trim() !== '')
  const read = texts.slice(0, textsMax).map((text) => text.slice(0, textLengthMax))
  const [body, ...otherBodies] = [...subjects, ...read]
  return {
    from: sendersIn(mails, 'from'),
    replyTo: sendersIn(mails.slice(0, 1), 'reply-to'),
    claimedCompany: null,
    urls: [],
    body: body ?? null,
    otherBodies,
    isCut:
      isLeftOut || texts.length > textsMax || texts.some((text) => text.length > textLengthMax),
  }
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
    const { mails, isCut } = await readMails(await file.bytes())
    const [mail] = mails
    if (mail === undefined || (mail.from === undefined && mail.headers.length < 2)) {
      return { ok: false, reason: 'Give a mail as it was saved, with its headers.' }
    }
    return { ok: true, value: requestOf(mails, isCut) }
  } catch {
    // Not readable, or nested deeper than any mail: either way the file's fault.
    return { ok: false, reason: 'Give a file that can be read and holds one mail.' }
  }
}
