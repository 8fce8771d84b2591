/**
 * Names the brand that a listed name imitates, where no source says it: by the rules of `lookalike`, when
 * exactly one brand reaches the threshold.
 */

import type { RelatedCounts } from '../../index/related-names.ts'
import type { BrandNamer } from '../../model/brand.ts'
import type { Platforms } from '../../model/platform.ts'
import { brandMeantBy } from './brands.ts'
import { createLookalikeChecker } from './lookalike.ts'
import { loadNameKnowledge } from './lookalikes.ts'

/** Increases with every change of the rules; a change of the facts is detected by itself. */
const rulesVersion = 1

/** Knowledge in addition to the facts that ship with weir. */
export interface BrandNamingParts {
  readonly platforms: Pick<Platforms, 'findPlatform'>
  readonly isPopular: (name: string) => boolean
  /** The score from which a brand counts as imitated. */
  readonly threshold: number
}

/** Listed names are judged without related names. */
const noRelated: RelatedCounts = { siblings: 0, family: 0 }

/** Returns the namer of brands. */
export function createBrandNaming(parts: BrandNamingParts): BrandNamer {
  const knowledge = loadNameKnowledge()
  const lookalikes = createLookalikeChecker({ ...parts, knowledge, countRelated: () => noRelated })
  return {
    rules: `${rulesVersion}-${parts.threshold}-${knowledge.version}`,
    findBrand({ type, value, host }) {
      const name = type === 'domain' ? value : host
      return name === undefined ? null : (lookalikes.assess(name).brand?.name ?? null)
    },
    toKnownName: (name) => brandMeantBy(knowledge.brands, name)?.name ?? name,
  }
}
