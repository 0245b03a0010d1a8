import * as z from 'zod/mini'
import { readStored, writeStored } from './storage'
import { currentUser } from './store'

type Settings<T> = { load: () => T | null; save: (value: T) => void }

/** What a page remembers for the user, such as the column order. Cleared at logout, like everything stored. */
export function pageSettings<T>(page: string, schema: z.ZodMiniType<T>): Settings<T> {
  return {
    load() {
      const text = readStored(`page.${page}`)
      if (text === null) return null
      try {
        const parsed = schema.safeParse(JSON.parse(text))
        return parsed.success ? parsed.data : null
      } catch {
        return null
      }
    },
    save(value) {
      // A page that is still rendered after a logout must not leave anything for the next user.
      if (currentUser()) writeStored(`page.${page}`, JSON.stringify(value))
    },
  }
}

const TableFields = z.record(z.string(), z.unknown())

/** A table's filter and order on one page. */
export const tableSettings = (page: string): Settings<Record<string, unknown>> =>
  pageSettings(`table.${page}`, TableFields)
