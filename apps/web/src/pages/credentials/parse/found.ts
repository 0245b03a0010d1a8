import type { ProviderId } from '@flotilla/contract/site/config'

/** What a credential file turned out to hold. It is read in the browser and nowhere else. */
export interface Found {
  provider: ProviderId
  /** What tells it from others in the same file: a profile. Null when it belongs to all of them, as a key does. */
  label: string | null
  /** By the ids of the provider's authentications. */
  data: Record<string, string>
  region?: string
}

export interface Parsed {
  found: Found[]
  problems: string[]
}

export const problem = (text: string): Parsed => ({ found: [], problems: [text] })

/** Only what is there: an empty value in a file is no value. */
export const present = (values: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([id, value]) => (value?.trim() ? [[id, value.trim()]] : [])),
  )
