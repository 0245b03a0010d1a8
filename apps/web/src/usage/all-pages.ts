import { PAGE_SIZE_MAX } from '@flotilla/contract/limits'

/** All rows of a paginated list, for an export. */
export async function allPages<Row>(
  read: (page: { limit: number; cursor?: string }) => Promise<{ rows: Row[]; next: string | null }>,
): Promise<Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const piece: { rows: Row[]; next: string | null } = await read({
      limit: PAGE_SIZE_MAX,
      ...(cursor !== null && { cursor }),
    })
    rows.push(...piece.rows)
    cursor = piece.next
  } while (cursor !== null)
  return rows
}
