/** What a person should do about a mail, in short plain sentences that fit what was found. */

import type { Brand } from '../../model/brand.ts'
import { type RedFlagCategory, type RiskLevel, redFlagCategories } from '../../model/mail-risk.ts'

/** What the advice depends on. */
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
  'Be careful: ask the sender in another way that you know, such as a phone number from an earlier letter, before you click or answer.'
const noProof =
  'A low risk does not prove that a mail is honest. If in doubt, contact the sender in another way that you know.'

/** What to do about each kind of phrases, whatever else was found. */
const byCategory: Readonly<Record<RedFlagCategory, string>> = {
  personal_data: 'Never give passwords, codes or card numbers because a mail asks for them.',
  payment: 'Do not pay, send gift cards or cryptocurrency because a mail asks for it.',
  urgency: 'Take your time: an honest company will not mind if you check first.',
}

/** Returns the advice, the most urgent first. */
export function adviceFor({ level, brand, hasLinks, categories }: AdviceGround): string[] {
  const about = redFlagCategories
    .toReversed()
    .filter((category) => categories.has(category))
    .map((category) => byCategory[category])
  if (level === 'low') return [...about, noProof]
  const home = brand?.domains[0]
  const asked =
    brand === null || home === undefined
      ? []
      : [
          `To see whether ${brand.name} wants something from you, type ${home} in your browser yourself.`,
        ]
  const clicked = hasLinks && level !== 'medium' ? [wasClicked] : []
  return [level === 'medium' ? careful : keepAway, ...asked, ...about, ...clicked]
}

/** What to send when there was nothing to check. */
export const nothingAdvice: readonly string[] = [
  "Send the sender's address, the links or the text of the mail.",
]
