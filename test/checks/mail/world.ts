/** A checker of mails over a real store, with invented brands and a name server of its own. */

import {
  createEmailChecker,
  type EmailChecker,
  type EmailRequest,
} from '../../../src/checks/email.ts'
import { indexBrands } from '../../../src/checks/looks/brands.ts'
import { createMailDomains } from '../../../src/checks/mail/domains.ts'
import { parseBrands } from '../../../src/model/brand.ts'
import { CachedMailRoutes } from '../../../src/net/mail-routes.ts'
import { Resolver } from '../../../src/net/resolver.ts'
import { DnsServer, type Zone } from '../../net/dns-server.ts'
import { foundAt, platforms, toSubject, World } from '../world.ts'

export const brands = indexBrands(
  parseBrands(`
Examplebank | bank | examplebank.example examplebank.test | Example Savings, XB |
Parcelly | post | parcelly.example | Parcelly Express |
Freemailer | tech | freemailer.example freemail.example | |
Chance | bank | chance.example | Chance Bank | word
Town | bank | town.example | | word
Telephony | telecom | telephony.example | |
Tax Bureau | government | taxes.example | |
`),
)

export const letters: ReadonlyMap<string, string> = new Map([
  ['а', 'a'],
  ['е', 'e'],
])

const mailDomains = createMailDomains('freemail.example', 'thrown.example')

const answering = { mx: ['10 mail.example'] } as const

/** How the name servers answer about the senders of the tests. */
export const zone: Zone = {
  'examplebank.example': answering,
  'mail.examplebank.example': answering,
  'freemail.example': answering,
  'thrown.example': answering,
  'friend.example': { mx: ['20 b.friend.example', '10 a.friend.example'] },
  'evil.example': answering,
  'login.evil.example': answering,
  'tenant.hosting.example': answering,
  'no-mail.example': { mx: ['0 .'] },
  'plain.example': { a: ['192.0.2.1'] },
  'empty.example': { ns: ['ns.empty.example'] },
  'broken.example': 'servfail',
  'silent.example': 'silence',
}

export const nothingKnown: EmailRequest = {
  from: null,
  replyTo: null,
  claimedCompany: null,
  urls: [],
  body: null,
}

/** What the lists hold: a domain, a page, an address, and addresses of little weight. */
const listed = [
  toSubject('evil.example'),
  toSubject('https://pages.example/login'),
  { type: 'email', value: 'bad@friend.example', host: 'friend.example' },
  { type: 'email', value: 'perhaps@friend.example', host: 'friend.example', confidence: 30 },
  { type: 'domain', value: 'perhaps.example', confidence: 30 },
] as const

/** A checker, and its parts. */
export class MailWorld implements AsyncDisposable {
  readonly world = new World()
  readonly dns: DnsServer
  readonly resolver: Resolver
  readonly emails: EmailChecker

  private constructor(dns: DnsServer) {
    this.dns = dns
    this.resolver = new Resolver({ servers: [dns.address] })
    this.emails = createEmailChecker({
      urls: this.world.checker,
      listings: this.world.catalog,
      platforms,
      mailDomains,
      mailRoutes: new CachedMailRoutes(this.resolver, () => 0),
      foundAt,
      brands,
      letters,
    })
  }

  static async open(): Promise<MailWorld> {
    const opened = new MailWorld(await DnsServer.start(zone))
    await opened.world.list(listed)
    return opened
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.resolver.cancel()
    this.world.db.remove()
    await this.dns[Symbol.asyncDispose]()
  }
}
