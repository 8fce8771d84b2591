/** What a person should do about a mail, in short plain sentences that fit what was found. */

import type { Brand } from '../../model/brand.ts'
import type { RiskLevel } from '../../model/mail-risk.ts'
import type { RedFlagCategory } from './red-flags.ts'

/** What the advice goes by. */
export interface AdviceGround {
  readonly level: RiskLevel
  /** The brand the mail claims to be from, when it is one. */
  readonly brand: Brand | null
  readonly hasLinks: boolean
  readonly categories: ReadonlySet<RedFlagCategory>
}

const keepAway =
  'Do not click its links, open its attachments or answer it; report it to your mail provider as phishing and delete it.'
const wasClicked =
  'If you have entered a password on a page it led to, change it now; if it was about money, call your bank.'
const careful =
  'Be careful: ask the sender by another way that you know, such as a phone number from an earlier letter, before you click or answer.'
const noProof =
  'Few signs are no proof that a mail is honest; if in doubt, ask the sender by another way.'

/** Returns the advice, the most urgent first. */
export function adviceFor({ level, brand, hasLinks, categories }: AdviceGround): string[] {
  if (level === 'low') return [noProof]
  const advice = [level === 'medium' ? careful : keepAway]
  const home = brand?.domains[0]
  if (brand !== null && home !== undefined) {
    advice.push(
      `To see whether ${brand.name} wants something of you, type ${home} in your browser yourself.`,
    )
  }
  if (categories.has('personal_data')) {
    advice.push('Never give passwords, codes or card numbers because a mail asks for them.')
  }
  if (categories.has('payment')) {
    advice.push('Do not pay, send gift cards or crypto money because a mail asks for it.')
  }
  if (categories.has('urgency')) {
    advice.push('Take your time: honest companies do not punish you for asking back first.')
  }
  if (hasLinks && level !== 'medium') advice.push(wasClicked)
  return advice
}

/** What to send when there was nothing to check. */
export const nothingAdvice: readonly string[] = [
  "Send the sender's address, the links or the text of the mail.",
]
