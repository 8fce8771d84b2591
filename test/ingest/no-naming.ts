/** Names no brands, for tests that are not about them. */

import type { BrandNamer } from '../../src/model/brand.ts'

export const noNaming: BrandNamer = {
  rules: 'none',
  findBrand: () => null,
  toKnownName: (said) => said,
}
