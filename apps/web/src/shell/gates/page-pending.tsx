/** Stands in for the skeletons of pages, which are not part of the first chunk. */
const block = 'block animate-pulse rounded-mark bg-surface-3'

/** A page whose code is still loading: in the shape of a title and its content, and never mistaken for an empty list. */
export function PagePending() {
  return (
    <div role="status" className="flex animate-appear flex-col gap-5">
      <span className="sr-only">Loading page</span>
      <span aria-hidden className={`${block} h-7 w-48`} />
      <span aria-hidden className={`${block} h-64 w-full`} />
    </div>
  )
}
