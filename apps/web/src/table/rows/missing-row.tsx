import { Skeleton } from '../../ui/feedback/skeleton'

/** Placeholder for a row that is still loading. */
export function MissingRow({ index }: { index: number }) {
  return (
    <tr aria-rowindex={index + 2} aria-busy className="h-9 [&:not(:last-child)>td]:border-b">
      <td colSpan={100} className="border-line-1 px-3 py-0">
        <Skeleton className="h-3 w-2/3" />
      </td>
    </tr>
  )
}
