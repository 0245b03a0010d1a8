import * as z from 'zod/mini'

/** Compares a part of a cluster with what the cloud account may still create. */
export const QuotaRow = z.object({
  /** 'Head node', 'Group 2', 'Network'. */
  what: z.string(),
  size: z.string(),
  /** `later`: enough for the initial deployment, but not for all nodes. */
  state: z.enum(['enough', 'later', 'short', 'unknown']),
  /** Which quota is short and by how much, or why that is unknown. */
  text: z.string(),
  /** Where to request an increase. */
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

/** The state of all rows together: the worst one that is known. */
export const quotaState = (rows: readonly QuotaRow[]): QuotaRow['state'] =>
  (['short', 'later', 'unknown'] as const).find((state) => rows.some((row) => row.state === state)) ??
  'enough'
