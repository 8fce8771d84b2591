/** The entry of the thread that makes files of full lists, on a connection of its own. */

import { ReadStore } from '../../store/store.ts'
import { type Call, serve } from '../../threads/serve.ts'
import {
  compressList,
  type ListCoding,
  type ListOrder,
  type ListVersion,
  writeList,
} from './list-file.ts'

function open({ dataDir }: { readonly dataDir: string }) {
  return {
    write(_: Call, order: ListOrder): ListVersion {
      const store = ReadStore.open({ dataDir, role: 'background', now: Date.now })
      try {
        return writeList(store, order)
      } finally {
        store.close()
      }
    },
    compress: (_: Call, from: string, path: string, coding: ListCoding): Promise<void> =>
      compressList(from, path, coding),
  }
}
export type OpenLists = typeof open

serve(open)
