/** Senders as people write them. */

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type MailboxRefusal,
  mailboxesMax,
  mailboxLengthMax,
  mailboxRefusalMessages,
  parseMailbox,
  parseMailboxes,
} from '../../src/model/mailbox.ts'

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 300)

describe('parseMailbox', () => {
  const readable: readonly [string, string | null, string][] = [
    ['ann@example.com', null, 'ann@example.com'],
    ['  Ann.Lee+news@Example.COM.  ', null, 'ann.lee+news@example.com'],
    ['<ann@example.com>', null, 'ann@example.com'],
    ['Ann <ann@example.com>', 'Ann', 'ann@example.com'],
    ['"Ann" <ann@example.com>', 'Ann', 'ann@example.com'],
    ['"Lee, Ann" <ann@example.com>;', 'Lee, Ann', 'ann@example.com'],
    ['"Ann \\"A\\" Lee" <ann@example.com>', 'Ann A Lee', 'ann@example.com'],
    ['Ann<ann@example.com>', 'Ann', 'ann@example.com'],
    ['mailto:ann@example.com', null, 'ann@example.com'],
    ['ann@example.com (Ann Lee)', 'Ann Lee', 'ann@example.com'],
    ['<ann@example.com> (Ann)', 'Ann', 'ann@example.com'],
    ['ann(a (nested) remark)@example.com', 'a nested remark', 'ann@example.com'],
    ['help@bank.example <x@evil.example>', 'help@bank.example', 'x@evil.example'],
    ['"help@bank.example" <x@evil.example>', 'help@bank.example', 'x@evil.example'],
    ['<help@bank.example> <x@evil.example>', '<help@bank.example>', 'x@evil.example'],
    ['"x y"@example.com', null, '"x y"@example.com'],
    ['"a@b"@example.com', null, '"a@b"@example.com'],
    ['Q <"x \\" y"@example.com>', 'Q', '"x \\" y"@example.com'],
    ['ann@bücher.example', null, 'ann@xn--bcher-kva.example'],
    ['ann@xn--bcher-kva.example', null, 'ann@xn--bcher-kva.example'],
    ['élodie@example.com', null, 'élodie@example.com'],
    ['ann@evil[.]example', null, 'ann@evil.example'],
    ['=?utf-8?B?w4lsb2RpZQ==?= <e@example.com>', 'Élodie', 'e@example.com'],
    ['=?UTF-8?Q?=C3=89lodie_B=2E?= <e@example.com>', 'Élodie B.', 'e@example.com'],
    ['=?iso-8859-1?q?J=F6rg?= <j@example.com>', 'Jörg', 'j@example.com'],
    ['=?utf-8?Q?Pay?= =?utf-8?Q?Pal?= <p@example.com>', 'PayPal', 'p@example.com'],
    ['=?no-such?Q?Pay?= <p@example.com>', '=?no-such?Q?Pay?=', 'p@example.com'],
    ['Pay\u200bPal <p@example.com>', 'PayPal', 'p@example.com'],
    ['"" <p@example.com>', null, 'p@example.com'],
    ['(<x@bank.example>) y@evil.example', '<x@bank.example>', 'y@evil.example'],
    ['"<x@bank.example>" y@evil.example', '<x@bank.example>', 'y@evil.example'],
    ['"<x@bank.example>" <y@evil.example>', '<x@bank.example>', 'y@evil.example'],
    ['<@bank.example:x@evil.example>', null, 'x@evil.example'],
    ['<@bank.example,@a.example:x@evil.example>', null, 'x@evil.example'],
    ['Bank, Inc. <x@evil.example>', 'Bank, Inc.', 'x@evil.example'],
    ['Bank; Support <x@evil.example>', 'Bank; Support', 'x@evil.example'],
    ['Bank ( <x@evil.example>', 'Bank (', 'x@evil.example'],
    ['"boss"@example.com', null, 'boss@example.com'],
    ['"bo\\ss"@example.com', null, 'boss@example.com'],
    ['=?koi8-r?B?4sHOyw==?= <b@example.com>', 'Банк', 'b@example.com'],
  ]

  test.each(readable)('reads %j', (text, displayName, address) => {
    const domain = address.slice(address.lastIndexOf('@') + 1)
    const value = { displayName, address, domain }
    expect<unknown>(parseMailbox(text)).toEqual({ ok: true, value })
  })

  const refused: readonly [string, MailboxRefusal][] = [
    ['', 'empty'],
    [' ; ', 'empty'],
    ['<>', 'no_at_sign'],
    ['ann', 'no_at_sign'],
    ['example.com', 'no_at_sign'],
    ['a@b@c', 'several_at_signs'],
    ['a@b.example, c@d.example', 'several_at_signs'],
    ['@example.com', 'invalid_local_part'],
    ['a b@example.com', 'invalid_local_part'],
    ['""@example.com', 'invalid_local_part'],
    ['"x"y@example.com', 'invalid_local_part'],
    [`${'a'.repeat(65)}@example.com`, 'invalid_local_part'],
    [`${'a'.repeat(388)}@example.com`, 'invalid_local_part'],
    ['a\u0000@', 'invalid_domain'],
    ['a@', 'invalid_domain'],
    ['a@b c.example', 'invalid_domain'],
    ['a@[192.0.2.1]', 'invalid_domain'],
    ['a@192.0.2.1', 'invalid_domain'],
    ['a@xn--a', 'invalid_domain'],
    [`a@${'b'.repeat(64)}.example`, 'invalid_domain'],
    ['a@localhost', 'not_public_domain'],
    ['a@b', 'not_public_domain'],
    ['a@co.uk', 'not_public_domain'],
    ['Ann <ann@example.com', 'unclosed'],
    ['Ann ann@example.com>', 'unclosed'],
    ['"ann@example.com', 'unclosed'],
    ['ann(@example.com', 'unclosed'],
    [`${'a'.repeat(mailboxLengthMax)}@b.example`, 'too_long'],
  ]

  test.each(refused)('refuses %j: %s', (text, reason) => {
    expect(parseMailbox(text)).toEqual({ ok: false, reason })
    expect(mailboxRefusalMessages[reason]).toMatch(/^[A-Z].*\.$/)
  })

  test('never throws, and parses its own addresses to themselves', () => {
    const character = fc.constantFrom(...'ab@<>"(). \\=?,;[]é'.split(''), '=?utf-8?q?', '\u0000')
    const text = fc.array(character, { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (sender) => {
        const read = parseMailbox(sender)
        if (!read.ok) return
        const again = parseMailbox(read.value.address)
        expect<unknown>(again).toEqual({ ok: true, value: { ...read.value, displayName: null } })
      }),
      { numRuns },
    )
  })
})

describe('parseMailboxes', () => {
  const lists: readonly [string, string[]][] = [
    ['Ann <ann@example.com>', ['ann@example.com']],
    ['a@bank.example, x@evil.example', ['a@bank.example', 'x@evil.example']],
    ['<a@bank.example> <x@evil.example>', ['x@evil.example', 'a@bank.example']],
    ['<x@evil.example> <a@bank.example>', ['a@bank.example', 'x@evil.example']],
    ['x@evil.example, <a@bank.example>', ['a@bank.example', 'x@evil.example']],
    ['"a, b" <x@evil.example>, c@bank.example', ['x@evil.example', 'c@bank.example']],
    ['"<a@bank.example>" <x@evil.example>', ['x@evil.example']],
    ['Bank, Inc. <x@evil.example>', ['x@evil.example']],
    ['Team: Ann <a@bank.example>, x@evil.example;', ['a@bank.example', 'x@evil.example']],
    ['Team: x@evil.example;', ['x@evil.example']],
    ['a@bank.example, not one', ['a@bank.example']],
    ['a@bank.example, A@Bank.example', ['a@bank.example']],
  ]

  test.each(lists)('reads %j as %j', (text, addresses) => {
    const read = parseMailboxes(text)
    expect(read.ok ? read.value.map(({ address }) => address) : read).toEqual(addresses)
  })

  test.each(['', 'Bank', 'Bank <x@U', 'a@b@c', `${'a@b.example,'.repeat(100)}`])(
    'refuses %j as one sender is refused',
    (text) => {
      const read = parseMailboxes(text)
      expect<unknown>(read).toEqual(parseMailbox(text))
      expect(read.ok).toBe(false)
    },
  )

  test('parses at most a few', () => {
    const many = Array.from({ length: 20 }, (_, index) => `a${index}@example.com`).join(', ')
    const read = parseMailboxes(many)
    expect(read.ok && read.value.length).toBe(mailboxesMax)
  })

  test('never throws', () => {
    const character = fc.constantFrom(...'ab@<>"(). \\=?,:;[]é'.split(''), '\u0000')
    const text = fc.array(character, { maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (sender) => {
        const whole = parseMailbox(sender)
        const read = parseMailboxes(sender)
        if (whole.ok) expect<unknown>(read.ok && read.value[0]).toEqual(whole.value)
      }),
      { numRuns },
    )
  })
})
