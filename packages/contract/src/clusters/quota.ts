import * as z from 'zod/mini'

/** How a part of a cluster compares with what the cloud account may still create. */
export const QuotaRow = z.object({
  /** 'Head node', 'Group 2', 'Network'. */
  what: z.string(),
  size: z.string(),
  /** `later`: enough for what is deployed at once, but not for all nodes. */
  state: z.enum(['enough', 'later', 'short', 'unknown']),
  /** What is missing of which quota, or why that is unknown. */
  text: z.string(),
  /** Where to request more. */
  link: z.nullable(z.string()),
})
export type QuotaRow = z.infer<typeof QuotaRow>

export const quotaLabels: Record<QuotaRow['state'], string> = {
  enough: 'Enough',
  later: 'Enough to start',
  short: 'Not enough',
  unknown: 'Unknown',
}

/** The rows that prevent deploying. */
export const quotaShortages = (rows: readonly QuotaRow[] = []): QuotaRow[] =>
  rows.filter(({ state }) => state === 'short')

/** The state of all rows together: the worst that is known. */
export const quotaState = (rows: readonly QuotaRow[]): QuotaRow['state'] =>
  (['short', 'later', 'unknown'] as const).find((state) => rows.some((row) => row.state === state)) ??
  'enough'
