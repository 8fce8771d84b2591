/**
 * Reads a mail saved as a file (`.eml`, RFC 5322) into what the check of mails takes.
 *
 * The file is untrusted: its size, its nesting and what is read of it are bounded, and nothing in it is
 * opened. Forwarded mails and attached pages are read like the mail's own text.
 */

import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { decodeEncodedWords } from '../../model/encoded-words.ts'
import { mailboxesMax, mailboxLengthMax } from '../../model/mailbox.ts'
import type { Result } from '../../model/result.ts'
import type { EmailRequest } from '../email.ts'

/** The largest file, attachments included; no mail server takes more. */
export const mailBytesMax = 50 * 1024 * 1024
/** The most that is read of each text: enough that nothing hides after much filler. */
const textLengthMax = 2 * 1024 * 1024
/** The most texts: the mail's own two, those of mails inside it, and attached pages. */
const textsMax = 12
/** The most mails, the outermost included. */
const mailsMax = 6
const subjectLengthMax = 1_000
const nameLengthMax = 300
const nestingMax = 50

/** Real headers are a few KiB long; of longer ones only the fields that matter are read. */
const headersBytesMax = 64 * 1024
const fieldLengthMax = 8_192
const fieldsMax = 20
const fieldsThatMatter =
  /^(?:from|reply-to|subject|mime-version|content-(?:type|transfer-encoding|disposition)):/i
/** The headers of all parts together; decoding them takes time and much memory. */
const allHeadersBytesMax = 512 * 1024

/** Returns the mail with its headers cut to what is read of them. */
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

/** Returns a header of senders cut to what is read of it: its first words, and the addresses in brackets. */
function shortSenders(header: string): string {
  if (header.length <= mailboxLengthMax / mailboxesMax) return header
  const name = header.replace(/["\\()<>,;]/g, '').slice(0, nameLengthMax)
  const bracketed = header.match(/<[^<>\s]{1,320}>/g)
  const bare = bracketed === null ? (header.match(bareAddress) ?? []) : []
  const specs = bracketed ?? bare.map((address) => `<${address}>`)
  return `"${name}" ${specs.slice(-mailboxesMax).join(', ')}`.slice(0, mailboxLengthMax)
}

/** Returns the values of the headers of one name, joined as in one header; null when there is none. */
function sendersIn(mails: readonly Email[], key: string): string | null {
  const headers = mails
    .flatMap((mail) => mail.headers.filter((header) => header.key === key))
    .map(({ value }) => shortSenders(value.replace(/\s+/g, ' ')))
    .filter((value) => value !== '')
    .slice(0, mailboxesMax)
  // A quote that one header leaves open would include the next header.
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

/** Reports whether an attached file opens as a page or a text. */
const isPage = ({ mimeType, filename }: Attachment): boolean =>
  /^(?:text\/|application\/xhtml|image\/svg)/.test(mimeType) ||
  /\.(?:[sx]?html?|svg|txt)$/i.test(filename ?? '')

function readContent({ content }: Attachment): Uint8Array {
  if (typeof content === 'string') return Buffer.from(content)
  return content instanceof Uint8Array ? content : new Uint8Array(content)
}

function decodePage(page: Attachment): string {
  const bytes = readContent(page).subarray(0, 2 * textLengthMax)
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes)
}

const readMail = (bytes: Uint8Array): Promise<Email> =>
  new PostalMime({
    maxNestingDepth: nestingMax,
    maxHeadersSize: allHeadersBytesMax,
    forceRfc822Attachments: true,
  }).parse(withShortHeaders(bytes))

/** Returns a mail and those inside it, the outermost first, at most `mailsMax`; throws if the outermost cannot be read. */
async function readMails(bytes: Uint8Array): Promise<{ mails: Email[]; isCut: boolean }> {
  const mails = [await readMail(bytes)]
  let isCut = false
  for (const mail of mails) {
    for (const inner of mail.attachments.filter(isMail)) {
      if (mails.length === mailsMax) return { mails, isCut: true }
      try {
        mails.push(await readMail(readContent(inner)))
      } catch {
        // A broken mail inside must not hide the mail around it; the answer says that a part was not read.
        isCut = true
      }
    }
  }
  return { mails, isCut }
}

/** Returns the texts of a mail that people read: its HTML, its text, attached pages. */
function listTexts({ html, text, attachments }: Email): string[] {
  const pages = attachments.filter((file) => !isMail(file) && isPage(file))
  return [html ?? '', text ?? '', ...pages.slice(0, textsMax).map(decodePage)].filter(
    (one) => one.trim() !== '',
  )
}

function readSubject({ headers }: Email): string {
  const subject = headers.find(({ key }) => key === 'subject')?.value ?? ''
  return decodeEncodedWords(subject.slice(0, fieldLengthMax)).slice(0, subjectLengthMax)
}

function toEmailRequest(mails: readonly Email[], isLeftOut: boolean): EmailRequest {
  const texts = mails.flatMap(listTexts)
  const subjects = mails.map(readSubject).filter((subject) => subject.trim() !== '')
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

/** Returns a saved mail as a request, or a sentence that says why it cannot be read. */
export async function readSavedMail(bytes: Uint8Array): Promise<Result<EmailRequest, string>> {
  try {
    const { mails, isCut } = await readMails(bytes)
    const [mail] = mails
    if (mail === undefined || (mail.from === undefined && mail.headers.length < 2)) {
      return { ok: false, reason: 'Give a mail as it was saved, with its headers.' }
    }
    return { ok: true, value: toEmailRequest(mails, isCut) }
  } catch {
    // Nested deeper than any real mail.
    return { ok: false, reason: 'Give a file that holds one mail.' }
  }
}
