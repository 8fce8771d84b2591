/**
 * The thread that writes: what `weir` is to the server, this is to the writer; it gives the writer the
 * rules by which brands are named, which stand above it in the house.
 */

import { createBrandNaming } from './checks/brand-naming.ts'
import { runWriter } from './feeds/writer-thread.ts'

runWriter(createBrandNaming)
