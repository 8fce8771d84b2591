/** Names no brands, for tests that are not about them. */

import type { BrandNaming } from '../../src/ingest/intake.ts'

export const noNaming: BrandNaming = {
  rules: 'none',
  findBrand: () => null,
  toKnownName: (said) => said,
}
