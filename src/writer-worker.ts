/** The entry of the writer's thread: gives the writer the naming of brands, which is in a layer above it. */

import { createBrandNaming } from './checks/looks/brand-naming.ts'
import { createWriterOpen } from './ingest/writer.ts'
import { serve } from './threads/serve.ts'

serve(createWriterOpen(createBrandNaming))
