/**
 * The entry of the writer's thread. It gives the writer the rules by which brands are named, which
 * belong to a room above the writer's.
 */

import { createBrandNaming } from './checks/brand-naming.ts'
import { createWriterOpen } from './feeds/writer.ts'
import { serve } from './threads/serve.ts'

serve(createWriterOpen(createBrandNaming))
