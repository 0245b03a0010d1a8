import type { ProviderId } from '@flotilla/contract/site/config'

/** The contents of a credential file, which is read only in the browser. */
export interface Found {
  provider: ProviderId
  /** Distinguishes entries of the same file, such as profiles. Null if the data belongs to all of them, like a key. */
  label: string | null
  /** The values by authentication field ID. */
  data: Record<string, string>
  region?: string
}

export interface Parsed {
  found: Found[]
  problems: string[]
}

export const problem = (text: string): Parsed => ({ found: [], problems: [text] })

/** The values that are not empty, trimmed. */
export const present = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([id, value]) => (value?.trim() ? [[id, value.trim()]] : [])),
  )
